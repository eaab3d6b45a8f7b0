package periodic_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/service"
)

// start starts the task in the bubble of a test.
func start(t *testing.T, rt *service.Runtime, task periodic.Task) (stop func()) {
	t.Helper()
	s, err := periodic.New(nil, rt)
	errtest.None(t, err)
	end, err := s.Unit(task).Start(t.Context())
	errtest.None(t, err)
	return func() {
		t.Helper()
		synctest.Wait()
		if err := end(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// run starts the task in the bubble of a test, lets it go for a while, and stops it.
func run(t *testing.T, d time.Duration, task periodic.Task) (rt *service.Runtime, log string) {
	t.Helper()
	var out bytes.Buffer
	rt = service.NewRuntime("test", "test", slog.New(slog.NewTextHandler(&out, nil)))
	stop := start(t, rt, task)
	service.Pause(t.Context(), d)
	stop()
	return rt, out.String()
}

// metric is the value of a gauge, or the number of runs with an outcome.
func metric(t *testing.T, reg prometheus.Gatherer, name, outcome string) float64 {
	t.Helper()
	families, err := reg.Gather()
	errtest.None(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			switch {
			case f.GetName() != name:
			case outcome == "":
				return m.GetGauge().GetValue()
			case m.GetLabel()[0].GetValue() == outcome:
				return float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return -1
}

func TestATaskRunsAfterItsDelayAndThenAtItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		rt, _ := run(t, 2*time.Hour+time.Minute, periodic.Task{Name: "x", Every: time.Hour, Delay: 10 * time.Second, Run: func(context.Context) error {
			at = append(at, time.Since(began))
			service.Pause(t.Context(), 5*time.Second)
			return nil
		}})
		if want := []time.Duration{10 * time.Second, time.Hour + 15*time.Second, 2*time.Hour + 20*time.Second}; !slices.Equal(at, want) {
			t.Errorf("ran at %v, want %v", at, want)
		}
		last := time.Unix(int64(metric(t, rt.Metrics, "periodic_last_success_timestamp_seconds", "")), 0)
		if n := metric(t, rt.Metrics, "periodic_run_seconds", "done"); n != 3 || last.Sub(began).Round(time.Second) != at[2]+5*time.Second {
			t.Errorf("%v runs, the last at %s", n, last)
		}
		if every := metric(t, rt.Metrics, "periodic_interval_seconds", ""); every != 3600 {
			t.Errorf("an interval of %v s", every)
		}
	})
}

func TestAFailureIsRetriedSoonerAndLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		rt, log := run(t, 2*time.Minute, periodic.Task{Name: "x", Every: time.Hour, Retry: 10 * time.Second, Run: func(context.Context) error {
			if runs++; runs <= 9 {
				return errors.New("away")
			}
			return nil
		}})
		if runs != 10 || metric(t, rt.Metrics, "periodic_run_seconds", "failed") != 9 {
			t.Errorf("%d runs", runs)
		}
		if n := strings.Count(log, "task=x retry_in=10s error=away"); n != 2 {
			t.Errorf("logged %d times: %s", n, log)
		}
	})
}

func TestARunThatPanicsOrTakesTooLongIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		rt, log := run(t, 2*time.Hour, periodic.Task{Name: "x", Every: time.Hour, Timeout: time.Minute, Run: func(ctx context.Context) error {
			if runs++; runs == 1 {
				panic("oh")
			}
			<-ctx.Done()
			return ctx.Err()
		}})
		if metric(t, rt.Metrics, "periodic_run_seconds", "panicked") != 1 || metric(t, rt.Metrics, "periodic_run_seconds", "failed") != 1 {
			t.Error("they are not counted as such")
		}
		if metric(t, rt.Metrics, "periodic_last_success_timestamp_seconds", "") != 0 {
			t.Error("one counts as a success")
		}
		if !strings.Contains(log, "panic=oh") || !strings.Contains(log, "deadline exceeded") {
			t.Errorf("logged %s", log)
		}
	})
}

// TestARunMayTakeUntilItsDeadline, but not the run that follows a failure.
func TestARunMayTakeUntilItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := service.NewRuntime("test", "test", slog.New(slog.DiscardHandler))
		began := time.Now()
		deadline := func() time.Duration {
			until := metric(t, rt.Metrics, "periodic_run_deadline_timestamp_seconds", "")
			if until == 0 {
				return 0
			}
			return time.Unix(int64(until), 0).Sub(began).Round(time.Second)
		}
		var within []time.Duration
		stop := start(t, rt, periodic.Task{Name: "x", Every: time.Hour, Timeout: 10 * time.Minute, Run: func(context.Context) error {
			if within = append(within, deadline()); len(within) == 2 {
				return errors.New("away")
			}
			return nil
		}})
		synctest.Wait()
		if d := deadline(); d != 0 {
			t.Errorf("after a run it may take until %s", d)
		}
		service.Pause(t.Context(), 3*time.Hour+time.Minute)
		stop()
		if want := []time.Duration{10 * time.Minute, 70 * time.Minute, 0, 190 * time.Minute}; !slices.Equal(within, want) {
			t.Errorf("the runs may take until %v, want %v", within, want)
		}
	})
}

func TestStoppingEndsARunAndIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, log := run(t, time.Minute, periodic.Task{Name: "x", Every: time.Hour, Timeout: time.Hour, Run: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		if metric(t, rt.Metrics, "periodic_run_seconds", "failed") != 0 || log != "" {
			t.Errorf("it is a failure: %s", log)
		}
	})
}

func TestAWakeUpCutsThePauseShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{}, 1)
		runs := 0
		run(t, time.Minute, periodic.Task{Name: "x", Every: time.Hour, Wake: wake, Run: func(context.Context) error {
			if runs++; runs < 3 {
				wake <- struct{}{}
			}
			return nil
		}})
		if runs != 3 {
			t.Errorf("%d runs", runs)
		}
	})
}

func TestATaskThatAnotherReplicaHasDoneIsNotOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, log := run(t, time.Minute, periodic.Task{Name: "x", Every: time.Hour, Retry: time.Second, Run: func(context.Context) error { return periodic.ErrNotDue }})
		if metric(t, rt.Metrics, "periodic_run_seconds", "not_due") != 1 || metric(t, rt.Metrics, "periodic_run_seconds", "done") > 0 || log != "" {
			t.Errorf("it counts as a run: %s", log)
		}
		if metric(t, rt.Metrics, "periodic_last_success_timestamp_seconds", "") == 0 {
			t.Error("it counts as overdue")
		}
	})
}
