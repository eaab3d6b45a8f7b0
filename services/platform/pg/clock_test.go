package pg_test

import (
	"testing"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
)

// near reports whether a time is the real one, but for what a busy machine takes.
func near(at time.Time) bool { return time.Since(at).Abs() < 10*time.Second }

func TestReplicasHaveTheServersTime(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	for _, off := range []time.Duration{-24 * time.Hour, 0, 24 * time.Hour} {
		rt := runtime()
		rt.Clock = clock.Off(off)
		pool, err := pg.Open(t.Context(), settings(url), rt)
		errtest.None(t, err)
		t.Cleanup(pool.Close)
		errtest.None(t, pool.Ping(t.Context()))
		if now := rt.Clock.Now(); !near(now) {
			t.Errorf("a machine that is off by %s: %s", off, now)
		}
	}
}

// TestTheServerIsAskedAgain so that a machine that was suspended, and another server, are
// noticed.
func TestTheServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	rt, machine := runtime(), clock.NewFake(time.Now())
	rt.Clock = machine
	pool, err := pg.Open(t.Context(), settings(pgtest.NewEmpty(t)), rt)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	errtest.None(t, pool.Ping(t.Context()))
	machine.Advance(time.Hour)
	if near(rt.Clock.Now()) {
		t.Error("the time did not go on with the machine's")
	}
	errtest.None(t, pool.Ping(t.Context()))
	if now := rt.Clock.Now(); !near(now) {
		t.Errorf("the time is %s", now)
	}
}
