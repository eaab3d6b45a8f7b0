package mirror_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases/internal/mirror"
)

func notice(t *testing.T, m *mirror.Mirror) {
	t.Helper()
	errtest.None(t, m.Notice(t.Context()))
}

// TestNoticesBringOneRun: a hundred notices at once bring one run, which begins
// after they came; one that comes while a run is under way brings another.
func TestNoticesBringOneRun(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	expect(t, look(t, m, false), mirror.Applied)
	r.pass(t, 10*time.Second)
	began, free := make(chan struct{}, 10), make(chan struct{})
	r.github.mu.Lock()
	r.github.answer = func(ctx context.Context) (mirror.Listing, error) {
		began <- struct{}{}
		select {
		case <-free:
			return listing("1.0.0"), nil
		case <-ctx.Done():
			return mirror.Listing{}, ctx.Err()
		}
	}
	r.github.mu.Unlock()

	notice(t, m)
	defer start(t, m)()
	<-began
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if err := m.Notice(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(free)
	waittest.Eventually(t, "the run ends", func() bool {
		at, err := r.store.LastCheck(t.Context(), "fledge/fledge-mac")
		errtest.None(t, err)
		return time.Since(at) < margin
	})
	if got := r.github.times(); got != 2 {
		t.Fatalf("GitHub was asked %d times, want 2", got)
	}
	other := r.replica(t) // whoever ticks next
	expect(t, look(t, other, false), mirror.NotOurs)
	r.pass(t, 10*time.Second)
	expect(t, look(t, other, false), mirror.Applied)
	r.pass(t, 10*time.Second)
	expect(t, look(t, other, false), mirror.NotOurs)
}

// TestANoticeWithoutADatabaseIsNotTaken, so that GitHub shows the delivery as
// failed; the schedule finds the news all the same.
func TestANoticeWithoutADatabaseIsNotTaken(t *testing.T) {
	r := newRig(t)
	m := r.replica(t)
	r.pool.Close()
	if err := m.Notice(t.Context()); err == nil {
		t.Error("taken")
	}
}
