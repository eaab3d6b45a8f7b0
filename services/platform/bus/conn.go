package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/service"
)

// connectInterval is the pause between looks for the connection.
const connectInterval = 50 * time.Millisecond

// Conn is a service's connection to NATS, shared by its relay, consumers and watches. Its
// Unit opens it; from then on it reconnects forever.
type Conn struct {
	cfg     Config
	rt      *service.Runtime
	stream  string
	metrics *metrics
	// consumers are the names of those of this build.
	consumers []string
	// resets are those of the watches.
	resets []func()

	mu sync.Mutex
	nc *nats.Conn
	js jetstream.JetStream
}

// Connect returns a connection that nothing has opened yet. Call it once per
// runtime: it registers the metrics of the bus.
func Connect(cfg Config, rt *service.Runtime) *Conn {
	c := &Conn{cfg: cfg, rt: rt, stream: StreamOf(rt.Name)}
	c.metrics = newMetrics(rt.Metrics, c.connected)
	rt.Health.Inform("nats", c.Check)
	return c
}

// Unit opens the connection, before the units that use it, and closes it after them. NATS
// need not be there.
func (c *Conn) Unit() service.Unit {
	return service.Unit{Name: "nats connection", Start: func(context.Context) (func(context.Context) error, error) {
		if err := c.open(); err != nil {
			return nil, fmt.Errorf("bus: %w", err)
		}
		return func(context.Context) error { c.close(); return nil }, nil
	}}
}

// Check returns nil while the connection stands. It is for showing people the
// state; a service without NATS is still ready to serve.
func (c *Conn) Check(context.Context) error {
	if !c.connected() {
		return errors.New("bus: not connected to NATS")
	}
	return nil
}

func (c *Conn) connected() bool {
	nc, _ := c.current()
	return nc != nil && nc.IsConnected()
}

// awaitConnected blocks until NATS answers or ctx ends.
func (c *Conn) awaitConnected(ctx context.Context) error {
	for !c.connected() {
		if !service.Pause(ctx, connectInterval) {
			return ctx.Err()
		}
	}
	return nil
}

func (c *Conn) open() error {
	opts, err := c.cfg.options(c.rt)
	if err != nil {
		return err
	}
	nc, err := nats.Connect(c.cfg.URL, append(opts,
		nats.ConnectHandler(c.resumed),
		nats.ReconnectHandler(c.resumed),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.rt.Log.Warn("connection to NATS lost", "error", err) }),
		nats.ErrorHandler(c.asyncError),
	)...)
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc,
		jetstream.WithPublishAsyncMaxPending(2*batchSize),
		jetstream.WithPublishAsyncTimeout(ackTimeout),
		jetstream.WithDefaultTimeout(ackTimeout))
	if err != nil {
		nc.Close()
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nc, c.js = nc, js
	return nil
}

func (c *Conn) close() {
	nc, _ := c.current()
	nc.Close()
}

func (c *Conn) resumed(*nats.Conn) {
	c.rt.Log.Info("connected to NATS")
	c.reset()
}

// asyncError is told of slow consumers among others: a watch that lost messages
// starts afresh.
func (c *Conn) asyncError(_ *nats.Conn, sub *nats.Subscription, err error) {
	subject := ""
	if sub != nil {
		subject = sub.Subject
	}
	c.rt.Log.Warn("NATS reports a problem", "error", err, "subject", subject)
	if errors.Is(err, nats.ErrSlowConsumer) {
		c.reset()
	}
}

func (c *Conn) reset() {
	for _, reset := range c.resets {
		reset()
	}
}

// current is what Unit has opened.
func (c *Conn) current() (*nats.Conn, jetstream.JetStream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nc, c.js
}
func (c *Conn) jetStream() jetstream.JetStream {
	_, js := c.current()
	return js
}
