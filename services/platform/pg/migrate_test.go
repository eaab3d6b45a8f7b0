package pg_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

// TestADatabaseOfAnotherEncodingIsRefused with what to do, before anything is made in it.
func TestADatabaseOfAnotherEncodingIsRefused(t *testing.T) {
	given, err := url.Parse(pgtest.NewEmpty(t))
	errtest.None(t, err)
	conn, err := pgx.Connect(t.Context(), given.String())
	errtest.None(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	name := strings.TrimPrefix(given.Path, "/") + "_ascii"
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name+" ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	server := given.String()
	t.Cleanup(func() { dropDatabase(t, server, name) })
	given.Path = "/" + name
	set := pg.Migrations{Name: "none", FS: fstest.MapFS{"migrations/00001_none.sql": {Data: []byte("-- +goose Up\nCREATE TABLE things (id int);")}}}
	if err := pg.Migrate(t.Context(), given.String(), set); err == nil || !strings.Contains(err.Error(), name+" has the encoding SQL_ASCII: create it again with ENCODING 'UTF8'") {
		t.Errorf("%v", err)
	}
}

func dropDatabase(t *testing.T, server, name string) {
	ctx := context.Background() // the test's own has ended
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "DROP DATABASE "+name); err != nil {
		t.Error(err)
	}
}

// TestAnIndexIsBuiltWhileOthersWrite is the recipe of CONTRIBUTING: replicas that start together
// build it once, writers pass, and what a killed build has left is built anew.
func TestAnIndexIsBuiltWhileOthersWrite(t *testing.T) {
	server := pgtest.NewEmpty(t)
	errtest.None(t, pg.Migrate(t.Context(), server, things))
	conn, err := pgx.Connect(t.Context(), server)
	errtest.None(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	exec := func(db interface {
		Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	}, sql string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(conn, "INSERT INTO things SELECT generate_series(1, 1000)")
	// A build that is killed leaves an index that is not valid.
	exec(conn, "CREATE INDEX things_negative ON things ((-id))")
	exec(conn, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'things_negative'::regclass")

	tx, err := conn.Begin(t.Context()) // a writer, for which a build has to wait
	errtest.None(t, err)
	exec(tx, "INSERT INTO things VALUES (1001)")
	grown := things
	grown.FS = fstest.MapFS{
		"migrations/00001_init.sql":  things.FS.(fstest.MapFS)["migrations/00001_init.sql"],
		"migrations/00002_index.sql": {Data: []byte(concurrently)},
	}
	done := make(chan error, 2)
	for range cap(done) {
		go func() { done <- pg.Migrate(t.Context(), server, grown) }()
	}
	other, err := pgx.Connect(t.Context(), server)
	errtest.None(t, err)
	defer func() { _ = other.Close(context.Background()) }()
	waittest.Eventually(t, "a build waits for the writer", func() bool {
		var waiting bool
		err := other.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query ~ '^(DROP|CREATE) INDEX' AND wait_event_type = 'Lock' AND datname = current_database())").Scan(&waiting)
		return err == nil && waiting
	})
	exec(other, "SET lock_timeout = '1s'")
	exec(other, "INSERT INTO things VALUES (1002)") // others do not wait for the build
	errtest.None(t, tx.Commit(t.Context()))
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var valid bool
	if err := other.QueryRow(t.Context(), "SELECT indisvalid FROM pg_index WHERE indexrelid = 'things_negative'::regclass").Scan(&valid); err != nil || !valid {
		t.Errorf("valid %v, %v", valid, err)
	}
}

const concurrently = `-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS things_negative;
CREATE INDEX CONCURRENTLY things_negative ON things ((-id));
RESET lock_timeout;
`
