package bus_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/waittest"
)

// consumeAll consumes with a handler of many events, each of which has its effect.
func (r *replica) consumeAll(before func(events []bus.Event) error) {
	r.t.Helper()
	effect := count("mail")
	r.run(r.conn.Consumer(r.pool, bus.ConsumerSpec{
		Name: "mail", Stream: stream, Subjects: []string{"fledge.waitlist.>"}, MaxBackoff: 200 * time.Millisecond,
		AckWait: 8 * time.Second, // of which a transaction of many has a quarter
		HandleAll: func(ctx context.Context, tx pgx.Tx, events []bus.Event) error {
			if err := before(events); err != nil {
				return err
			}
			for _, ev := range events {
				if err := effect(ctx, tx, ev); err != nil {
					return err
				}
			}
			return nil
		},
	}))
}

// published appends events and waits until all of them are in the stream.
func (r *replica) published(events ...bus.Event) {
	r.t.Helper()
	r.run(r.conn.Relay(r.pool))
	r.appendEvents(events...)
	waittest.Seen(r.t, "all are published", func() (bool, string) {
		n := r.metric("bus_published_total")
		return n == float64(len(events)), fmt.Sprint(n)
	})
}

func manyJoined(n int) (events []bus.Event) {
	for range n {
		events = append(events, userJoined(uuid.NewString()))
	}
	return events
}

func TestEventsThatHaveArrivedShareTransactions(t *testing.T) {
	replica := newRig(t).replica()
	replica.published(manyJoined(300)...)
	var transactions atomic.Int32
	replica.consumeAll(func([]bus.Event) error { transactions.Add(1); return nil })
	replica.eventuallyOnce("mail", 300)
	if n := transactions.Load(); n >= 150 {
		t.Errorf("300 events took %d transactions", n)
	}
	waittest.Seen(t, "all are counted", func() (bool, string) {
		n := replica.metric("bus_deliveries_total", "result", "applied")
		return n == 300, fmt.Sprint(n)
	})
}

func TestOneThatFailsKeepsNoOtherBack(t *testing.T) {
	replica := newRig(t).replica()
	events := manyJoined(60)
	events[10].Version, events[40].Version = 101, 102
	replica.published(events...)
	replica.consumeAll(func(events []bus.Event) error {
		for _, ev := range events {
			switch ev.Version {
			case 101:
				return bus.Poison(errors.New("no such thing"))
			case 102:
				panic("nil map")
			}
		}
		return nil
	})
	replica.eventuallyOnce("mail", 58)
	waittest.Seen(t, "both are dead letters", func() (bool, string) { return replica.letters() == 2, fmt.Sprint(replica.letters()) })
}

func TestLostAcknowledgementsOfManyHaveOneEffectEach(t *testing.T) {
	replica := newRig(t).replica()
	replica.published(manyJoined(60)...)
	var stopped atomic.Bool
	replica.consumeAll(func(events []bus.Event) error {
		if len(events) > 1 && !stopped.Swap(true) {
			replica.nats.Stop() // the transaction commits, but cannot be acknowledged
		}
		return nil
	})
	waittest.Seen(t, "many were under way", func() (bool, string) { return stopped.Load(), "none yet" })
	replica.nats.Restart()
	replica.eventuallyOnce("mail", 60)
	waittest.Seen(t, "some were redelivered", func() (bool, string) {
		n := replica.metric("bus_deliveries_total", "result", "duplicate")
		return n > 0, fmt.Sprint(n)
	})
	replica.eventuallyOnce("mail", 60)
}
