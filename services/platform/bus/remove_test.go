package bus_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// erase marks events, as package erasure does.
func (r *rig) erase(ids ...uuid.UUID) {
	r.t.Helper()
	_, err := r.pool.Exec(r.t.Context(), "UPDATE outbox SET erased = true WHERE id = ANY ($1)", ids)
	errtest.None(r.t, err)
}

func compare(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

func (r *rig) eventuallyPresent(what string, want []uuid.UUID) {
	r.t.Helper()
	want = slices.SortedFunc(slices.Values(want), compare)
	waittest.Seen(r.t, what, func() (bool, string) {
		got := slices.SortedFunc(maps.Values(r.kept()), compare)
		return slices.Equal(got, want) && r.rows("outbox") == len(want), fmt.Sprint(got, " in the stream, ", r.rows("outbox"), " rows; want ", want)
	})
}

func TestErasedEventsAreNowhereAndNeverComeBack(t *testing.T) {
	r := newRig(t)
	replica, stop := r.publisher()
	replica.consume("mail", count("mail"))
	// The first and the last events are those that a stream's numbers tell of.
	gone := r.append(5)
	others := r.append(5)
	gone = append(gone, r.append(5)...)
	r.eventuallyOnce("mail", 15)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	for range 2 {
		r.erase(gone...)
		r.eventuallyPresent("only the others are left", others)
	}
	stop()
	r.nats.Wipe()
	r.publisher()
	r.eventuallyPresent("the stream is refilled", others)
	others = append(others, r.append(1)...)
	r.eventuallyPresent("new events are published", others)
	r.eventuallyOnce("mail", 16)
}

// TestWhatIsMarkedWhenTheStreamIsLostIsNotRefilled: the relay dies between mark and removal.
func TestWhatIsMarkedWhenTheStreamIsLostIsNotRefilled(t *testing.T) {
	r := newRig(t)
	_, stop := r.publisher()
	gone := r.append(5)
	others := r.append(5)
	gone = append(gone, r.append(5)...)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	stop()
	r.erase(gone...)
	r.nats.Wipe()
	r.publisher()
	r.eventuallyPresent("only other people's events are refilled", others)
	if found, err := r.nats.JetStream().Stream(t.Context(), stream); err != nil || found.CachedInfo().State.LastSeq != uint64(len(others)) {
		t.Errorf("%+v, %v: marked events were published", found.CachedInfo().State, err)
	}
}

func TestOnlyWhatIsThereIsDeleted(t *testing.T) {
	r := newRig(t)
	_, stop := r.publisher()
	gone := r.append(5)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	stop()
	r.erase(gone...)
	// The stream is lost, and its places are another's before the relay comes back.
	r.nats.Wipe()
	cfg := jetstream.StreamConfig{Name: stream, Subjects: []string{"fledge.waitlist.>"}, Duplicates: 10 * time.Minute, MaxAge: 7 * 24 * time.Hour}
	_, err := r.nats.JetStream().CreateStream(t.Context(), cfg)
	errtest.None(t, err)
	foreign := r.foreign(6)
	r.publisher()
	waittest.Eventually(t, "the rows are gone", func() bool { return r.rows("outbox") == 0 })
	slices.SortFunc(foreign, compare)
	if got := slices.SortedFunc(maps.Values(r.kept()), compare); !slices.Equal(got, foreign) {
		t.Errorf("%v are left of %v", got, foreign)
	}
}
