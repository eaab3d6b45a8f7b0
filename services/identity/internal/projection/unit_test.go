package projection_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/waittest"
)

func (r *rig) run() (stop func() error) {
	r.t.Helper()
	stopUnit, err := r.Unit().Start(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return func() error { return stopUnit(context.Background()) }
}

func TestTheUnitSweepsAndWalksUntilStopped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.person("ann@example.com")
	r.mac(ann)
	stop := r.run()
	unknown := r.identity("unknown@example.com")
	r.kratos.change(func() { ann.state = "inactive" })
	waittest.Eventually(t, "the account is disabled and the other one added", func() bool {
		r.clock.Advance(time.Second)
		return r.standing(ann) == "inactive:disabled" && r.record(unknown) != ""
	})
	for _, job := range []string{"sweep", "walk"} {
		waittest.Eventually(t, job+" has succeeded", func() bool {
			return r.metric("identity_kratos_last_success_timestamp_seconds", job) >= float64(epoch.Unix())
		})
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestStoppingDoesNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.people(30)
	// A Kratos whose list is empty is asked for each account by name: it takes
	// until the stop to answer the third.
	asked := 0
	third, stopped := make(chan struct{}), make(chan struct{})
	r.kratos.spoiled(func(w http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path == "/admin/identities" {
			answer(w, http.StatusOK, []any{})
			return true
		}
		if asked++; asked == 3 {
			close(third)
			<-stopped
		}
		return false
	})
	stop := r.run()
	<-third
	done := make(chan error, 1)
	go func() { done <- stop() }()
	close(stopped)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if asked > 40 {
		t.Errorf("it went on to ask %d times", asked)
	}
	if strings.Contains(r.log.String(), "level=WARN") {
		t.Errorf("stopping looks like a failure: %s", r.log)
	}
}

func TestOneReplicaRunsAJobAtATime(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		_, err := r.store.RunAlone(t.Context(), "job", epoch, epoch, func(context.Context, time.Time) error {
			close(inside)
			<-leave
			return nil
		})
		first <- err
	}()
	<-inside
	pool, err := pgxpool.NewWithConfig(t.Context(), r.pool.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	other := store.New(pool, nil, patient)
	never := func(context.Context, time.Time) error { t.Error("two at once"); return nil }
	if ran, err := other.RunAlone(t.Context(), "job", epoch, epoch, never); ran || err != nil {
		t.Errorf("beside another: %t, %v", ran, err)
	}
	if ran, err := other.RunAlone(t.Context(), "other", epoch, epoch, func(context.Context, time.Time) error { return nil }); !ran || err != nil {
		t.Errorf("another job: %t, %v", ran, err)
	}
	close(leave)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	// It has just come through, which is enough for all replicas.
	if ran, err := other.RunAlone(t.Context(), "job", epoch.Add(-time.Second), epoch, never); ran || err != nil {
		t.Errorf("right after: %t, %v", ran, err)
	}
	var last time.Time
	failing := errors.New("no")
	for range 2 {
		ran, err := other.RunAlone(t.Context(), "job", epoch, epoch.Add(time.Hour), func(_ context.Context, l time.Time) error { last = l; return failing })
		if !ran || !errors.Is(err, failing) || !last.Equal(epoch) {
			t.Errorf("a failure does not count: %t, %v, last %s", ran, err, last)
		}
	}
}

func TestAJobIsFreeAgainWhenItsReplicaDies(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, err := r.store.RunAlone(t.Context(), "job", epoch, epoch, func(ctx context.Context, _ time.Time) error {
		_, err := r.pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
		return errors.Join(err, errors.New("killed"))
	})
	if err == nil {
		t.Fatal("the job was not told")
	}
	waittest.Eventually(t, "the lock is free", func() bool {
		ran, err := r.store.RunAlone(t.Context(), "job", epoch, epoch, func(context.Context, time.Time) error { return nil })
		return ran && err == nil
	})
}

func TestFailuresAreLoggedAndTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.person("ann@example.com")
	r.mac(ann)
	r.kratos.spoiled(func(w http.ResponseWriter, _ *http.Request) bool { answer(w, 503, nil); return true })
	r.kratos.change(func() { ann.state = "inactive" })
	stop := r.run()
	waittest.Eventually(t, "it failed", func() bool { return r.kratos.called() > 0 })
	r.kratos.spoiled(nil)
	waittest.Eventually(t, "it came through after all", func() bool { r.clock.Advance(time.Second); return r.standing(ann) == "inactive:disabled" })
	if err := stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(r.log.String(), "could not be compared") {
		t.Errorf("logged: %s", r.log)
	}
}

func TestConfigHasBounds(t *testing.T) {
	t.Parallel()
	if err := (projection.Config{SweepInterval: 20 * time.Second, WalkInterval: time.Hour}).Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []projection.Config{{}, {SweepInterval: time.Minute, WalkInterval: time.Hour}, {SweepInterval: -1, WalkInterval: time.Hour}, {SweepInterval: time.Second}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if _, err := projection.New(nil, nil, projection.Config{}, nil, nil, prometheus.NewRegistry()); err != nil {
		t.Error(err)
	}
}
