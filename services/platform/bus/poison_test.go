package bus_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

// TestWhatAlwaysFailsStopsNoGoodEvent, however much of it comes first and whichever way it fails.
func TestWhatAlwaysFailsStopsNoGoodEvent(t *testing.T) {
	many := 10_000
	if testing.Short() {
		many = 1_000
	}
	for name, tc := range map[string]struct {
		events int
		fail   func(context.Context, pgx.Tx) error
	}{
		"constraint":     {many, execute("INSERT INTO outbox (id, type, source, subject, payload) VALUES (gen_random_uuid(), '', '', '', '')")},
		"schema":         {100, execute("INSERT INTO what_is_not_there VALUES (1)")},
		"ordinary error": {500, func(context.Context, pgx.Tx) error { return errors.New("cannot be told from an outage") }},
	} {
		t.Run(name, func(t *testing.T) {
			r, replica := publishing(t)
			effect := count("mail")
			replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
				if ev.Version == 2 {
					return tc.fail(ctx, tx)
				}
				return effect(ctx, tx, ev)
			})
			bad := make([]bus.Event, tc.events)
			for i := range bad {
				bad[i] = staffAction(uuid.NewString())
				bad[i].Version = 2
			}
			r.appendEvents(bad...)
			r.append(1)
			r.eventuallyOnce("mail", 1)
			waittest.Seen(t, "what fails is a dead letter", func() (bool, string) { return r.letters() == tc.events, fmt.Sprint(r.letters()) })
		})
	}
}

// TestAnEventThatTakesTooLongIsGivenUpWhileOthersPass between its tries, but not one whose handler needs what is too slow.
func TestAnEventThatTakesTooLongIsGivenUpWhileOthersPass(t *testing.T) {
	for name, tc := range map[string]struct {
		late    func(context.Context, pgx.Tx) error
		letters int
	}{
		"a statement": {execute("DO $$ BEGIN RAISE EXCEPTION SQLSTATE '57014'; END $$"), 1},
		"a call":      {func(context.Context, pgx.Tx) error { return fmt.Errorf("call: %w", context.DeadlineExceeded) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, replica := publishing(t)
			effect := count("mail")
			var others, tries atomic.Int32
			replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
				if ev.Version == 2 {
					tries.Add(1)
					return tc.late(ctx, tx)
				}
				others.Add(1)
				return effect(ctx, tx, ev)
			}, alone)
			bad := staffAction(uuid.NewString())
			bad.Version = 2
			r.appendEvents(bad)
			for passed := int32(1); r.letters() == 0 && passed <= 120; passed++ {
				before := tries.Load()
				r.append(1)
				waittest.Eventually(t, "another event passes, and it is tried again", func() bool {
					return others.Load() >= passed && (tries.Load() > before || r.letters() == 1)
				})
			}
			if got := r.letters(); got != tc.letters || tries.Load() < 90 {
				t.Errorf("%d dead letters after %d others and %d tries, want %d", got, others.Load(), tries.Load(), tc.letters)
			}
		})
	}
}

// TestALetterIsKeptAfterTheTimeOfItsEvent is up.
func TestALetterIsKeptAfterTheTimeOfItsEvent(t *testing.T) {
	r, replica := publishing(t)
	replica.consume("mail", func(ctx context.Context, _ pgx.Tx, _ bus.Event) error {
		<-ctx.Done()
		return bus.Poison(ctx.Err())
	})
	r.append(1)
	waittest.Seen(t, "it is a dead letter", func() (bool, string) { return r.letters() == 1, fmt.Sprint(r.letters()) })
}

func execute(sql string) func(context.Context, pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql)
		return err
	}
}

// TestAnOutageMakesNoDeadLetter, however often an event was tried, and nor do two failures after it: what was tried
// during the outage does not count. What a try had done is undone.
func TestAnOutageMakesNoDeadLetter(t *testing.T) {
	for name, outage := range map[string]func(context.Context, pgx.Tx) error{
		"what it needs is away":            func(context.Context, pgx.Tx) error { return fault.New(fault.Unavailable, "away", "Not now.") },
		"the database ends the connection": execute("SELECT pg_terminate_backend(pg_backend_pid())"),
		"too late":                         func(context.Context, pgx.Tx) error { return context.DeadlineExceeded },
		"a pooler has changed servers":     execute("DO $$ BEGIN RAISE EXCEPTION SQLSTATE '42P05'; END $$"),
		"deadlock":                         execute("DO $$ BEGIN RAISE EXCEPTION SQLSTATE '40P01'; END $$"),
	} {
		t.Run(name, func(t *testing.T) {
			r, replica := publishing(t)
			effect, tries := count("mail"), 0
			replica.consume("mail", func(ctx context.Context, tx pgx.Tx, ev bus.Event) error {
				if err := effect(ctx, tx, ev); err != nil {
					return err
				}
				switch tries++; {
				case tries <= 20:
					return outage(ctx, tx)
				case tries <= 22:
					return errors.New("cannot be told from an outage")
				}
				return nil
			}, alone)
			r.append(1)
			r.eventuallyOnce("mail", 1)
			if r.letters() != 0 {
				t.Error("an outage made a dead letter")
			}
		})
	}
}

// TestAFailureIsTriedEightTimes before it is a dead letter.
func TestAFailureIsTriedEightTimes(t *testing.T) {
	r, replica := publishing(t)
	var tries atomic.Int32
	replica.consume("mail", func(context.Context, pgx.Tx, bus.Event) error {
		tries.Add(1)
		return errors.New("cannot be told from an outage")
	}, alone)
	r.append(1)
	waittest.Seen(t, "it is a dead letter", func() (bool, string) { return r.letters() == 1, fmt.Sprint(r.letters()) })
	if n := tries.Load(); n != 8 {
		t.Errorf("tried %d times, want 8", n)
	}
}
