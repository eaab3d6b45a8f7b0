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
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"google.golang.org/protobuf/proto"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

func TestLostAcknowledgementHasOneEffect(t *testing.T) {
	r, replica := publishing(t)
	var tries atomic.Int32
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		if tries.Add(1) == 1 {
			// The transaction commits, but cannot be acknowledged.
			r.nats.Stop()
		}
		return effect(ctx, tx, ev)
	})
	r.append(1)
	r.eventuallyOnce("mail", 1)

	r.nats.Restart()
	waittest.Seen(t, "the message is redelivered", func() (bool, string) {
		n := replica.metric("bus_deliveries_total", "duplicate")
		return n == 1, fmt.Sprint(n)
	})
	r.eventuallyOnce("mail", 1)
	if tries.Load() != 1 {
		t.Errorf("the handler ran %d times", tries.Load())
	}
}

func TestPoisonGoesToDeadLetterWhileOthersGoOn(t *testing.T) {
	r, replica := publishing(t)
	var fixed atomic.Bool
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		if !fixed.Load() {
			switch ev.Version {
			case 101:
				return fault.New(fault.Invalid, "bad_address", "That is not an address.")
			case 102:
				return bus.Poison(errors.New("no such thing"))
			case 103:
				panic("nil map")
			}
		}
		return effect(ctx, tx, ev)
	})
	var events []bus.Event
	for i := range 60 {
		ev := staffAction(uuid.NewString())
		if i < 6 {
			ev.Version = int64(101 + i%3)
		}
		events = append(events, ev)
	}
	ids := r.appendEvents(events...)
	r.eventuallyOnce("mail", 54)
	waittest.Seen(t, "poison is a dead letter", func() (bool, string) { return r.letters() == 6, fmt.Sprint(r.letters()) })
	waittest.Seen(t, "it is counted", func() (bool, string) {
		n := replica.metric("bus_dead_letters", "mail")
		return n == 6, fmt.Sprint(n)
	})

	fixed.Store(true)
	if n := r.redrive(ids[0]); n != 1 {
		t.Fatalf("redrove %d", n)
	}
	r.eventuallyOnce("mail", 55)
	if n := r.redrive(); n != 5 {
		t.Fatalf("redrove %d", n)
	}
	r.eventuallyOnce("mail", 60)
	if r.letters() != 0 {
		t.Errorf("%d letters are left", r.letters())
	}
}

// TestLettersOfAConsumerThatIsGoneAreCounted, and those of one that has none.
func TestLettersOfAConsumerThatIsGoneAreCounted(t *testing.T) {
	r := newDatabase(t)
	replica := r.replicaWith(r.config("nats://127.0.0.1:1"))
	replica.conn.Relay(r.pool)
	replica.conn.Consumer(r.pool, bus.ConsumerSpec{Name: "mail", Stream: stream, Type: acted})
	_, err := r.pool.Exec(t.Context(), `INSERT INTO dead_letter (consumer, event_id, type, headers, payload, reason)
		SELECT 'gone', gen_random_uuid(), $1, '{}', '', 'no good' FROM generate_series(1, 2)`, acted)
	errtest.None(t, err)
	if gone, all := replica.metric("bus_dead_letters", "gone"), replica.metric("bus_dead_letters"); gone != 2 || all != 2 {
		t.Errorf("%v letters of 2, %v in all", gone, all)
	}
	if n, err := testutil.GatherAndCount(replica.rt.Metrics, "bus_dead_letters"); n != 2 || err != nil {
		t.Errorf("%d consumers, %v", n, err)
	}
}

// redrive hands letters back to "mail", all of them or those with the IDs, as the
// command dead-letters does, and returns how many.
func (r *rig) redrive(ids ...uuid.UUID) int64 {
	r.t.Helper()
	tag, err := r.pool.Exec(r.t.Context(), `UPDATE dead_letter SET redrive_at = now()
		WHERE consumer = 'mail' AND ($1::uuid[] IS NULL OR event_id = ANY ($1))`, ids)
	errtest.None(r.t, err)
	return tag.RowsAffected()
}

func (r *rig) letters() (n int) {
	r.t.Helper()
	r.query("SELECT count(*) FROM dead_letter", nil, &n)
	return n
}

// TestRedrivenLetterThatStillFailsStays with its new reason, also one that never ends, and holds up no other.
func TestRedrivenLetterThatStillFailsStays(t *testing.T) {
	r, replica := publishing(t)
	var fixed atomic.Bool
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		switch {
		case !fixed.Load():
			return bus.Poison(errors.New("the first reason"))
		case ev.Version == 2:
			return bus.Poison(errors.New("another reason"))
		case ev.Version == 3:
			<-ctx.Done()
			return ctx.Err()
		}
		return effect(ctx, tx, ev)
	})
	events := []bus.Event{staffAction("1"), staffAction("2"), staffAction("3")}
	events[0].Version, events[1].Version = 3, 2
	r.appendEvents(events...)
	waittest.Seen(t, "all are dead letters", func() (bool, string) { return r.letters() == 3, fmt.Sprint(r.letters()) })
	fixed.Store(true)
	r.redrive()
	r.eventuallyOnce("mail", 1)
	waittest.Seen(t, "the others have their new reasons", func() (bool, string) {
		var reasons string
		var waiting bool
		r.query("SELECT string_agg(reason, ', ' ORDER BY reason), bool_or(redrive_at IS NOT NULL) FROM dead_letter", nil, &reasons, &waiting)
		return reasons == "another reason, "+context.DeadlineExceeded.Error() && !waiting, reasons
	})
}

// TestALetterIsKeptWhateverItsReason quotes, and whatever its headers have; one that is redriven stands in no other's way.
func TestALetterIsKeptWhateverItsReason(t *testing.T) {
	r, replica := publishing(t)
	var fixed atomic.Bool
	effect := count("mail")
	replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
		if ev.Version > 2 || !fixed.Load() {
			return bus.Poison(fmt.Errorf("no such thing: %s", "a\x00b\xff"))
		}
		return effect(ctx, tx, ev)
	})
	waittest.Seen(t, "the stream is there", func() (bool, string) { return r.stored() == 0, "" })
	foreign := &nats.Msg{Subject: acted, Header: nats.Header{nats.MsgIdHdr: {uuid.NewString()}, "Fledge-Source": {"a\x00b"}}}
	if _, err := r.nats.JetStream().PublishMsg(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	bad := staffAction("1")
	bad.Version = 3
	r.appendEvents(bad, staffAction("2"))
	waittest.Seen(t, "all are dead letters", func() (bool, string) { return r.letters() == 3, fmt.Sprint(r.letters()) })
	var reason string
	if r.query("SELECT min(reason) FROM dead_letter WHERE reason LIKE 'no such%'", nil, &reason); reason != "no such thing: a\ufffdb\ufffd" {
		t.Errorf("the reason is %q", reason)
	}
	fixed.Store(true)
	r.redrive()
	r.eventuallyOnce("mail", 1)
}

func TestForeignMessagesDoNotStopAConsumer(t *testing.T) {
	r, replica := publishing(t)
	replica.consume("mail", bus.On(
		func(ctx context.Context, tx pgx.Tx, ev bus.Event, p *auditv1.StaffAction) error {
			if p.GetSubjectLabel() != "ada@example.test" {
				return bus.Poison(errors.New("wrong payload"))
			}
			return count("mail")(ctx, tx, ev)
		}))
	waittest.Seen(t, "the stream is there", func() (bool, string) { return r.stored() == 0, "" })

	payload, err := proto.Marshal(&auditv1.StaffAction{Subject: "1"})
	errtest.None(t, err)
	header := func(kind, id string) nats.Header {
		return nats.Header{"Nats-Msg-Id": {id}, "Fledge-Type": {kind}, "Fledge-Subject": {"1"}, "Fledge-Time": {"2026-11-21T00:00:00Z"}}
	}
	newer := "fledge.waitlist.v9.staff.action"
	for _, m := range []*nats.Msg{
		{Subject: newer, Header: header(newer, uuid.NewString()), Data: payload},
		{Subject: acted, Header: header(acted, uuid.NewString()), Data: []byte{0xff, 0xff}},
		{Subject: acted, Header: header(newer, uuid.NewString()), Data: payload},
		{Subject: acted, Header: header(acted, "not an id"), Data: payload},
		{Subject: acted, Data: payload},
	} {
		if _, err := r.nats.JetStream().PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	r.append(1)
	r.eventuallyOnce("mail", 1)
	waittest.Seen(t, "all is dealt with", func() (bool, string) {
		dead := replica.metric("bus_deliveries_total", "dead")
		// Two messages without an ID and with equal content share a letter.
		return dead == 4 && r.letters() == 3, fmt.Sprint(dead, r.letters())
	})
}

func TestStoppingGivesWaitingMessagesBackAtOnce(t *testing.T) {
	r := newRig(t)
	first, second := r.replica(), r.replica()
	first.run(first.conn.Relay(r.pool))
	release := make(chan struct{})
	var entered atomic.Int32
	spec := bus.ConsumerSpec{
		Name: "mail", Stream: stream, Type: acted, Workers: 1, AckWait: time.Hour,
		Handle: func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
			entered.Add(1)
			<-release
			return count("mail")(ctx, tx, ev)
		},
	}
	stop := first.run(first.conn.Consumer(r.pool, spec))
	r.append(10)
	waittest.Seen(t, "one is being handled", func() (bool, string) { return entered.Load() == 1, fmt.Sprint(entered.Load()) })
	go close(release)
	stop()
	// AckWait is an hour: what the first does not give back never comes.
	second.run(second.conn.Consumer(r.pool, spec))
	r.eventuallyOnce("mail", 10)
}
