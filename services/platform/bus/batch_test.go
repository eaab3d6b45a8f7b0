package bus_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"fledge.dev/services/platform/waittest"
)

// inPlace fails the test unless n events are published, each where the outbox says, and
// nothing else is. It returns how many went together with others.
func (r *rig) inPlace(n int) (together int) {
	r.t.Helper()
	waittest.Seen(r.t, "all is published", func() (bool, string) { return r.pending() == 0, fmt.Sprint(r.pending(), " wait") })
	if got := r.stored(); got != n {
		r.t.Errorf("the stream has %d messages, want %d", got, n)
	}
	messages, err := r.nats.JetStream().Stream(r.t.Context(), stream)
	if err != nil {
		r.t.Fatal(err)
	}
	rows, err := r.pool.Query(r.t.Context(), "SELECT id, stream_seq FROM outbox")
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		var place uint64
		if err := rows.Scan(&id, &place); err != nil {
			r.t.Fatal(err)
		}
		msg, err := messages.GetMsg(r.t.Context(), place)
		if err != nil {
			r.t.Fatal(err)
		}
		if got := msg.Header.Get(nats.MsgIdHdr); got != id.String() {
			r.t.Fatalf("at %d is %s, want %s", place, got, id)
		}
		if msg.Header.Get("Nats-Batch-Id") != "" {
			together++
		}
	}
	if err := rows.Err(); err != nil {
		r.t.Fatal(err)
	}
	return together
}

func TestManyEventsGoTogetherAndFewByThemselves(t *testing.T) {
	r := newRig(t)
	r.append(600)
	replica := r.replica()
	replica.run(replica.conn.Relay(r.pool))
	if together := r.inPlace(600); together != 600 {
		t.Errorf("%d of 600 went together", together)
	}
	r.append(3)
	if together := r.inPlace(603); together != 600 {
		t.Errorf("%d of 603 went together, want the first 600", together)
	}
	if got := replica.metric("bus_published_total"); got != 603 {
		t.Errorf("counted %v", got)
	}
}

// TestWhatIsThereAlreadyIsNotPublishedAgain: the relay ended before it had marked what
// the stream had acknowledged, or the acknowledgement was lost.
func TestWhatIsThereAlreadyIsNotPublishedAgain(t *testing.T) {
	r := newRig(t)
	r.append(100)
	first := r.replica()
	stop := first.run(first.conn.Relay(r.pool))
	r.inPlace(100)
	stop()
	if _, err := r.pool.Exec(t.Context(), "UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE stream_seq % 2 = 0"); err != nil {
		t.Fatal(err)
	}
	r.append(50)
	second := r.replica()
	second.run(second.conn.Relay(r.pool))
	if together := r.inPlace(150); together != 100 {
		t.Errorf("%d went together, want the first 100: a batch with one that is there is refused", together)
	}
}
