package pg_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

func open(t *testing.T, cfg pg.Config) *pgxpool.Pool {
	t.Helper()
	pool, err := pg.Open(t.Context(), cfg, runtime())
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// TestWhatPostgreSQLAnswers has the server answer each SQLSTATE that says something about a
// server, and some that say something about a statement.
func TestWhatPostgreSQLAnswers(t *testing.T) {
	const kept, dropped = false, true
	cfg := settings(pgtest.NewEmpty(t))
	cfg.MaxConns = 1
	cfg.StatementTimeout = time.Minute
	pool := open(t, cfg)
	backend := func() (pid int) {
		errtest.None(t, pool.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid))
		return pid
	}
	for code, want := range map[string]struct {
		kind    fault.Kind
		dropped bool
	}{
		"08000": {fault.Unavailable, dropped}, // connection_exception
		"08003": {fault.Unavailable, dropped}, // connection_does_not_exist
		"08006": {fault.Unavailable, dropped}, // connection_failure
		"08P01": {fault.Unavailable, dropped}, // protocol_violation
		"0A000": {fault.Unavailable, dropped}, // feature_not_supported
		"22003": {fault.Internal, kept},       // numeric_value_out_of_range
		"22P02": {fault.Internal, kept},       // invalid_text_representation
		"23502": {fault.Internal, kept},       // not_null_violation
		"23505": {fault.Internal, kept},       // unique_violation
		"25001": {fault.Internal, kept},       // active_sql_transaction
		"25006": {fault.Unavailable, dropped}, // read_only_sql_transaction
		"25P02": {fault.Internal, kept},       // in_failed_sql_transaction
		"25P03": {fault.Unavailable, dropped}, // idle_in_transaction_session_timeout
		"25P04": {fault.Unavailable, dropped}, // transaction_timeout
		"26000": {fault.Unavailable, dropped}, // invalid_sql_statement_name
		"28P01": {fault.Internal, kept},       // invalid_password
		"3D000": {fault.Internal, kept},       // invalid_catalog_name
		"40001": {fault.Unavailable, kept},    // serialization_failure
		"40P01": {fault.Unavailable, kept},    // deadlock_detected
		"42501": {fault.Internal, kept},       // insufficient_privilege
		"42601": {fault.Internal, kept},       // syntax_error
		"42703": {fault.Internal, kept},       // undefined_column
		"42883": {fault.Internal, kept},       // undefined_function
		"42P01": {fault.Internal, kept},       // undefined_table
		"42P05": {fault.Unavailable, dropped}, // duplicate_prepared_statement
		"53000": {fault.Unavailable, kept},    // insufficient_resources
		"53100": {fault.Unavailable, kept},    // disk_full
		"53200": {fault.Unavailable, kept},    // out_of_memory
		"53300": {fault.Unavailable, kept},    // too_many_connections
		"53400": {fault.Unavailable, kept},    // configuration_limit_exceeded
		"54001": {fault.Internal, kept},       // statement_too_complex
		"55000": {fault.Internal, kept},       // object_not_in_prerequisite_state
		"55006": {fault.Unavailable, kept},    // object_in_use
		"55P03": {fault.Unavailable, kept},    // lock_not_available
		"57000": {fault.Unavailable, kept},    // operator_intervention
		"57014": {fault.Unavailable, kept},    // query_canceled
		"57P01": {fault.Unavailable, dropped}, // admin_shutdown
		"57P02": {fault.Unavailable, dropped}, // crash_shutdown
		"57P03": {fault.Unavailable, dropped}, // cannot_connect_now
		"57P04": {fault.Unavailable, dropped}, // database_dropped
		"57P05": {fault.Unavailable, dropped}, // idle_session_timeout
		"58000": {fault.Unavailable, dropped}, // system_error
		"58030": {fault.Unavailable, dropped}, // io_error
		"58P01": {fault.Unavailable, dropped}, // undefined_file
		"P0001": {fault.Internal, kept},       // raise_exception
		"XX000": {fault.Internal, kept},       // internal_error
		"XX001": {fault.Internal, kept},       // data_corrupted
		"XX002": {fault.Internal, kept},       // index_corrupted
	} {
		before := backend()
		_, err := pool.Exec(t.Context(), fmt.Sprintf("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '%s'; END $$", code))
		if pgErr, ok := errors.AsType[*pgconn.PgError](err); !ok || pgErr.Code != code {
			t.Fatalf("%s: the server answered %v", code, err)
		}
		got := fault.Of(pg.Fault(err, nil))
		if got.Kind != want.kind || (got.Retry > 0) != (want.kind == fault.Unavailable) {
			t.Errorf("%s: %s, retry after %s, want %s", code, got.Kind, got.Retry, want.kind)
		}
		if got := backend() != before; got != want.dropped {
			t.Errorf("%s: the connection was dropped: %t, want %t", code, got, want.dropped)
		}
	}
}

// TestNoConnectionIsAnOutage: whatever the server says to who may not connect, a statement
// was not what it refused.
func TestNoConnectionIsAnOutage(t *testing.T) {
	server, err := url.Parse(pgtest.NewEmpty(t))
	errtest.None(t, err)
	server.Path = "/nowhere"
	_, err = open(t, settings(server.String())).Exec(t.Context(), "SELECT 1")
	if got := pg.Fault(err, nil); !errors.Is(got, fault.Unavailable) {
		t.Errorf("got %v", got)
	}
}

// failover is a database that its server can refuse to write to, as it does on a standby.
type failover struct {
	t    *testing.T
	url  string
	name string
}

func newFailover(t *testing.T) failover {
	t.Helper()
	address := pgtest.NewEmpty(t)
	u, err := url.Parse(address)
	errtest.None(t, err)
	f := failover{t: t, url: address, name: pgx.Identifier{strings.TrimPrefix(u.Path, "/")}.Sanitize()}
	f.do("CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY)")
	return f
}

// do uses a connection of its own that may write.
func (f failover) do(sql string) {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), f.with("default_transaction_read_only", "off"))
	errtest.None(f.t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(f.t.Context())) }()
	if _, err := conn.Exec(f.t.Context(), sql); err != nil {
		f.t.Fatal(err)
	}
}

func (f failover) with(parameter, value string) string {
	u, err := url.Parse(f.url)
	errtest.None(f.t, err)
	query := u.Query()
	query.Set(parameter, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// begin makes the database read-only for new connections, and ends the others.
func (f failover) begin() {
	f.t.Helper()
	f.do("ALTER DATABASE " + f.name + " SET default_transaction_read_only = on")
	f.do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
}

// end leaves the connections that were made meanwhile, as a failover does that happens
// behind a service name.
func (f failover) end() {
	f.t.Helper()
	f.do("ALTER DATABASE " + f.name + " RESET default_transaction_read_only")
}

// fill has the pool make all of its connections, and reports whether each works.
func fill(ctx context.Context, pool *pgxpool.Pool) bool {
	for range pool.Config().MaxConns {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return false
		}
		defer conn.Release()
		if conn.Ping(ctx) != nil {
			return false
		}
	}
	return true
}

const write = "INSERT INTO things DEFAULT VALUES"

// TestAFailoverHeals: after a switch of servers a pool has connections to one that takes no
// writes.
func TestAFailoverHeals(t *testing.T) {
	db := newFailover(t)
	cfg := settings(db.url)
	cfg.MaxConns = 8
	pool := open(t, cfg)
	if _, err := pool.Exec(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	db.begin()
	waittest.Eventually(t, "all connections lead to the server that takes no writes", func() bool { return fill(t.Context(), pool) })
	began := time.Now()
	_, err := pool.Exec(t.Context(), write)
	got := fault.Of(pg.Fault(err, nil))
	if got.Kind != fault.Unavailable || got.Retry <= 0 || time.Since(began) > cfg.Deadline {
		t.Errorf("during the failover: %v, retry after %s, answered after %s", got, got.Retry, time.Since(began))
	}
	if idle := pool.Stat().IdleConns(); idle != 0 {
		t.Errorf("%d connections to the server that takes no writes are left", idle)
	}
	beside, err := pgx.ConnectConfig(t.Context(), pool.Config().ConnConfig)
	errtest.None(t, err)
	if _, err := beside.Exec(t.Context(), write); err == nil || !beside.IsClosed() {
		t.Errorf("a connection beside the pool is left: %v", err)
	}
	db.end()
	if _, err := pool.Exec(t.Context(), write); err != nil {
		t.Errorf("the first write after the failover: %v", err)
	}
}

func TestAStartWaitsForAServerThatTakesWrites(t *testing.T) {
	db := newFailover(t)
	db.begin()
	tries := 0
	err := start(t, db.url, func(ctx context.Context) error {
		if tries++; tries == 2 {
			db.end()
		}
		return pg.Migrate(ctx, db.url, pg.Migrations{Name: "more", FS: fstest.MapFS{
			"migrations/00001_init.sql": {Data: []byte("-- +goose Up\nCREATE TABLE more (id int PRIMARY KEY);\n")},
		}})
	})
	if err != nil || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

// TestTargetSessionAttrs: where the URL says so, a server that takes no writes counts as one
// that is not there, and the next host is tried.
func TestTargetSessionAttrs(t *testing.T) {
	db := newFailover(t)
	cfg := settings(db.with("target_session_attrs", "read-write"))
	pool := open(t, cfg)
	db.begin()
	_, err := pool.Exec(t.Context(), "SELECT 1")
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); !connecting || !errors.Is(pg.Fault(err, nil), fault.Unavailable) {
		t.Errorf("on a server that takes no writes: %v", err)
	}
	db.end()
	if _, err := pool.Exec(t.Context(), write); err != nil {
		t.Errorf("after the failover: %v", err)
	}
}
