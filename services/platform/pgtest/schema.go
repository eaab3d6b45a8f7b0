package pgtest

import (
	"context"
	_ "embed"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
)

var update = flag.Bool("update", false, "write the file that a test compares with")

// schemaServer is the major version of PostgreSQL that the files are written with.
const schemaServer = 18

// schemaQuery describes the public schema from PostgreSQL's catalogue, a statement a row.
// pg_dump would do, but is not part of the servers that tests start.
//
//go:embed schema.sql
var schemaQuery string

// Schema compares the schema that migrate makes of an empty database with a file, which a
// person reads instead of all migrations: types, tables, indexes, functions and triggers of
// the public schema, by name. `go test -update` writes the file.
func Schema(t *testing.T, file string, migrate func(ctx context.Context, url string) error) {
	t.Helper()
	url := NewEmpty(t)
	errtest.None(t, migrate(t.Context(), url))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	errtest.None(t, err)
	defer func() { _ = conn.Close(ctx) }()
	requireServer(t, conn)
	rows, err := conn.Query(ctx, schemaQuery)
	errtest.None(t, err)
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	errtest.None(t, err)
	got := "-- Generated from the migrations by `go test -run Schema -update`; DO NOT EDIT.\n\n" + strings.Join(statements, "\n") + "\n"
	if *update {
		errtest.None(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	errtest.None(t, err)
	if got != string(want) {
		t.Errorf("%s is not what the migrations make: run `go test -run Schema -update` in this folder", file)
	}
}

// requireServer skips a test on another PostgreSQL than the one that files were written with.
func requireServer(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	var version int
	errtest.None(t, conn.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::integer / 10000").Scan(&version))
	if version != schemaServer {
		t.Skipf("PostgreSQL %d may word a schema differently than %d, which the tests install", version, schemaServer)
	}
}
