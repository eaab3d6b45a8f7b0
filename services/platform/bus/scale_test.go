package bus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

// delays are how long events took to their effects.
type delays struct {
	mu  sync.Mutex
	all []time.Duration
}

func (d *delays) note(ev bus.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, time.Since(ev.Time))
}

// within fails the test when more than one in 100 events took longer. Times only count in
// `make events`, on a quiet machine.
func (d *delays) within(t *testing.T, limit time.Duration) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.all)
	late := d.all[(len(d.all)-1)*99/100]
	t.Logf("%d events: half of them had their effect after %v, p99 after %v, the last after %v",
		len(d.all), d.all[len(d.all)/2], late, d.all[len(d.all)-1])
	if late > limit && *bus.Many > bus.Few {
		t.Errorf("p99 is %v, more than %v", late, limit)
	}
}

// appendSteadily writes so many events each hundredth of a second.
func (r *rig) appendSteadily(events []bus.Event, together int) {
	r.t.Helper()
	clock := time.NewTicker(10 * time.Millisecond)
	defer clock.Stop()
	for some := range slices.Chunk(events, together) {
		<-clock.C
		r.appendEvents(some...)
	}
}

// TestOneInAHundredIsPoison: the others are not held up, the poison is kept, and has its
// effect once when its cause is fixed.
func TestOneInAHundredIsPoison(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	replica.run(replica.conn.Relay(r.pool))
	var fixed atomic.Bool
	var took delays
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		if ev.Version == 2 && !fixed.Load() {
			return bus.Poison(errors.New("no such thing"))
		}
		if ev.Version == 1 {
			took.note(ev)
		}
		return effect(ctx, tx, ev)
	})
	events := manyJoined(*bus.Many)
	poison := 0
	for i := range events {
		if i%100 == 0 {
			events[i].Version = 2
			poison++
		}
	}
	r.appendSteadily(events, 5)
	r.eventuallyOnce("mail", len(events)-poison)
	waittest.Seen(t, "poison is a dead letter", func() (bool, string) { return r.letters() == poison, fmt.Sprint(r.letters()) })
	took.within(t, 5*time.Second)

	fixed.Store(true)
	if n := r.redrive(); int(n) != poison {
		t.Fatalf("redrove %d", n)
	}
	r.eventuallyOnce("mail", len(events))
	if r.letters() != 0 {
		t.Errorf("%d letters are left", r.letters())
	}
}

// TestABacklogIsWorkedOffAfterAnOutage of twenty times as long as a message may stay
// without an answer: nothing is given up.
func TestABacklogIsWorkedOffAfterAnOutage(t *testing.T) {
	const ackWait = 100 * time.Millisecond
	r := newRig(t)
	cfg := r.config()
	cfg.AckWait = ackWait
	replica := r.replicaWith(cfg)
	var back atomic.Bool
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		if !back.Load() {
			return fault.New(fault.Unavailable, "away", "The database is away.")
		}
		return effect(ctx, tx, ev)
	})
	replica.run(replica.conn.Relay(r.pool))
	for some := range slices.Chunk(manyJoined(*bus.Many), 500) {
		r.appendEvents(some...)
	}
	<-time.After(20 * ackWait)
	if total, _ := r.effects("mail"); total != 0 || r.letters() != 0 {
		t.Fatalf("in the outage: %d effects, %d letters", total, r.letters())
	}
	back.Store(true)
	began := time.Now()
	r.eventuallyOnce("mail", *bus.Many)
	t.Logf("%d events were worked off in %v", *bus.Many, time.Since(began))
	if r.letters() != 0 {
		t.Errorf("%d letters", r.letters())
	}
}

// TestEffectsFollowSoon at a hundred events a second.
func TestEffectsFollowSoon(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	replica.run(replica.conn.Relay(r.pool))
	var took delays
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		took.note(ev)
		return effect(ctx, tx, ev)
	})
	r.append(1)
	r.eventuallyOnce("mail", 1)
	r.appendSteadily(manyJoined(*bus.Many), 1)
	r.eventuallyOnce("mail", *bus.Many+1)
	took.within(t, time.Second)
}
