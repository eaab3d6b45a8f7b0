package bus_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	erasurev1 "fledge.dev/proto/gen/go/fledge/events/erasure/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

const (
	ann   = "0192f8a0-7a3b-7c1d-9e2f-00112233aabb"
	joann = "0192f8a0-7a3b-7c1d-9e2f-00112233aabc"
)

// mentioning are events about a person, of each form in which an event can mention one.
func mentioning(id, email string) []bus.Event {
	action := func(subject string, payload *auditv1.StaffAction) bus.Event {
		return bus.Event{Type: acted, Subject: subject, Version: 1, Payload: payload}
	}
	return []bus.Event{
		action(id, &auditv1.StaffAction{}),
		action("1", &auditv1.StaffAction{ActorId: id}),
		action("2", &auditv1.StaffAction{SubjectLabel: strings.ToUpper(email)}),
		action("3", &auditv1.StaffAction{Before: `{"emails": ["` + email + `"]}`}),
		action("4", &auditv1.StaffAction{After: `{"by": "` + id + `"}`, UserAgent: "x"}),
	}
}

func (r *rig) erase(words ...string) error {
	return r.eraseWith(bus.NewEraser(r.pool), uuid.New(), words...)
}

func (r *rig) eraseWith(e *bus.Eraser, request uuid.UUID, words ...string) error {
	return pgx.BeginFunc(r.t.Context(), r.pool, func(tx pgx.Tx) error { return e.Erase(r.t.Context(), tx, request, words...) })
}

// present are the events that the stream holds, in the order of their ids.
func (r *rig) present() (ids []uuid.UUID) {
	r.t.Helper()
	found, err := r.nats.JetStream().Stream(r.t.Context(), stream)
	if err != nil {
		return nil
	}
	for place := range found.CachedInfo().State.LastSeq {
		msg, err := found.GetMsg(r.t.Context(), place+1)
		switch {
		case err == nil:
			ids = append(ids, uuid.MustParse(msg.Header.Get(nats.MsgIdHdr)))
		case !errors.Is(err, jetstream.ErrMsgNotFound):
			r.t.Fatal(err)
		}
	}
	slices.SortFunc(ids, compare)
	return ids
}

func compare(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

func (r *rig) eventuallyPresent(what string, want []uuid.UUID) {
	r.t.Helper()
	want = slices.SortedFunc(slices.Values(want), compare)
	waittest.Seen(r.t, what, func() (bool, string) {
		got := r.present()
		return slices.Equal(got, want) && r.rows("outbox") == len(want), fmt.Sprint(got, " in the stream, ", r.rows("outbox"), " rows; want ", want)
	})
}

func TestErasedEventsAreNowhereAndNeverComeBack(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	stop := replica.run(replica.conn.Relay(r.pool))
	replica.consume("mail", count("mail"))
	r.appendEvents(mentioning(ann, "ann@example.com")...)
	others := r.appendEvents(mentioning(joann, "joann@example.com")...)
	others = append(others, r.appendEvents(
		bus.Event{Type: "fledge.waitlist.v1.user.erased", Subject: ann, Payload: &erasurev1.UserErased{UserId: ann}},
		bus.Event{Type: acted, Subject: "5", Payload: &auditv1.StaffAction{SubjectLabel: "ann@example.com.au", UserAgent: "not ann@example.com"}},
		bus.Event{Type: acted, Subject: "6", Payload: &auditv1.StaffAction{SubjectLabel: "annyx@example.com"}},
	)...)
	r.appendEvents(mentioning(ann, "ann@example.com")...)
	r.appendEvents(
		bus.Event{Type: acted, Subject: "7", Payload: &auditv1.StaffAction{SubjectLabel: "ann_x@example.com"}},
		bus.Event{Type: acted, Subject: "8", Payload: &auditv1.StaffAction{SubjectLabel: `an%\x@example.com`}},
	)
	r.eventuallyOnce("mail", 19)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	for range 2 {
		if err := r.erase(ann, "ann@example.com", "ann_x@example.com", `an%\x@example.com`); err != nil {
			t.Fatal(err)
		}
		r.eventuallyPresent("only other people's events are left", others)
	}
	if found := erasuretest.Search(t, r.pool, "ann@example.com"); len(found) != 1 || found[0] != "outbox.payload" {
		t.Errorf("the address is in %q, and belongs into one payload that only speaks of it", found)
	}

	stop()
	r.nats.Wipe()
	again := r.replica()
	again.run(again.conn.Relay(r.pool))
	r.eventuallyPresent("the stream is refilled", others)
	others = append(others, r.appendEvents(staffAction("6"))...)
	r.eventuallyPresent("new events are published", others)
	r.eventuallyOnce("mail", 19)
}

// TestWhatIsMarkedWhenTheStreamIsLostIsNotRefilled: the relay dies between mark and removal.
func TestWhatIsMarkedWhenTheStreamIsLostIsNotRefilled(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	stop := replica.run(replica.conn.Relay(r.pool))
	// The first and the last events are those that a stream's numbers tell of.
	r.appendEvents(mentioning(ann, "ann@example.com")...)
	others := r.appendEvents(mentioning(joann, "joann@example.com")...)
	r.appendEvents(mentioning(ann, "ann@example.com")...)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	stop()
	if err := r.erase(ann, "ann@example.com"); err != nil {
		t.Fatal(err)
	}
	r.nats.Wipe()
	again := r.replica()
	again.run(again.conn.Relay(r.pool))
	r.eventuallyPresent("only other people's events are refilled", others)
	if found, err := r.nats.JetStream().Stream(t.Context(), stream); err != nil || found.CachedInfo().State.LastSeq != uint64(len(others)) {
		t.Errorf("%+v, %v: marked events were published", found.CachedInfo().State, err)
	}
}

func TestEventsThatAreNotPublishedAreErasedLater(t *testing.T) {
	r := newRig(t)
	waiting := r.appendEvents(mentioning(ann, "ann@example.com")...)
	if err := r.erase(ann); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("erased with %v what nobody has read", err)
	}
	if err := r.erase(joann, "joann@example.com"); err != nil {
		t.Errorf("another person waits for it: %v", err)
	}
	replica := r.replica()
	replica.run(replica.conn.Relay(r.pool))
	r.eventuallyPresent("all is published", waiting)
	waittest.Eventually(t, "it is erased", func() bool { return r.erase(ann, "ann@example.com") == nil })
	r.eventuallyPresent("nothing is left", nil)
}

func TestAWholeOutboxIsErasedInSteps(t *testing.T) {
	r := newRig(t)
	r.old(2500, "UPDATE outbox SET subject = CASE WHEN seq % 5 < 2 THEN '"+ann+"' ELSE 'x' || subject END")
	if err := r.erase(ann); err != nil {
		t.Fatal(err)
	}
	if n := r.rows("outbox WHERE erased"); n != 1000 {
		t.Errorf("%d events are erased of 1000", n)
	}
}

// TestAnErasureGoesOnWhereItStopped, when an outbox takes longer than one call may.
func TestAnErasureGoesOnWhereItStopped(t *testing.T) {
	r := newRig(t)
	r.old(2500, "UPDATE outbox SET subject = CASE WHEN seq % 5 = 0 THEN '"+ann+"' WHEN seq % 5 = 1 THEN '"+joann+"' ELSE subject END",
		"UPDATE outbox SET stream_seq = NULL WHERE seq = 1500")
	e, request := bus.NewEraser(r.pool), uuid.New()
	e.SetPatience(-1)
	for _, call := range []struct {
		who    string
		done   bool
		erased int
	}{
		{ann, false, 200},
		{joann, false, 400},
		{ann, false, 400}, // an event of theirs is not published
		{joann, false, 600},
		{joann, false, 700},
		{joann, true, 700},
		{ann, false, 700},
	} {
		if err := r.eraseWith(e, request, call.who); (err == nil) != call.done || err != nil && !errors.Is(err, fault.Unavailable) {
			t.Fatalf("%+v: %v", call, err)
		}
		if n := r.rows("outbox WHERE erased"); n != call.erased {
			t.Errorf("%+v: %d events are erased", call, n)
		}
	}
	// What has been read is not read again: only another request begins anew.
	r.query("UPDATE outbox SET stream_seq = 1500 WHERE seq = 1500 RETURNING seq", nil, new(int))
	r.query("UPDATE outbox SET erased = false WHERE seq = 5 RETURNING seq", nil, new(int))
	for n := range 3 {
		if err := r.eraseWith(e, request, ann); (err == nil) != (n == 2) {
			t.Errorf("call %d: %v", n, err)
		}
	}
	if n := r.rows("outbox WHERE erased"); n != 999 {
		t.Errorf("%d events are erased", n)
	}
	request = uuid.New()
	for range 4 {
		_ = r.eraseWith(e, request, ann)
	}
	if n := r.rows("outbox WHERE erased"); n != 1000 {
		t.Errorf("%d events are erased after another erasure", n)
	}
}

// TestAnErasureThatIsBegunAnewReadsAll, although this replica has read part of one with the same words, which another
// replica ended.
func TestAnErasureThatIsBegunAnewReadsAll(t *testing.T) {
	r := newRig(t)
	r.old(1500, "UPDATE outbox SET subject = CASE WHEN seq % 5 = 0 THEN '"+ann+"' ELSE subject END")
	one, other, request := bus.NewEraser(r.pool), bus.NewEraser(r.pool), uuid.New()
	one.SetPatience(-1)
	if err := r.eraseWith(one, request, ann); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("read all in one step: %v", err)
	}
	if err := r.eraseWith(other, request, ann); err != nil {
		t.Fatal(err)
	}
	r.query("UPDATE outbox SET erased = false WHERE seq = 5 RETURNING seq", nil, new(int))
	one.SetPatience(time.Hour)
	if err := r.eraseWith(one, uuid.New(), ann); err != nil {
		t.Fatal(err)
	}
	if n := r.rows("outbox WHERE erased"); n != 300 {
		t.Errorf("%d events are erased of 300", n)
	}
}

var eraseRows = flag.Int("erase-rows", 100_000, "rows of the outbox in BenchmarkErase")

// BenchmarkErase measures how fast an erasure reads other people's events.
func BenchmarkErase(b *testing.B) {
	r := newRig(b)
	r.old(*eraseRows, "TRUNCATE inbox", "UPDATE outbox SET payload = convert_to(repeat(id || ' person@example.com ', 4), 'UTF8')", "VACUUM FULL ANALYZE outbox")
	e := bus.NewEraser(r.pool)
	e.SetPatience(time.Hour)
	for b.Loop() {
		if err := r.eraseWith(e, uuid.New(), ann, "ann@example.com", "ann@example.org"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(*eraseRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func TestDeadLettersOfAnAccountAreErased(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	replica.run(replica.conn.Relay(r.pool))
	replica.consume("mail", func(context.Context, pgx.Tx, bus.Event) error { return bus.Poison(errors.New("no good")) })
	r.appendEvents(mentioning(ann, "ann@example.com")...)
	kept := r.appendEvents(mentioning(joann, "joann@example.com")...)
	waittest.Seen(t, "all are dead letters", func() (bool, string) { return r.letters() == 10, fmt.Sprint(r.letters()) })
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	if err := r.erase(ann, "ann@example.com"); err != nil {
		t.Fatal(err)
	}
	if n := r.rows("dead_letter WHERE event_id >= '" + kept[0].String() + "'"); n != len(kept) || r.letters() != len(kept) {
		t.Errorf("%d dead letters are left, %d of other people", r.letters(), n)
	}
}

func TestOnlyWhatIsThereIsDeleted(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	stop := replica.run(replica.conn.Relay(r.pool))
	r.appendEvents(mentioning(ann, "ann@example.com")...)
	waittest.Eventually(t, "all is published", func() bool { return r.pending() == 0 })
	stop()
	if err := r.erase(ann, "ann@example.com"); err != nil {
		t.Fatal(err)
	}
	// The stream is lost, and its places are another's before the relay comes back.
	r.nats.Wipe()
	cfg := jetstream.StreamConfig{Name: stream, Subjects: []string{"fledge.waitlist.>"}, Duplicates: 10 * time.Minute, MaxAge: 7 * 24 * time.Hour}
	if _, err := r.nats.JetStream().CreateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	var foreign []uuid.UUID
	for range 6 {
		foreign = append(foreign, uuid.New())
		msg := &nats.Msg{Subject: acted, Header: nats.Header{nats.MsgIdHdr: {foreign[len(foreign)-1].String()}}}
		if _, err := r.nats.JetStream().PublishMsg(t.Context(), msg); err != nil {
			t.Fatal(err)
		}
	}
	again := r.replica()
	again.run(again.conn.Relay(r.pool))
	waittest.Eventually(t, "the rows are gone", func() bool { return r.rows("outbox") == 0 })
	slices.SortFunc(foreign, compare)
	if got := r.present(); !slices.Equal(got, foreign) {
		t.Errorf("%v are left of %v", got, foreign)
	}
}
