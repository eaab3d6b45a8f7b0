package periodic_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// database is one without tables.
func database(t *testing.T) (url string) {
	t.Helper()
	return pgtest.New(t, "periodic", func(context.Context, string) error { return nil })
}

// replica starts the tasks as one of several processes.
func replica(t *testing.T, url string, tasks ...periodic.Task) (rt *service.Runtime, pool *pgxpool.Pool, stop func()) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	rt = service.NewRuntime("test", "test", slog.New(slog.DiscardHandler))
	s, err := periodic.New(pool, rt)
	if err != nil {
		t.Fatal(err)
	}
	end, err := s.Unit(tasks...).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return rt, pool, func() {
		t.Helper()
		if err := end(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestOneReplicaRunsAnExclusiveTaskAtATime(t *testing.T) {
	t.Parallel()
	url := database(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	_, _, stop := replica(t, url, periodic.Task{Name: "x", Every: time.Hour, Exclusive: true, Run: func(context.Context) error {
		close(inside)
		<-leave
		return nil
	}})
	<-inside
	ran := make(chan string, 100)
	tell := func(name string) periodic.Task {
		return periodic.Task{Name: name, Every: 10 * time.Millisecond, Exclusive: true, Run: func(context.Context) error {
			select {
			case ran <- name:
			default:
			}
			return nil
		}}
	}
	other, _, stopOther := replica(t, url, tell("x"))
	waittest.Eventually(t, "it skips its turn", func() bool { return metric(t, other.Metrics, "periodic_run_seconds", "elsewhere") > 1 })
	third, _, stopThird := replica(t, url, tell("y"))
	if name := <-ran; name != "y" {
		t.Errorf("%s ran beside another", name)
	}
	stopThird()
	if metric(t, third.Metrics, "periodic_run_seconds", "elsewhere") > 0 {
		t.Error("another task waits for it")
	}
	close(leave)
	waittest.Eventually(t, "the lock is free again", func() bool { return metric(t, other.Metrics, "periodic_run_seconds", "done") > 0 })
	stopOther()
	stop()
}

func TestARunEndsWhenItsLockIsLost(t *testing.T) {
	t.Parallel()
	url := database(t)
	inside := make(chan struct{}, 10)
	rt, pool, stop := replica(t, url, periodic.Task{Name: "x", Every: time.Millisecond, Exclusive: true, Run: func(ctx context.Context) error {
		inside <- struct{}{}
		<-ctx.Done()
		return context.Cause(ctx)
	}})
	<-inside
	_, err := pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if err != nil {
		t.Fatal(err)
	}
	<-inside // the next run, for which the lock is free
	if n := metric(t, rt.Metrics, "periodic_run_seconds", "failed"); n != 1 {
		t.Errorf("%v failures", n)
	}
	stop()
}

func TestWithoutADatabaseAnExclusiveTaskFailsAndGoesOn(t *testing.T) {
	t.Parallel()
	url := database(t)
	task := periodic.Task{Name: "x", Every: 5 * time.Millisecond, Exclusive: true, Run: func(context.Context) error { return nil }}
	rt, pool, stop := replica(t, url, task)
	pool.Close()
	waittest.Eventually(t, "two failures", func() bool { return metric(t, rt.Metrics, "periodic_run_seconds", "failed") > 1 })
	stop()
}
