package projection_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

func (r *rig) run() (stop func() error) {
	r.t.Helper()
	rt := service.NewRuntime("identity", "test", slog.New(slog.NewTextHandler(r.log, nil)))
	rt.Clock, rt.Metrics = r.clock, r.metrics
	background, err := periodic.New(r.pool, rt)
	errtest.None(r.t, err)
	stopUnit, err := background.Unit(r.Tasks()...).Start(r.t.Context())
	errtest.None(r.t, err)
	return func() error { return stopUnit(context.Background()) }
}

func TestTheTasksReconcileUntilStopped(t *testing.T) {
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
	for _, job := range []string{"kratos_reconcile", "kratos_full_reconcile"} {
		waittest.Eventually(t, job+" has succeeded", func() bool {
			return r.metric("periodic_last_success_timestamp_seconds", job) >= float64(epoch.Unix())
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
	var asked atomic.Int64
	third, stopped := make(chan struct{}), make(chan struct{})
	r.kratos.spoiled(func(w http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path == "/admin/identities" {
			answer(w, http.StatusOK, []any{})
			return true
		}
		if asked.Add(1) == 3 {
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
	if n := asked.Load(); n > 40 {
		t.Errorf("it went on to ask %d times", n)
	}
	if strings.Contains(r.log.String(), "level=WARN") {
		t.Errorf("stopping looks like a failure: %s", r.log)
	}
}

// TestAJobThatAnotherReplicaHasDoneLatelyIsSkipped, but not at the start, and not because
// of a run that failed.
func TestAJobThatAnotherReplicaHasDoneLatelyIsSkipped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.mac(r.person("ann@example.com"))
	ours, other := r.Tasks()[0], r.fresh().Tasks()[0]
	runs := func(what string, task periodic.Task, want bool) {
		t.Helper()
		r.clock.Advance(time.Millisecond)
		err := task.Run(t.Context())
		last, lastErr := r.store.LastRun(t.Context(), task.Name)
		if ran := last.Equal(r.clock.Now()); ran != want || want != (err == nil) || lastErr != nil {
			t.Errorf("%s: it ran %t, %v, %v", what, ran, err, lastErr)
		}
	}
	runs("the first", other, true)
	runs("right after another", ours, false)
	runs("at the start", r.fresh().Tasks()[0], true)
	r.clock.Advance(ours.Every)
	r.kratos.spoiled(func(w http.ResponseWriter, _ *http.Request) bool { answer(w, 503, nil); return true })
	runs("without Kratos", other, false)
	r.kratos.spoiled(nil)
	runs("after a failure", ours, true)
	runs("its own turn, too soon", other, false)
}

// TestADeadReplicasTurnsAreTakenOver at the next turn of another one, which had found it at
// work before.
func TestADeadReplicasTurnsAreTakenOver(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.mac(r.person("ann@example.com"))
	ours := r.Tasks()[0]
	r.clock.Advance(time.Millisecond)
	errtest.None(t, ours.Run(t.Context()))
	r.clock.Advance(ours.Every - ours.Every/20)
	if err := r.fresh().Tasks()[0].Run(t.Context()); err != nil {
		t.Fatalf("another, at its start: %v", err)
	}
	r.clock.Advance(ours.Every + ours.Every/20) // with one turn in between, at which the other was at it
	if err := ours.Run(t.Context()); err != nil {
		t.Errorf("an interval after the other: %v", err)
	}
}

// TestBothJobsRunInOneReplicaAtATime.
func TestBothJobsRunInOneReplicaAtATime(t *testing.T) {
	t.Parallel()
	for _, task := range newRig(t).Tasks() {
		if !task.Exclusive {
			t.Errorf("every replica is at %s", task.Name)
		}
	}
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
	if !strings.Contains(r.log.String(), "a periodic task failed") {
		t.Errorf("logged: %s", r.log)
	}
}

func TestConfigHasBounds(t *testing.T) {
	t.Parallel()
	if err := (projection.Config{Interval: 20 * time.Second, FullInterval: time.Hour}).Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []projection.Config{{}, {Interval: time.Hour, FullInterval: time.Hour}, {Interval: -1, FullInterval: time.Hour}, {Interval: time.Second}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if _, err := projection.New(nil, nil, projection.Config{}, nil, nil, prometheus.NewRegistry()); err != nil {
		t.Error(err)
	}
}
