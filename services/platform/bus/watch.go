package bus

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"

	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// WatchSpec describes a look at events that every replica takes for itself, to
// drop what it has cached.
type WatchSpec struct {
	// Name appears in logs and metrics.
	Name string
	// Type is the type of the events.
	Type string
	// Handle is called for each event, one after the other. It has no
	// transaction and no second try.
	Handle func(ctx context.Context, ev Event)
	// Reset is called whenever events may have been missed: at each new
	// connection and when this process was too slow. It must drop everything.
	Reset func()
}

// Watch calls spec's functions while NATS is there. Nothing is stored and
// nothing repeated: what a watch keeps must also expire by time.
func (c *Conn) Watch(spec WatchSpec) service.Unit {
	w := &watch{WatchSpec: spec, conn: c, log: c.rt.Log.With("watch", spec.Name)}
	c.resets = append(c.resets, spec.Reset)
	return service.Background("watch "+spec.Name, w.run)
}

type watch struct {
	WatchSpec
	conn *Conn
	log  *slog.Logger
}

// run subscribes once; the client library renews subscriptions by itself.
func (w *watch) run(ctx context.Context) {
	nc, _ := w.conn.current()
	sub, err := nc.Subscribe(w.Type, func(msg *nats.Msg) { w.receive(ctx, msg) })
	if err != nil {
		w.conn.rt.Fail(fmt.Errorf("watch %s: %w", w.Name, err))
		return
	}
	defer func() { _ = sub.Unsubscribe() }()
	w.Reset()
	<-ctx.Done()
}

func (w *watch) receive(ctx context.Context, msg *nats.Msg) {
	result := resultApplied
	if ev, err := decode(msg.Subject, msg.Header, msg.Data); err == nil {
		w.Handle(obs.WithTraceparent(ctx, msg.Header.Get(headerTraceparent)), ev)
	} else {
		result = resultDead
		w.log.Warn("unreadable event", "type", msg.Subject, "error", err)
		w.Reset()
	}
	w.conn.metrics.deliveries.WithLabelValues(w.Name, result).Inc()
}
