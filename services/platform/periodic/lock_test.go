package periodic_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
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
	return logging(t, slog.DiscardHandler, url, tasks...)
}

// logging is a replica whose log is read.
func logging(t *testing.T, log slog.Handler, url string, tasks ...periodic.Task) (rt *service.Runtime, pool *pgxpool.Pool, stop func()) {
	t.Helper()
	pool = pgtest.Open(t, url)
	rt = service.NewRuntime("test", "test", slog.New(log))
	s, err := periodic.New(pool, rt)
	errtest.None(t, err)
	end, err := s.Unit(tasks...).Start(t.Context())
	errtest.None(t, err)
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
	var log bytes.Buffer
	rt, pool, stop := logging(t, slog.NewTextHandler(&log, nil), url, periodic.Task{Name: "x", Every: time.Millisecond, Exclusive: true, Run: func(ctx context.Context) error {
		inside <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}})
	<-inside
	_, err := pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	errtest.None(t, err)
	<-inside // the next run, for which the lock is free
	if n := metric(t, rt.Metrics, "periodic_run_seconds", "failed"); n != 1 {
		t.Errorf("%v failures", n)
	}
	stop()
	if !strings.Contains(log.String(), "the task's lock was lost") || !strings.Contains(log.String(), context.Canceled.Error()) {
		t.Errorf("it does not tell why: %s", log.String())
	}
}

// TestTheRunbookFindsWhoHoldsATasksLock among other locks and other databases' tasks.
func TestTheRunbookFindsWhoHoldsATasksLock(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../deploy/docs/runbooks/PeriodicTaskOverdue.md")
	errtest.None(t, err)
	_, query, _ := strings.Cut(string(page), "```sql\n")
	query, _, _ = strings.Cut(query, "```")
	url := database(t)
	inside := make(chan struct{})
	hang := func(name string) periodic.Task {
		return periodic.Task{Name: name, Every: time.Hour, Exclusive: true, Run: func(ctx context.Context) error {
			inside <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}}
	}
	// Their keys are positive and negative.
	tasks := []string{"cleanup", "balance_check", "stripe_reconcile", "kratos_reconcile", "kratos_full_reconcile"}
	for _, name := range tasks {
		_, _, stop := replica(t, url, hang(name))
		defer stop()
		_, _, stop = replica(t, database(t), hang(name))
		defer stop()
		<-inside
		<-inside
	}
	conn, err := pgx.Connect(t.Context(), url)
	errtest.None(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(t.Context(), "SELECT pg_advisory_lock(hashtextextended('fledge outbox relay ' || 'x', 0))"); err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, name := range tasks {
		rows, err := conn.Query(t.Context(), strings.ReplaceAll(query, "TASK", name))
		errtest.None(t, err)
		type holder struct {
			PID        int
			ClientAddr *netip.Addr
			Since      time.Time
		}
		holders, err := pgx.CollectRows(rows, pgx.RowToStructByPos[holder])
		if err != nil || len(holders) != 1 {
			t.Fatalf("%s: %v, %v", name, holders, err)
		}
		if other := found[holders[0].PID]; other != "" || holders[0].ClientAddr == nil {
			t.Errorf("%s: %+v, which holds %q, too", name, holders[0], other)
		}
		found[holders[0].PID] = name
	}
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
