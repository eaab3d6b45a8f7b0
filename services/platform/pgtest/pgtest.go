// Package pgtest gives each test a real PostgreSQL database of its own.
//
// A server is taken from FLEDGE_TEST_DATABASE_URL (a superuser's URL, which
// `make test-go` sets for the whole run). Without it, the first test of a binary
// starts one from FLEDGE_POSTGRES_BIN, a directory with initdb and postgres, or
// from the package that deploy/tools/postgres installs.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	databases atomic.Int64
	templates sync.Map // name → *template
)

type template struct {
	once sync.Once
	name string
	err  error
}

// New returns the URL of a fresh database to which migrate has been applied. The
// migrations run once for each name and test binary, into a template that every
// database is then copied from. The database is dropped when the test ends.
func New(t testing.TB, name string, migrate func(ctx context.Context, url string) error) string {
	t.Helper()
	server := serverURL(t)
	entry, _ := templates.LoadOrStore(name, &template{name: fmt.Sprintf("template_%s_%d", name, os.Getpid())})
	tpl := entry.(*template)
	tpl.once.Do(func() {
		if tpl.err = execute(server, "CREATE DATABASE "+quote(tpl.name)); tpl.err == nil {
			tpl.err = migrate(context.Background(), withDatabase(server, tpl.name))
		}
	})
	if tpl.err != nil {
		t.Fatalf("pgtest: template %s: %v", name, tpl.err)
	}
	db := fmt.Sprintf("test_%s_%d_%d", name, os.Getpid(), databases.Add(1))
	if err := execute(server, "CREATE DATABASE "+quote(db)+" TEMPLATE "+quote(tpl.name)); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := execute(server, "DROP DATABASE IF EXISTS "+quote(db)+" WITH (FORCE)"); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return withDatabase(server, db)
}

// NewEmpty returns the URL of a fresh database without any schema.
func NewEmpty(t testing.TB) string {
	t.Helper()
	return New(t, "empty", func(context.Context, string) error { return nil })
}

func execute(server, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		return server + " dbname=" + name
	}
	u.Path = "/" + name
	return u.String()
}
