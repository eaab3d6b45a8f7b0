package pg_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
)

// TestADatabaseOfAnotherEncodingIsRefused with what to do, before anything is made in it.
func TestADatabaseOfAnotherEncodingIsRefused(t *testing.T) {
	given, err := url.Parse(pgtest.NewEmpty(t))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), given.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	name := strings.TrimPrefix(given.Path, "/") + "_ascii"
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name+" ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	server := given.String()
	t.Cleanup(func() { dropDatabase(t, server, name) })
	given.Path = "/" + name
	set := pg.Migrations{Name: "none", FS: fstest.MapFS{"00001_none.sql": {Data: []byte("-- +goose Up\nCREATE TABLE things (id int);")}}}
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
