package bus_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

func TestServiceStartsAndPublishesAfterAnOutage(t *testing.T) {
	r := newRig(t)
	r.nats.Stop()
	replica, _ := r.publisher()
	replica.consume("mail", count("mail"))

	r.append(250)
	waittest.Seen(t, "the outbox ages", func() (bool, string) {
		age := replica.metric("bus_outbox_age_seconds")
		return age > 0, fmt.Sprint(age)
	})
	if err := replica.conn.Check(t.Context()); err == nil {
		t.Error("Check is content without NATS")
	}

	r.nats.Restart()
	r.eventuallyOnce("mail", 250)
	waittest.Seen(t, "nothing waits", func() (bool, string) {
		age := replica.metric("bus_outbox_age_seconds")
		return age == 0 && r.pending() == 0, fmt.Sprint(age, " s, ", r.pending(), " rows")
	})
	if err := replica.conn.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if got := replica.metric("bus_published_total"); got != 250 {
		t.Errorf("published %v", got)
	}
}

// TestTheFirstEventMayBeLate: a stream that is still empty is looked at again.
func TestTheFirstEventMayBeLate(t *testing.T) {
	r := newRig(t)
	known := func() (n int) { r.query("SELECT count(*) FROM outbox_stream", nil, &n); return n }
	_, stop := r.publisher()
	waittest.Eventually(t, "the stream is made", func() bool { return known() == 1 })
	stop()
	second, _ := r.publisher()
	second.consume("mail", count("mail"))
	r.append(1)
	r.eventuallyOnce("mail", 1)
}

func TestLostStreamIsRefilled(t *testing.T) {
	for name, lose := range map[string]func(*testing.T, *rig){
		"the store is wiped": func(_ *testing.T, r *rig) { r.nats.Wipe() },
		"the stream is deleted": func(t *testing.T, r *rig) {
			errtest.None(t, r.nats.JetStream().DeleteStream(t.Context(), stream))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, replica := publishing(t)
			replica.consume("mail", count("mail"))
			r.append(150)
			r.eventuallyOnce("mail", 150)

			lose(t, r)
			waittest.Seen(t, "the stream is whole again", func() (bool, string) {
				n := r.stored()
				return n == 150, fmt.Sprint(n, " messages")
			})
			// A consumer that missed everything gets it, the other one nothing twice.
			replica.consume("late", count("late"))
			r.eventuallyOnce("late", 150)
			r.append(1)
			r.eventuallyOnce("mail", 151)
			if got := replica.metric("bus_refilled_total"); got != 150 {
				t.Errorf("counted %v refilled events", got)
			}
		})
	}
}

func TestStreamThatWasSetBackIsRefilled(t *testing.T) {
	r, replica := publishing(t)
	replica.consume("mail", count("mail"))
	r.append(20)
	r.eventuallyOnce("mail", 20)
	setBack := r.nats.Backup()
	r.append(30)
	r.eventuallyOnce("mail", 50)

	setBack()
	r.append(5)
	waittest.Seen(t, "the stream is whole again", func() (bool, string) {
		n := r.stored()
		return n == 55, fmt.Sprint(n, " messages")
	})
	r.eventuallyOnce("mail", 55)
}

func TestTwoRelaysPublishOnce(t *testing.T) {
	r := newRig(t)
	first, second := r.replica(), r.replica()
	stopFirst := first.run(first.conn.Relay(r.pool))
	r.append(1)
	waittest.Seen(t, "the first leads", func() (bool, string) {
		return first.metric("bus_published_total") == 1, fmt.Sprint(first.metric("bus_published_total"))
	})
	second.run(second.conn.Relay(r.pool))
	for range 30 {
		r.append(10)
	}
	waittest.Seen(t, "all is published by the first", func() (bool, string) {
		n := first.metric("bus_published_total")
		return n == 301 && r.pending() == 0, fmt.Sprint(n)
	})
	if n := second.metric("bus_published_total"); n != 0 {
		t.Errorf("the second published %v", n)
	}

	stopFirst()
	r.append(10)
	waittest.Seen(t, "the second takes over", func() (bool, string) { return r.pending() == 0, fmt.Sprint(r.pending()) })
	if got := r.stored(); got != 311 {
		t.Errorf("the stream has %d messages", got)
	}
}

// TestEventsOfOneSubjectKeepTheirOrder: that of their writing, whatever time the writer believes it is.
func TestEventsOfOneSubjectKeepTheirOrder(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	subjects := []string{uuid.NewString(), uuid.NewString()}
	var events []bus.Event
	for i := range 60 {
		ev := staffAction(subjects[i%2])
		ev.Version, ev.Time = int64(i+1), time.Now().Add(time.Duration(i%5-2)*10*time.Minute)
		events = append(events, ev)
	}
	r.appendEvents(events...)
	replica.run(replica.conn.Relay(r.pool))
	waittest.Seen(t, "all is published", func() (bool, string) { return r.pending() == 0, fmt.Sprint(r.pending()) })

	var back int
	r.query(`SELECT count(*) FROM (SELECT version < lag(version) OVER (PARTITION BY subject ORDER BY stream_seq) AS back FROM outbox) AS placed WHERE back`, nil, &back)
	if back != 0 {
		t.Errorf("%d events come after a later one of their subject", back)
	}
}

func TestStreamAndConsumerAreConfiguredToLoseNothing(t *testing.T) {
	r := newRig(t)
	_, err := r.nats.JetStream().CreateStream(t.Context(), jetstream.StreamConfig{
		Name: stream, Subjects: []string{"fledge.waitlist.>"}, Description: "an operator's", AllowDirect: true,
	})
	errtest.None(t, err)
	replica, _ := r.publisher()
	replica.consume("mail", count("mail"))
	r.append(1)
	r.eventuallyOnce("mail", 1)

	found, err := r.nats.JetStream().Stream(t.Context(), stream)
	errtest.None(t, err)
	got := found.CachedInfo().Config
	if got.Storage != jetstream.FileStorage || got.Retention != jetstream.LimitsPolicy || got.Discard != jetstream.DiscardNew ||
		got.MaxAge != 7*24*time.Hour || got.Duplicates != 10*time.Minute || got.DenyDelete || !got.DenyPurge || got.AllowDirect || got.Description != "an operator's" ||
		got.Replicas != 1 || got.MaxMsgSize != 256<<10 ||
		len(got.Subjects) != 1 || got.Subjects[0] != "fledge.waitlist.>" {
		t.Errorf("stream: %+v", got)
	}
	durable, err := found.Consumer(t.Context(), "mail")
	errtest.None(t, err)
	spec := durable.CachedInfo().Config
	if spec.AckPolicy != jetstream.AckExplicitPolicy || spec.MaxDeliver != -1 || spec.MaxAckPending != 20_000 ||
		spec.AckWait != ackWait || spec.DeliverPolicy != jetstream.DeliverAllPolicy || spec.Durable != "mail" || len(spec.BackOff) != 0 {
		t.Errorf("consumer: %+v", spec)
	}
}
