package pg_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

func runtime() *service.Runtime {
	return service.NewRuntime("test", "dev", obs.NewLogger(io.Discard, "test", 0))
}

func settings(url string) pg.Config {
	return pg.Config{URL: config.Secret(url), MaxConns: 2, StatementTimeout: 100 * time.Millisecond, Deadline: time.Second}
}

func TestMigrationsApplyOnceForReplicasThatStartTogether(t *testing.T) {
	url := pgtest.NewEmpty(t)
	set := pg.Migrations{Name: "demo", FS: fstest.MapFS{
		"migrations/00001_init.sql": {Data: []byte("-- +goose Up\nCREATE TABLE things (id int PRIMARY KEY);\nINSERT INTO things VALUES (1);\n")},
	}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := pg.Migrate(t.Context(), url, set); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()

	pool, err := pg.Open(t.Context(), settings(url), runtime())
	errtest.None(t, err)
	defer pool.Close()
	var n int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM things").Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d rows, %v", n, err)
	}
}

// TestAMigrationThatWaitsLetsOthersPass: a long transaction, of a backup say, keeps a
// migration from its table. Without an end of its waiting, all of the service would
// stand behind it.
func TestAMigrationThatWaitsLetsOthersPass(t *testing.T) {
	url := pgtest.NewEmpty(t)
	errtest.None(t, pg.Migrate(t.Context(), url, things))
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), url)
		errtest.None(t, err)
		t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
		return conn
	}
	long, other := connect(), connect()
	tx, err := long.Begin(t.Context())
	errtest.None(t, err)
	if _, err := tx.Exec(t.Context(), "SELECT * FROM things"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- pg.Migrate(t.Context(), url, pg.Migrations{Name: "things", FS: fstest.MapFS{
			"migrations/00001_init.sql": {Data: []byte("-- +goose Up\nSELECT 1;\n")},
			"migrations/00002_name.sql": {Data: []byte("-- +goose Up\nALTER TABLE things ADD COLUMN name text;\n")},
		}})
	}()
	waittest.Eventually(t, "the migration waits", func() bool {
		var waits bool
		err := other.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'things'::regclass AND NOT granted)").Scan(&waits)
		return err == nil && waits
	})
	if _, err := connect().Exec(t.Context(), "SET statement_timeout = '20s'; SELECT * FROM things"); err != nil {
		t.Errorf("another cannot read: %v", err)
	}
	errtest.None(t, tx.Rollback(t.Context()))
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := other.Exec(t.Context(), "SELECT name FROM things"); err != nil {
		t.Error(err)
	}
}

func TestStatementsEndInTime(t *testing.T) {
	pool, err := pg.Open(t.Context(), settings(pgtest.NewEmpty(t)), runtime())
	errtest.None(t, err)
	defer pool.Close()
	_, err = pool.Exec(t.Context(), "SELECT pg_sleep(30)")
	if got := pg.Fault(err, nil); !errors.Is(got, fault.Unavailable) {
		t.Fatalf("got %v", got)
	}
}

func TestOpenDoesNotNeedTheServer(t *testing.T) {
	rt := runtime()
	pool, err := pg.Open(t.Context(), settings("postgres://nobody@127.0.0.1:1/none"), rt)
	errtest.None(t, err)
	defer pool.Close()
	if report := rt.Health.Check(t.Context()); report.Checks["database"] == nil {
		t.Fatal("an unreachable database must show in the health checks")
	}
	_, err = pool.Exec(t.Context(), "SELECT 1")
	if got := pg.Fault(err, nil); !errors.Is(got, fault.Unavailable) {
		t.Fatalf("got %v", got)
	}
}

func TestFaultTellsOutagesFromMistakes(t *testing.T) {
	pool, err := pg.Open(t.Context(), settings(pgtest.NewEmpty(t)), runtime())
	errtest.None(t, err)
	defer pool.Close()
	_, mistake := pool.Exec(t.Context(), "SELECT nonsense")
	var number int16
	tooMuch := pool.QueryRow(t.Context(), "SELECT 40000").Scan(&number)
	_, tooMuchToSend := pool.Exec(t.Context(), "SELECT $1::int2", 40000)
	if tooMuch == nil || tooMuchToSend == nil {
		t.Fatal("40000 fits into an int16")
	}
	ignored := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, _ = tx.Exec(t.Context(), "SELECT nonsense")
		return nil
	})
	rows, _ := pool.Query(t.Context(), "SELECT 1, 2")
	_, tooMany := pgx.CollectRows(rows, pgx.RowTo[int])
	if ignored == nil || tooMany == nil {
		t.Fatal("mistakes go unseen")
	}
	closed := open(t, settings(pgtest.NewEmpty(t)))
	closed.Close()
	gone := fault.New(fault.NotFound, "no_thing", "No such thing.")
	for name, tc := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"a wrong statement":          {mistake, fault.Internal},
		"what does not fit our type": {fmt.Errorf("read: %w", tooMuch), fault.Internal},
		"what does not fit theirs":   {fmt.Errorf("write: %w", tooMuchToSend), fault.Internal},
		"a failure that is ignored":  {ignored, fault.Internal},
		"more columns than fields":   {tooMany, fault.Internal},
		"an error of a transaction":  {errors.New("no such plan"), fault.Internal},
		"the connection is cut":      {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), fault.Unavailable},
		"the network":                {fmt.Errorf("write: %w", net.ErrClosed), fault.Unavailable},
		"a pool that is closed":      {closed.Ping(t.Context()), fault.Unavailable},
		"nobody waits any more":      {context.Canceled, fault.Unavailable},
		"no rows":                    {pgx.ErrNoRows, fault.NotFound},
		"deadline":                   {context.DeadlineExceeded, fault.Unavailable},
		"a fault":                    {fault.New(fault.Conflict, "x", "X."), fault.Conflict},
	} {
		if got := pg.Fault(tc.err, gone); !errors.Is(got, tc.want) {
			t.Errorf("%s: got %v, want %s", name, got, tc.want)
		}
	}
	if pg.Fault(nil, nil) != nil {
		t.Error("nil must stay nil")
	}
}

func TestConfigValidate(t *testing.T) {
	if err := settings("postgres://u@127.0.0.1/db").Validate(); err != nil {
		t.Error(err)
	}
	if err := settings("").Validate(); err == nil {
		t.Error("an empty URL must be refused")
	}
}

func TestAConnectionIsGivenUpAfterTwoSecondsOrWhatTheURLSays(t *testing.T) {
	for query, want := range map[string]time.Duration{"": 2 * time.Second, "?connect_timeout=7": 7 * time.Second} {
		pool, err := pg.Open(t.Context(), settings("postgres://nobody@127.0.0.1:1/none"+query), runtime())
		errtest.None(t, err)
		if got := pool.Config().ConnConfig.ConnectTimeout; got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
		pool.Close()
	}
}

// TestALateStatementKeepsItsConnection: of statements whose callers have gone, some end a little later, others wait for
// a lock. A pool that connected anew for each would keep a busy server busy with that.
func TestALateStatementKeepsItsConnection(t *testing.T) {
	cfg := settings(pgtest.NewEmpty(t))
	cfg.StatementTimeout = time.Minute
	pool := open(t, cfg)
	errtest.None(t, pool.Ping(t.Context()))
	for _, seconds := range []float64{0.1, 60, 0.1, 60} {
		late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		began := time.Now()
		_, err := pool.Exec(late, "SELECT pg_sleep($1)", seconds)
		cancel()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("a statement of %v s was waited for for %s", seconds, took)
		}
		if seconds > 1 && !errors.Is(pg.Fault(err, nil), fault.Unavailable) {
			t.Errorf("a statement that was canceled: %v", err)
		}
		errtest.None(t, pool.Ping(t.Context()))
	}
	if connected := pool.Stat().NewConnsCount(); connected != 1 {
		t.Errorf("connected %d times", connected)
	}
}
