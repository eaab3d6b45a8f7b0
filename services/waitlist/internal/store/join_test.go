package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	dto "github.com/prometheus/client_model/go"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/waitlist/internal/entry"
)

func TestJoinMakesOnePendingEntry(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	isNew, err := f.Join(t.Context(), email(t, "Ada@example.com"), entry.CTASection)
	if err != nil || !isNew {
		t.Fatalf("Join = %t, %v", isNew, err)
	}
	e := f.find("ada@example.com")
	if e.Status != entry.Pending || e.Source != entry.CTASection || e.Version != 1 || !e.CreatedAt.Equal(epoch) || !e.UpdatedAt.Equal(epoch) {
		t.Errorf("entry is %+v", e)
	}
	isNew, err = f.Join(t.Context(), email(t, "ada@example.com"), entry.HeroSection)
	if err != nil || isNew {
		t.Errorf("second Join = %t, %v", isNew, err)
	}
	if got := f.find("ada@example.com"); got != e {
		t.Errorf("after the second Join the entry is %+v, was %+v", got, e)
	}
	if n := f.count("outbox"); n != 0 {
		t.Errorf("%d events", n)
	}
}

func TestConcurrentJoinsOfOneAddressHaveOneEffect(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	ada := email(t, "ada@example.com")
	var created atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			isNew, err := f.Join(t.Context(), ada, entry.HeroSection)
			if err != nil {
				t.Error(err)
			}
			if isNew {
				created.Add(1)
			}
		})
	}
	wg.Wait()
	if created.Load() != 1 || f.count("waitlist_users") != 1 {
		t.Errorf("%d calls were new, %d rows", created.Load(), f.count("waitlist_users"))
	}
}

func TestWhatQueuesSharesOneStatement(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	release := f.holdWorker()
	addresses := []string{"ada@example.com", "bob@example.com", "ada@example.com", "cyd@example.com", "bob@example.com"}
	isNew := make([]bool, len(addresses))
	var wg sync.WaitGroup
	for i, address := range addresses {
		wg.Go(func() {
			var err error
			if isNew[i], err = f.Join(t.Context(), email(t, address), entry.HeroSection); err != nil {
				t.Error(err)
			}
		})
	}
	waittest.Eventually(t, "all sign-ups are queued", func() bool { return f.metric("waitlist_join_queue_depth").GetGauge().GetValue() == 5 })
	release()
	wg.Wait()

	sizes := f.metric("waitlist_join_batch_size").GetHistogram()
	if sizes.GetSampleCount() != 2 || sizes.GetSampleSum() != 6 {
		t.Errorf("%d statements wrote %g sign-ups, want 2 and 6", sizes.GetSampleCount(), sizes.GetSampleSum())
	}
	fresh := 0
	for _, n := range isNew {
		if n {
			fresh++
		}
	}
	if fresh != 3 || f.count("waitlist_users") != 4 {
		t.Errorf("%d new, %d rows", fresh, f.count("waitlist_users"))
	}
}

func TestReplicasWithOverlappingBatchesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	url := newDatabase(t)
	replicas := []*fixture{fixtureOn(t, url, patient), fixtureOn(t, url, patient)}
	var wg sync.WaitGroup
	for caller := range 32 {
		wg.Go(func() {
			for _, n := range rand.Perm(200) {
				address := email(t, fmt.Sprintf("person%03d@example.com", n))
				if _, err := replicas[caller%2].Join(t.Context(), address, entry.HeroSection); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := replicas[0].count("waitlist_users"); n != 200 {
		t.Errorf("%d rows, want 200", n)
	}
}

func TestAKnownAddressStaysAsItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	approved, rejected := f.joined("ada@example.com"), f.joined("bob@example.com")
	if _, _, err := f.Approve(f.staff(), approved.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Remove(f.staff(), rejected.ID); err != nil {
		t.Fatal(err)
	}
	if got := f.joined("ada@example.com"); got.Status != entry.Approved {
		t.Errorf("approved entry is %s after another sign-up", got.Status)
	}
	if got := f.joined("bob@example.com"); got.Status != entry.Rejected {
		t.Errorf("rejected entry is %s after another sign-up", got.Status)
	}
}

func TestAFullQueueIsUnavailableWithAHint(t *testing.T) {
	t.Parallel()
	cfg := patient
	cfg.JoinQueue = 1
	f := newFixture(t, cfg)
	release := f.holdWorker()
	queued := make(chan error, 1)
	go func() {
		_, err := f.Join(context.Background(), email(t, "ada@example.com"), entry.HeroSection)
		queued <- err
	}()
	waittest.Eventually(t, "the queue is full", func() bool { return f.metric("waitlist_join_queue_depth").GetGauge().GetValue() == 1 })
	_, err := f.Join(t.Context(), email(t, "bob@example.com"), entry.HeroSection)
	if !errors.Is(err, fault.Unavailable) || fault.Of(err).Retry <= 0 {
		t.Errorf("Join on a full queue returned %v", err)
	}
	release()
	if err := <-queued; err != nil {
		t.Errorf("the queued sign-up failed: %v", err)
	}
}

func TestStopWritesWhatWasTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	release := f.holdWorker()
	queued := make(chan error, 1)
	go func() {
		_, err := f.Join(context.Background(), email(t, "ada@example.com"), entry.HeroSection)
		queued <- err
	}()
	waittest.Eventually(t, "the sign-up is queued", func() bool { return f.metric("waitlist_join_queue_depth").GetGauge().GetValue() == 1 })
	stopped := make(chan error, 1)
	go func() { stopped <- f.stop(context.Background()) }()
	waittest.Eventually(t, "stopping refuses newcomers", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, err := f.Join(ctx, email(t, "bob@example.com"), entry.HeroSection)
		return fault.Of(err).Reason == "waitlist_busy"
	})
	release()
	errtest.None(t, errors.Join(<-queued, <-stopped))
	f.find("ada@example.com")
}

// holdWorker makes the store's worker wait for a row that somebody else is
// writing, until release is called.
func (f *fixture) holdWorker() (release func()) {
	f.t.Helper()
	ctx := context.Background()
	tx, err := f.pool.Begin(ctx)
	errtest.None(f.t, err)
	errtest.None(f.t, insertRaw(ctx, tx, "hold@example.com"))
	done := make(chan error, 1)
	go func() {
		_, err := f.Join(ctx, email(f.t, "hold@example.com"), entry.HeroSection)
		done <- err
	}()
	waittest.Eventually(f.t, "the worker waits for the row", func() bool {
		var waiting bool
		err := f.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%AddEntries%' AND pid <> pg_backend_pid())`).Scan(&waiting)
		return err == nil && waiting
	})
	return func() {
		f.t.Helper()
		if err := errors.Join(tx.Commit(ctx), <-done); err != nil {
			f.t.Error(err)
		}
	}
}

func insertRaw(ctx context.Context, tx pgx.Tx, address string) error {
	_, err := tx.Exec(ctx, `INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at)
		VALUES (gen_random_uuid(), $1, 'pending', 'hero_section', now(), now())`, address)
	return err
}

func (f *fixture) metric(name string) *dto.Metric {
	f.t.Helper()
	families, err := f.metrics.Gather()
	errtest.None(f.t, err)
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0]
		}
	}
	f.t.Fatalf("no metric %s", name)
	return nil
}
