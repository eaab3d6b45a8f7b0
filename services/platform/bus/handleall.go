package bus

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	// sharedMessages is how many messages wait in this process that may share a transaction.
	sharedMessages = 128
	// sharedEvents is how many events a transaction takes before it takes no more messages.
	sharedEvents = 512
)

// collect takes the messages that have arrived after the first one, without waiting for
// more. It reports whether it stopped because that is enough.
func collect(first delivery, queue <-chan delivery) (all []delivery, full bool) {
	all = []delivery{first}
	for events := len(first.events); len(all) < sharedMessages && events < sharedEvents; {
		select {
		case d, ok := <-queue:
			if !ok {
				return all, false
			}
			all, events = append(all, d), events+len(d.events)
		default:
			return all, false
		}
	}
	return all, true
}

// deliverAll settles messages that have arrived: it applies their events in one transaction
// or, if that fails, each by itself, so that a bad event does not delay the others.
func (c *consumer) deliverAll(ctx context.Context, all []delivery) {
	var events []inbound
	for _, d := range all {
		events = append(events, d.events...)
	}
	if len(events) > 1 && ctx.Err() == nil {
		err := c.shareTransaction(ctx, events)
		if err == nil {
			for _, d := range all {
				c.logAckError(d.Ack())
			}
			return
		}
		c.log.DebugContext(ctx, "events fail together, each is tried by itself", "events", len(events), "error", err)
	}
	for _, d := range all {
		c.deliver(ctx, d)
	}
}

// shareTransaction applies all events or none. It leaves time for another try
// before the server gives them to somebody else.
func (c *consumer) shareTransaction(ctx context.Context, arrived []inbound) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.AckWait/4)
	defer cancel()
	events := make([]Event, len(arrived))
	for i, in := range arrived {
		var err error
		if events[i], err = in.decode(); err != nil {
			return err
		}
		_, span := c.traceDelivery(ctx, in)
		defer span.End()
	}
	var fresh []Event
	err := pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) (err error) {
		fresh, err = receiveAll(ctx, tx, c.Name, events)
		if err != nil || len(fresh) == 0 {
			return err
		}
		return c.handleAll(ctx, tx, fresh)
	})
	if err != nil {
		return err
	}
	for _, ev := range fresh {
		c.conn.metrics.lag.WithLabelValues(c.Name).Observe(c.conn.rt.Clock.Now().Sub(ev.Time).Seconds())
	}
	c.conn.metrics.deliveries.WithLabelValues(c.Name, resultApplied).Add(float64(len(fresh)))
	c.conn.metrics.deliveries.WithLabelValues(c.Name, resultDuplicate).Add(float64(len(events) - len(fresh)))
	return nil
}

// In the order of the ids, so that replicas with the same events wait for each other
// and not in a circle.
const insertInboxAll = `INSERT INTO inbox (consumer, event_id)
	SELECT $1, id FROM unnest($2::uuid[]) AS id ORDER BY id
	ON CONFLICT DO NOTHING RETURNING event_id`

// receiveAll writes the inbox rows and returns the events that were not there yet.
func receiveAll(ctx context.Context, tx pgx.Tx, consumer string, events []Event) ([]Event, error) {
	ids := make([]uuid.UUID, len(events))
	for i, ev := range events {
		ids[i] = ev.ID
	}
	rows, err := tx.Query(ctx, insertInboxAll, consumer, ids)
	if err != nil {
		return nil, fmt.Errorf("bus: write the inbox: %w", err)
	}
	received, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("bus: write the inbox: %w", err)
	}
	isNew := make(map[uuid.UUID]bool, len(received))
	for _, id := range received {
		isNew[id] = true
	}
	var fresh []Event
	for _, ev := range events {
		if isNew[ev.ID] {
			fresh = append(fresh, ev)
			delete(isNew, ev.ID) // a message may come twice at once
		}
	}
	return fresh, nil
}

func (c *consumer) handleAll(ctx context.Context, tx pgx.Tx, events []Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.log.ErrorContext(ctx, "event handler panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return c.HandleAll(ctx, tx, events)
}
