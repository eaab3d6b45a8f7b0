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
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
)

// errDuplicate says that the inbox has the event.
var errDuplicate = errors.New("bus: event seen before")

// poison marks an error that comes back however often the event is tried.
type poison struct{ error }

func (p poison) Unwrap() error { return p.error }

// Poison marks err as one that no retry can help: the event goes to dead_letter.
func Poison(err error) error { return poison{err} }

func isPoison(err error) bool {
	if _, marked := errors.AsType[poison](err); marked || errors.Is(err, fault.Invalid) {
		return true
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || isOutage(err) || len(refused.Code) != 5 { // an outage may be of these classes, too
		return false
	}
	switch refused.Code[:2] {
	case "22", "23", "42": // data, constraint, schema
		return true
	}
	return false
}

// isOutage tells an error that is about what the handler needs, not about its event.
func isOutage(err error) bool { return errors.Is(err, fault.Unavailable) || pg.IsAway(err) }

// isLate tells an error that says only that the time was up: of the database's statement, or of the delivery, which
// ctx is. A shorter deadline, such as of a call, is that of what the handler needs.
func isLate(ctx context.Context, err error) bool {
	ended, ok := errors.AsType[*pgconn.PgError](err)
	return ok && ended.Code == "57014" || errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil
}

// deliver handles one message and acknowledges it, or asks for its redelivery.
func (c *consumer) deliver(ctx context.Context, msg jetstream.Msg) {
	if ctx.Err() != nil {
		c.logAckError(msg.Nak())
		return
	}
	err := c.attempt(ctx, msg)
	if err == nil {
		c.logAckError(msg.Ack())
		return
	}
	delay := c.backoff(msg)
	c.log.WarnContext(ctx, "event handler failed, the event will be redelivered", "type", msg.Subject(), "id", msg.Headers().Get(headerID), "delay", delay, "error", err)
	c.logAckError(msg.NakWithDelay(delay))
}

// attempt tries an event and returns an error if it has to be redelivered.
func (c *consumer) attempt(ctx context.Context, msg jetstream.Msg) error {
	// A handler that has begun may finish while the service stops, but not beyond the
	// time at which the server redelivers the message to another replica.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.AckWait*2/3)
	defer cancel()
	ctx, span := c.traceDelivery(ctx, msg)
	defer span.End()
	result, err := c.process(ctx, msg)
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

func (c *consumer) traceDelivery(ctx context.Context, msg jetstream.Msg) (context.Context, trace.Span) {
	return c.conn.startSpan(obs.WithTraceparent(ctx, msg.Headers().Get(headerTraceparent)), "consume "+msg.Subject(), trace.SpanKindConsumer,
		attribute.String("messaging.consumer.group.name", c.Name), attribute.String("messaging.message.id", msg.Headers().Get(headerID)))
}

// logAckError logs a failed acknowledgement. It leads to a redelivery, which the inbox
// deduplicates.
func (c *consumer) logAckError(err error) {
	if err != nil {
		c.log.Debug("an acknowledgement could not be sent", "error", err)
	}
}

// process returns what became of the event, and why if it is no good.
func (c *consumer) process(ctx context.Context, msg jetstream.Msg) (result string, err error) {
	ev, err := decode(msg.Subject(), msg.Headers(), msg.Data())
	if err == nil {
		err = c.apply(ctx, ev)
	} else {
		err = Poison(err)
	}
	failed := 0
	switch {
	case err == nil:
		c.failures.pass()
		c.conn.metrics.lag.WithLabelValues(c.Name).Observe(c.conn.rt.Clock.Now().Sub(ev.Time).Seconds())
		return resultApplied, nil
	case errors.Is(err, errDuplicate):
		return resultDuplicate, nil
	case isPoison(err):
	case isLate(ctx, err):
		if failed = c.failures.addLate(msg); failed < maxLate {
			return resultRetried, err
		}
	case isOutage(err):
		return resultRetried, err
	default:
		if failed = c.failures.add(msg); failed < maxTries {
			return resultRetried, err
		}
	}
	c.log.ErrorContext(ctx, "event moved to dead_letter", "type", msg.Subject(), "id", ev.ID, "failures", failed, "error", err)
	original := &nats.Msg{Subject: msg.Subject(), Header: msg.Headers(), Data: msg.Data()}
	// The time for the event may be up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.AckWait/4)
	defer cancel()
	if storeErr := c.deadLetter(ctx, ev.ID, original, err); storeErr != nil {
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
	delay := c.maxBackoff
	tries := uint64(1)
	if meta, err := msg.Metadata(); err == nil {
		tries = meta.NumDelivered
	}
	if tries < 16 {
		delay = min(delay, 125*time.Millisecond<<tries)
	}
	return delay/2 + rand.N(delay/2)
}
