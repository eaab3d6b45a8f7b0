package store_test

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/waitlist/internal/store"
)

func TestMigratingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	databaseURL := newDatabase(t)
	errtest.None(t, store.Migrate(t.Context(), databaseURL))
}

func TestSearchHasATrigramIndexWhereItCan(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	var available, indexed bool
	err := f.pool.QueryRow(t.Context(), `SELECT
		EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm'),
		EXISTS (SELECT FROM pg_indexes WHERE indexname = 'waitlist_users_email_trgm')`).Scan(&available, &indexed)
	if err != nil || available != indexed {
		t.Errorf("pg_trgm available: %t, index there: %t, %v", available, indexed, err)
	}
}

// TestSearchWorksForARoleThatMayNotInstallExtensions migrates as a role with no
// more rights than making schemas and tables.
func TestSearchWorksForARoleThatMayNotInstallExtensions(t *testing.T) {
	t.Parallel()
	databaseURL := pgtest.NewEmpty(t)
	role := fmt.Sprintf("waitlist_plain_%d", os.Getpid())
	superuser, err := pgx.Connect(t.Context(), databaseURL)
	errtest.None(t, err)
	defer func() { _ = superuser.Close(t.Context()) }()
	exec := func(sql string) {
		t.Helper()
		if _, err := superuser.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE ROLE " + role + " LOGIN PASSWORD 'plain'")
	defer exec("DROP ROLE " + role)
	defer exec("DROP OWNED BY " + role)
	exec("GRANT ALL ON SCHEMA public TO " + role)
	plain, err := url.Parse(databaseURL)
	errtest.None(t, err)
	exec("GRANT CREATE ON DATABASE " + pgx.Identifier{strings.TrimPrefix(plain.Path, "/")}.Sanitize() + " TO " + role)
	plain.User = url.UserPassword(role, "plain")
	errtest.None(t, store.Migrate(t.Context(), plain.String()))
	f := fixtureOn(t, plain.String(), patient)
	defer f.pool.Close()
	f.joined("ada@example.com")
	page, err := f.List(t.Context(), store.Filter{Search: "ADA@"}, nil, 10)
	if want := []string{"ada@example.com"}; err != nil || !slices.Equal(addresses(page), want) {
		t.Errorf("found %v, %v; want %v", addresses(page), err, want)
	}
}
