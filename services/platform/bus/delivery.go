package bus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"fledge.dev/services/platform/fault"
)

// ErrIgnored says that a handler does not deal with the event's type.
var ErrIgnored = errors.New("bus: event ignored")

// errDuplicate says that the inbox has the event.
var errDuplicate = errors.New("bus: event seen before")

// poison marks an error that comes back however often the event is tried.
type poison struct{ error }

func (p poison) Unwrap() error { return p.error }

// Poison marks err as one that no retry can help: the event goes to dead_letter.
func Poison(err error) error { return poison{err} }

func isPoison(err error) bool {
	_, marked := errors.AsType[poison](err)
	return marked || errors.Is(err, fault.Invalid)
}

// delivery is a message in this process's hands, with its events.
type delivery struct {
	jetstream.Msg
	events []inbound
}

func received(msg jetstream.Msg) delivery {
	return delivery{msg, open(&nats.Msg{Subject: msg.Subject(), Header: msg.Headers(), Data: msg.Data()})}
}

// deliver handles one message and acknowledges it, or asks for its redelivery. Each event of a bundle
// is tried; at a redelivery the inbox skips those that have been handled.
func (c *consumer) deliver(ctx context.Context, d delivery) {
	var failure error
	held := time.Now()
	for _, in := range d.events {
		if ctx.Err() != nil {
			c.logAckError(d.Nak())
			return
		}
		// From here each event has its own time.
		if time.Since(held) > c.AckWait/4 {
			c.logAckError(d.InProgress())
			held = time.Now()
		}
		if err := c.attempt(ctx, in); err != nil {
			failure = fmt.Errorf("event %s: %w", in.ID, err)
		}
	}
	if failure == nil {
		c.logAckError(d.Ack())
		return
	}
	delay := c.backoff(d)
	c.log.WarnContext(ctx, "event handler failed, the event will be redelivered", "type", d.Subject(), "delay", delay, "error", failure)
	c.logAckError(d.NakWithDelay(delay))
}

// attempt tries an event and returns an error if it has to be redelivered.
func (c *consumer) attempt(ctx context.Context, in inbound) error {
	// A handler that has begun may finish while the service stops, but not beyond the
	// time at which the server redelivers the message to another replica.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.AckWait*2/3)
	defer cancel()
	ctx, span := c.traceDelivery(ctx, in)
	defer span.End()
	result, err := c.process(ctx, in)
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, "event failed")
	}
	c.conn.metrics.deliveries.WithLabelValues(c.Name, result).Inc()
	if result == resultRetried {
		return err
	}
	return nil
}

func (c *consumer) traceDelivery(ctx context.Context, in inbound) (context.Context, trace.Span) {
	return c.conn.startSpan(within(ctx, in.Traceparent), "consume "+in.Type, trace.SpanKindConsumer,
		attribute.String("messaging.consumer.group.name", c.Name), attribute.String("messaging.message.id", in.ID.String()))
}

// logAckError logs a failed acknowledgement. It leads to a redelivery, which the inbox
// deduplicates.
func (c *consumer) logAckError(err error) {
	if err != nil {
		c.log.Debug("an acknowledgement could not be sent", "error", err)
	}
}

// process returns what became of the event, and why if it is no good.
func (c *consumer) process(ctx context.Context, in inbound) (result string, err error) {
	ev, err := in.decode()
	if errors.Is(err, errUnknownType) {
		return resultIgnored, nil
	}
	if err == nil {
		err = c.apply(ctx, ev)
	} else {
		err = Poison(err)
	}
	switch {
	case err == nil:
		c.conn.metrics.lag.WithLabelValues(c.Name).Observe(c.conn.rt.Clock.Now().Sub(ev.Time).Seconds())
		return resultApplied, nil
	case errors.Is(err, errDuplicate):
		return resultDuplicate, nil
	case errors.Is(err, ErrIgnored):
		return resultIgnored, nil
	}
	if !isPoison(err) {
		return resultRetried, err
	}
	c.log.ErrorContext(ctx, "event moved to dead_letter", "type", in.Type, "id", in.ID, "error", err)
	if storeErr := c.deadLetter(ctx, in, err); storeErr != nil {
		return resultRetried, storeErr
	}
	return resultDead, err
}

// apply runs the handler and writes the inbox row in one transaction.
func (c *consumer) apply(ctx context.Context, ev Event) error {
	return pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		if err := receive(ctx, tx, c.Name, ev.ID); err != nil {
			return err
		}
		return c.handle(ctx, tx, ev)
	})
}

const insertInbox = "INSERT INTO inbox (consumer, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"

// receive writes the inbox row or returns errDuplicate. While another replica
// holds the same event, it waits for that one's outcome.
func receive(ctx context.Context, tx pgx.Tx, consumer string, id uuid.UUID) error {
	tag, err := tx.Exec(ctx, insertInbox, consumer, id)
	if err != nil {
		return fmt.Errorf("bus: write the inbox: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errDuplicate
	}
	return nil
}

// handle turns a panic of the handler into poison: a fault in its code would
// otherwise take the whole service down, again and again.
func (c *consumer) handle(ctx context.Context, tx pgx.Tx, ev Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.ErrorContext(ctx, "event handler panicked", "panic", p, "stack", string(debug.Stack()))
			err = Poison(fmt.Errorf("panic: %v", p))
		}
	}()
	return c.Handle(ctx, tx, ev)
}

// backoff doubles from a quarter of a second, with jitter so that a backlog
// does not come back all at once.
func (c *consumer) backoff(msg jetstream.Msg) time.Duration {
	delay := c.MaxBackoff
	if meta, err := msg.Metadata(); err == nil && meta.NumDelivered < 16 {
		delay = min(delay, 125*time.Millisecond<<meta.NumDelivered)
	}
	return delay/2 + rand.N(delay/2)
}
