package bus_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/events/waitlist/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

// inPlace fails the test unless all events are published, each where the outbox says.
func (r *rig) inPlace() {
	r.t.Helper()
	waittest.Seen(r.t, "all is published", func() (bool, string) { return r.pending() == 0, fmt.Sprint(r.pending(), " wait") })
	there := map[uuid.UUID]map[int64]bool{}
	for place, ids := range r.kept() {
		for _, id := range ids {
			if there[id] == nil {
				there[id] = map[int64]bool{}
			}
			there[id][int64(place+1)] = true
		}
	}
	rows, err := r.pool.Query(r.t.Context(), "SELECT id, stream_seq FROM outbox")
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		var place int64
		if err := rows.Scan(&id, &place); err != nil {
			r.t.Fatal(err)
		}
		if !there[id][place] {
			r.t.Fatalf("%s is at %v, not at %d", id, there[id], place)
		}
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
}

func TestEventsThatWaitTravelTogether(t *testing.T) {
	r := newRig(t)
	r.append(600)
	replica := r.replica()
	replica.run(replica.conn.Relay(r.pool))
	r.inPlace()
	if events, messages := r.stored(), len(r.kept()); events != 600 || messages != 3 {
		t.Errorf("%d events in %d messages, want 600 in 3", events, messages)
	}
	r.append(1)
	r.inPlace()
	if kept := r.kept(); len(kept) != 4 || len(kept[3]) != 1 {
		t.Errorf("an event alone went as %v", kept[3:])
	}
	if got := replica.metric("bus_published_total"); got != 601 {
		t.Errorf("counted %v", got)
	}
}

// TestWhatIsThereAlreadyHasOneEffect: the relay ended before it had marked what the stream
// had acknowledged, or the acknowledgement was lost. The same bundle is not kept again; one
// that is made up otherwise is, and the inbox knows its events.
func TestWhatIsThereAlreadyHasOneEffect(t *testing.T) {
	r := newRig(t)
	r.append(100)
	first := r.replica()
	stop := first.run(first.conn.Relay(r.pool))
	first.consume("mail", count("mail"))
	r.inPlace()
	stop()
	unmark := func(which string) {
		if _, err := r.pool.Exec(t.Context(), "UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE "+which); err != nil {
			t.Fatal(err)
		}
	}
	unmark("true")
	second := r.replica()
	stop = second.run(second.conn.Relay(r.pool))
	r.inPlace()
	if n := r.stored(); n != 100 {
		t.Errorf("the same bundles again make %d events", n)
	}
	stop()
	unmark("seq % 3 = 0")
	r.append(50)
	third := r.replica()
	third.run(third.conn.Relay(r.pool))
	r.inPlace()
	if n := r.stored(); n != 100+33+50 {
		t.Errorf("the stream has %d events", n)
	}
	r.eventuallyOnce("mail", 150)
	waittest.Seen(t, "what came twice is known", func() (bool, string) {
		n := first.metric("bus_deliveries_total", "result", "duplicate")
		return n == 33, fmt.Sprint(n)
	})
	r.eventuallyOnce("mail", 150)
}

// TestOneOfABundleThatHasToComeAgainKeepsNoOtherBack, and those that had their effect have
// no other one when the bundle is redelivered.
func TestOneOfABundleThatHasToComeAgainKeepsNoOtherBack(t *testing.T) {
	replica := newRig(t).replica()
	events := manyJoined(20)
	events[5].Version = 101
	replica.published(events...)
	if kept := replica.kept(); len(kept) != 1 {
		t.Fatalf("20 events in %d messages", len(kept))
	}
	var back atomic.Bool
	var tries atomic.Int32
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		if ev.Version == 101 && !back.Load() {
			tries.Add(1)
			return fault.New(fault.Unavailable, "away", "Not now.")
		}
		return effect(ctx, tx, ev)
	})
	replica.eventuallyOnce("mail", 19)
	waittest.Seen(t, "it is redelivered", func() (bool, string) { return tries.Load() > 2, fmt.Sprint(tries.Load()) })
	back.Store(true)
	replica.eventuallyOnce("mail", 20)
}

// TestABundleFitsAMessage however large its events are.
func TestABundleFitsAMessage(t *testing.T) {
	r := newRig(t)
	events := manyJoined(40)
	for i := range events {
		events[i].Payload = &waitlistv1.UserJoined{UserId: "1", Email: "ada@example.test", Source: strings.Repeat("x", 1+i*(30<<10)/len(events))}
	}
	r.appendEvents(events...)
	replica := r.replica()
	replica.run(replica.conn.Relay(r.pool))
	r.inPlace()
	if events, messages := r.stored(), len(r.kept()); events != 40 || messages < 3 || messages > 5 {
		t.Errorf("%d events in %d messages", events, messages)
	}
}
