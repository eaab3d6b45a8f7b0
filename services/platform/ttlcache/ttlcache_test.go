package ttlcache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/ttlcache"
)

const age = 5 * time.Second

func TestAnAnswerIsSharedUntilItIsOld(t *testing.T) {
	clk := clock.NewFake(time.Unix(0, 0))
	loads := 0
	v := ttlcache.New(clk, age, func(context.Context) (int, error) { loads++; return loads, nil })
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{0, 1}, {age - 1, 1}, {1, 2}, {age - 1, 2}, {time.Hour, 3}} {
		clk.Advance(step.pass)
		if got, err := v.Get(t.Context()); err != nil || got != step.want {
			t.Errorf("after %s: %d, %v, want %d", step.pass, got, err, step.want)
		}
	}
}

func TestAnErrorIsNotKept(t *testing.T) {
	broken := errors.New("broken")
	answers := []error{broken, nil}
	v := ttlcache.New(clock.NewFake(time.Unix(0, 0)), age, func(context.Context) (string, error) {
		err := answers[0]
		answers = answers[1:]
		return "fine", err
	})
	if _, err := v.Get(t.Context()); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if got, err := v.Get(t.Context()); err != nil || got != "fine" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOneLoadRunsForAllWhoWait(t *testing.T) {
	var loads atomic.Int32
	release := make(chan struct{})
	v := ttlcache.New(clock.NewFake(time.Unix(0, 0)), age, func(context.Context) (int32, error) {
		n := loads.Add(1)
		<-release
		return n, nil
	})
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if got, err := v.Get(t.Context()); err != nil || got != 1 {
				t.Errorf("%d, %v, want 1", got, err)
			}
		})
	}
	close(release)
	callers.Wait()
	if n := loads.Load(); n != 1 {
		t.Errorf("%d loads, want 1", n)
	}
}

func TestACallerWhoLeavesTakesNothingFromTheOthers(t *testing.T) {
	release := make(chan struct{})
	v := ttlcache.New(clock.NewFake(time.Unix(0, 0)), age, func(ctx context.Context) (string, error) {
		<-release
		return "found", ctx.Err()
	})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := v.Get(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	close(release)
	if got, err := v.Get(t.Context()); err != nil || got != "found" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAPanicIsAnError(t *testing.T) {
	v := ttlcache.New(clock.NewFake(time.Unix(0, 0)), age, func(context.Context) (int, error) { panic("lost") })
	if _, err := v.Get(t.Context()); err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("%v", err)
	}
}

// TestADroppedAnswerIsLoadedAgain, and a load that is under way then is for those who
// asked before.
func TestADroppedAnswerIsLoadedAgain(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	var loads atomic.Int32
	v := ttlcache.New(clock.NewFake(time.Unix(0, 0)), age, func(context.Context) (int32, error) {
		n := loads.Add(1)
		if n == 1 {
			close(began)
			<-release
		}
		return n, nil
	})
	var before sync.WaitGroup
	before.Go(func() {
		if got, err := v.Get(t.Context()); err != nil || got != 1 {
			t.Errorf("before: %d, %v", got, err)
		}
	})
	<-began
	v.Drop()
	for range 2 {
		if got, err := v.Get(t.Context()); err != nil || got != 2 {
			t.Errorf("afterwards: %d, %v", got, err)
		}
	}
	close(release)
	before.Wait()
	if got, err := v.Get(t.Context()); err != nil || got != 2 {
		t.Errorf("the late answer has replaced a newer one: %d, %v", got, err)
	}
}

// TestAValueOutlivesFailures: callers get the last good one, and the source is left alone for
// a while, even if the failure itself took longer than the value's age. What is dropped is
// loaded at once.
func TestAValueOutlivesFailures(t *testing.T) {
	const pause = time.Minute
	clk := clock.NewFake(time.Unix(0, 0))
	gone := errors.New("gone")
	var loads, told int
	var answer error
	v := ttlcache.New(clk, age, func(context.Context) (int, error) {
		loads++
		clk.Advance(2 * age)
		return loads, answer
	}).Outlive(pause, func(_ context.Context, err error) {
		if told++; !errors.Is(err, gone) {
			t.Errorf("told of %v", err)
		}
	})
	answer = gone
	if _, err := v.Get(t.Context()); !errors.Is(err, gone) || told != 0 {
		t.Errorf("with nothing to fall back on: %v", err)
	}
	for _, step := range []struct {
		what        string
		err         error
		pass        time.Duration
		drop        bool
		want, loads int
	}{
		{"good", nil, 0, false, 2, 2},
		{"failed", gone, 0, false, 2, 3},
		{"in the pause", nil, pause - 1, false, 2, 3},
		{"after it", nil, 1, false, 4, 4},
		{"failed again", gone, 0, false, 4, 5},
		{"dropped", gone, 0, true, 4, 6},
		{"dropped and good", nil, 0, true, 7, 7},
	} {
		answer = step.err
		clk.Advance(step.pass)
		if step.drop {
			v.Drop()
		}
		if got, err := v.Get(t.Context()); err != nil || got != step.want || loads != step.loads {
			t.Errorf("%s: %d, %v after %d loads, want %d after %d", step.what, got, err, loads, step.want, step.loads)
		}
	}
	if told != 3 {
		t.Errorf("told of %d failures", told)
	}
}
