package bus_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// A stream that is restored from a backup and then grows beyond where it was,
// by messages that no relay has marked, looks whole by its numbers alone.
func TestStreamThatWasSetBackAndHasGrownIsRefilled(t *testing.T) {
	r := newRig(t)
	_, stop := r.publisher()
	r.append(5)
	waittest.Seen(t, "all is published", func() (bool, string) { return r.stored() == 5 && r.pending() == 0, fmt.Sprint(r.stored()) })
	setBack := r.nats.Backup()
	r.append(10)
	waittest.Seen(t, "all is published", func() (bool, string) { return r.stored() == 15 && r.pending() == 0, fmt.Sprint(r.stored()) })
	stop()

	setBack()
	r.foreign(20)
	r.publisher()
	waittest.Seen(t, "the lost ones are there again", func() (bool, string) {
		n := r.stored()
		// The first five are there already, and the stream knows them.
		return n == 5+20+10 && r.pending() == 0, fmt.Sprint(n, " events, ", r.pending(), " wait")
	})
	r.inPlace()
}

// inPlace: each event is where the outbox says that it is.
func (r *rig) inPlace() {
	r.t.Helper()
	waittest.Seen(r.t, "all is published", func() (bool, string) { return r.pending() == 0, fmt.Sprint(r.pending(), " wait") })
	kept := r.kept()
	var ids []uuid.UUID
	var places []int
	r.query("SELECT array_agg(id), array_agg(stream_seq) FROM outbox", nil, &ids, &places)
	for i, place := range places {
		if kept[place] != ids[i] {
			r.t.Errorf("%s is not at %d of %d", ids[i], place, len(kept))
		}
	}
}

// foreign has messages in the stream that no relay has published.
func (r *rig) foreign(n int) (ids []uuid.UUID) {
	r.t.Helper()
	for range n {
		ids = append(ids, uuid.New())
		_, err := r.nats.JetStream().PublishMsg(r.t.Context(), &nats.Msg{Subject: acted, Header: nats.Header{nats.MsgIdHdr: {ids[len(ids)-1].String()}}})
		errtest.None(r.t, err)
	}
	return ids
}

// TestWhatIsThereAlreadyHasOneEffect: the relay ended before it had marked what the stream
// had acknowledged, or the acknowledgement was lost. The stream does not keep an event twice.
func TestWhatIsThereAlreadyHasOneEffect(t *testing.T) {
	r := newRig(t)
	r.append(100)
	first, stop := r.publisher()
	first.consume("mail", count("mail"))
	r.inPlace()
	stop()
	for _, which := range []string{"true", "seq % 3 = 0"} {
		if _, err := r.pool.Exec(t.Context(), "UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE "+which); err != nil {
			t.Fatal(err)
		}
		r.append(50)
		_, stop := r.publisher()
		r.inPlace()
		stop()
	}
	if n := r.stored(); n != 200 {
		t.Errorf("the stream has %d events", n)
	}
	r.eventuallyOnce("mail", 200)
}
