package bus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/service"
)

// Conn is a service's connection to NATS, shared by its relay, consumers and
// watches. It is opened by the first of them to start and closed by the last
// to stop; in between it reconnects forever.
type Conn struct {
	cfg     Config
	rt      *service.Runtime
	stream  string
	metrics *metrics

	mu       sync.Mutex
	users    int
	nc       *nats.Conn
	js       jetstream.JetStream
	up       chan struct{} // closed while connected
	onResume map[int]func()
	nextID   int
}

// Connect returns a connection that nothing has opened yet. Call it once per
// runtime: it registers the metrics of the bus.
func Connect(cfg Config, rt *service.Runtime) *Conn {
	stream := cfg.Stream
	if stream == "" {
		stream = StreamOf(rt.Name)
	}
	c := &Conn{cfg: cfg, rt: rt, stream: stream, up: make(chan struct{}), onResume: map[int]func(){}}
	c.metrics = newMetrics(rt.Metrics, c.connected)
	rt.Health.Inform("nats", c.Check)
	return c
}

// Unit keeps the connection open for a process that only asks Check.
func (c *Conn) Unit() service.Unit {
	return service.Unit{Name: "nats connection", Start: func(context.Context) (func(context.Context) error, error) {
		if err := c.open(); err != nil {
			return nil, err
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
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nc != nil && c.nc.IsConnected()
}

// awaitConnected blocks until NATS answers or ctx ends.
func (c *Conn) awaitConnected(ctx context.Context) error {
	c.mu.Lock()
	up := c.up
	c.mu.Unlock()
	select {
	case <-up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Conn) open() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users > 0 {
		c.users++
		return nil
	}
	opts, err := c.cfg.options(c.rt)
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	opts = append(opts,
		nats.ConnectHandler(c.resumed),
		nats.ReconnectHandler(c.resumed),
		nats.DisconnectErrHandler(c.lost),
		nats.ErrorHandler(c.asyncError),
	)
	nc, err := nats.Connect(c.cfg.URL, opts...)
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	js, err := jetstream.New(nc,
		jetstream.WithPublishAsyncMaxPending(2*batchSize),
		jetstream.WithPublishAsyncTimeout(ackTimeout),
		jetstream.WithDefaultTimeout(ackTimeout))
	if err != nil {
		nc.Close()
		return fmt.Errorf("bus: %w", err)
	}
	c.users, c.nc, c.js = 1, nc, js
	return nil
}

func (c *Conn) close() {
	c.mu.Lock()
	c.users--
	last, nc := c.users == 0, c.nc
	if last {
		c.nc, c.js = nil, nil
		c.down()
	}
	c.mu.Unlock()
	if last {
		nc.Close()
	}
}

// resumed and lost may be called late by a connection that is no longer ours.
func (c *Conn) resumed(nc *nats.Conn) {
	c.mu.Lock()
	if nc != c.nc {
		c.mu.Unlock()
		return
	}
	select {
	case <-c.up:
	default:
		close(c.up)
	}
	resume := slices.Collect(maps.Values(c.onResume))
	c.mu.Unlock()
	c.rt.Log.Info("connected to NATS")
	for _, f := range resume {
		f()
	}
}

func (c *Conn) lost(nc *nats.Conn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if nc != c.nc {
		return
	}
	c.down()
	c.rt.Log.Warn("connection to NATS lost", "error", err)
}

// down needs c.mu.
func (c *Conn) down() {
	select {
	case <-c.up:
		c.up = make(chan struct{})
	default:
	}
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
		c.mu.Lock()
		resume := slices.Collect(maps.Values(c.onResume))
		c.mu.Unlock()
		for _, f := range resume {
			f()
		}
	}
}

// onResumption calls f after each new connection, until forget is called.
func (c *Conn) onResumption(f func()) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.nextID
	c.nextID++
	c.onResume[id] = f
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.onResume, id)
	}
}

// subscribe must only be called between open and close.
func (c *Conn) subscribe(subject string, handle nats.MsgHandler) (*nats.Subscription, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nc.Subscribe(subject, handle)
}

// jetStream must only be called between open and close.
func (c *Conn) jetStream() jetstream.JetStream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.js
}
