package bus_test

import (
	"fmt"
	"testing"
	"time"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/waittest"
)

// TestADeadLeaderIsReplaced: one that has the lock and is silent, as a machine without power
// is. Meanwhile the replica that stands by tells that events wait.
func TestADeadLeaderIsReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	dead, err := pg.TryLock(t.Context(), r.pool, "fledge outbox relay "+stream)
	if err != nil || dead == nil {
		t.Fatal(dead, err)
	}
	defer func() { _ = dead.Close(t.Context()) }()
	began := time.Now()
	standby, _ := r.publisher()
	r.append(3)
	waittest.Seen(t, "the replica that stands by tells of what waits", func() (bool, string) {
		age, pending := standby.metric("bus_outbox_age_seconds"), standby.metric("bus_outbox_pending")
		return age > 1 && pending == 3, fmt.Sprint(age, " s, ", pending)
	})
	if n := r.pending(); n != 3 {
		t.Fatalf("%d events wait although somebody else has the lock", n)
	}
	waittest.Eventually(t, "another replica takes over", func() bool { return r.pending() == 0 })
	if took := time.Since(began); took > time.Minute {
		t.Errorf("after %s", took)
	}
}

// TestALoneEventIsPublishedSoon: without anything that tells the relay of it.
func TestALoneEventIsPublishedSoon(t *testing.T) {
	r, _ := publishing(t)
	r.append(1)
	waittest.Eventually(t, "the relay leads", func() bool { return r.pending() == 0 })
	const events = 20
	for range events {
		r.append(1)
		waittest.Eventually(t, "it is published", func() bool { return r.pending() == 0 })
	}
	var average float64
	r.query(`SELECT extract(epoch FROM avg(published_at - "time")) FROM outbox WHERE seq > 1`, nil, &average)
	t.Logf("%.3f s on average", average)
	if average > 0.1 {
		t.Errorf("an event waits %.3f s on average", average)
	}
}
