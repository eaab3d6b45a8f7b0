package pg_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
)

// TestASecondLoginTakesTheFirstOnesPlace follows deploy/docs/operations.md: the role that owns the
// database goes on to own what is made under the second login, so either can be taken away.
func TestASecondLoginTakesTheFirstOnesPlace(t *testing.T) {
	given, err := url.Parse(pgtest.NewEmpty(t))
	errtest.None(t, err)
	superuser, err := pgx.Connect(t.Context(), given.String())
	errtest.None(t, err)
	database, first := strings.TrimPrefix(given.Path, "/"), fmt.Sprintf("owner_%d", os.Getpid())
	exec := func(sql string) {
		t.Helper()
		if _, err := superuser.Exec(context.Background(), strings.NewReplacer("FIRST", first, "DATABASE_NAME", database).Replace(sql)); err != nil {
			t.Error(err)
		}
	}
	as := func(login, password string) string {
		there := *given
		there.User = url.UserPassword(login, password)
		return there.String()
	}
	migrated := func(url string, version int) {
		t.Helper()
		files := fstest.MapFS{}
		for v := 1; v <= version; v++ {
			files[fmt.Sprintf("migrations/%05d_t.sql", v)] = &fstest.MapFile{Data: fmt.Appendf(nil, "-- +goose Up\nCREATE TABLE t%d (id int);", v)}
		}
		errtest.None(t, pg.Migrate(t.Context(), url, pg.Migrations{Name: "t", FS: files}))
	}
	t.Cleanup(func() {
		exec("ALTER DATABASE DATABASE_NAME OWNER TO CURRENT_USER")
		exec("DROP OWNED BY FIRST")
		exec("DROP ROLE FIRST")
		_ = superuser.Close(context.Background())
	})
	exec("CREATE ROLE FIRST LOGIN PASSWORD 'one'")
	exec("ALTER DATABASE DATABASE_NAME OWNER TO FIRST")
	exec("REVOKE ALL ON DATABASE DATABASE_NAME FROM PUBLIC")
	migrated(as(first, "one"), 1)

	exec("CREATE ROLE FIRST_b LOGIN PASSWORD 'two' IN ROLE FIRST")
	exec("ALTER ROLE FIRST_b SET role = 'FIRST'")
	exec("ALTER ROLE FIRST NOLOGIN")
	migrated(as(first+"_b", "two"), 2)

	exec("ALTER ROLE FIRST LOGIN PASSWORD 'three'")
	exec("DROP ROLE FIRST_b")
	migrated(as(first, "three"), 3)
	var others int
	errtest.None(t, superuser.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tableowner <> $1", first).Scan(&others))
	if others != 0 {
		t.Errorf("%d tables belong to somebody else", others)
	}
}
