package pg_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
)

// build is what a build of this version brings: a table, and a function that returns the
// version and reads the table.
func build(t *testing.T, url string, version int) pg.Migrations {
	t.Helper()
	set := pg.Migrations{
		Name: "test",
		FS: fstest.MapFS{
			"migrations/00001_x.sql": &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE x (y integer);")},

			"functions/a.sql":   &fstest.MapFile{Data: []byte("CREATE OR REPLACE FUNCTION a() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN b() + (SELECT count(*) FROM x); END $$;")},
			"functions/b.sql":   &fstest.MapFile{Data: fmt.Appendf(nil, "-- Version.\nCREATE OR REPLACE FUNCTION b() RETURNS integer LANGUAGE sql RETURN %d;", version)},
			"functions/VERSION": &fstest.MapFile{Data: fmt.Appendf(nil, "%d stale", version-1)},
		},
	}
	err := pg.Migrate(t.Context(), url, set)
	if err == nil {
		t.Fatal("functions that do not fit their version are taken")
	}
	found := regexp.MustCompile(`put "(\d+ [0-9a-f]{64})"`).FindStringSubmatch(err.Error())
	if found == nil || !strings.HasPrefix(found[1], fmt.Sprint(version, " ")) {
		t.Fatalf("it does not tell what to do: %v", err)
	}
	set.FS.(fstest.MapFS)["functions/VERSION"] = &fstest.MapFile{Data: []byte(found[1] + "\n")}
	return set
}

func TestTheNewestFunctionsStayWhicheverBuildStartsLast(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	conn, err := pgx.Connect(t.Context(), url)
	errtest.None(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	first, second, third := build(t, url, 1), build(t, url, 2), build(t, url, 3)
	for _, step := range []struct {
		builds []pg.Migrations
		want   int
	}{
		{[]pg.Migrations{first, first}, 1},
		{[]pg.Migrations{second, first}, 2},
		{[]pg.Migrations{first, second, third, first, second}, 3},
	} {
		var replicas sync.WaitGroup
		for _, set := range step.builds {
			replicas.Go(func() {
				if err := pg.Migrate(t.Context(), url, set); err != nil {
					t.Error(err)
				}
			})
		}
		replicas.Wait()
		var got int
		if err := conn.QueryRow(t.Context(), "SELECT a()").Scan(&got); err != nil || got != step.want {
			t.Errorf("a() is %d, want %d; %v", got, step.want, err)
		}
	}
	// What a build does not bring newly, it does not write.
	var before, after uint32
	const row = "SELECT xmin::text::bigint FROM pg_proc WHERE proname = 'a'"
	errtest.None(t, conn.QueryRow(t.Context(), row).Scan(&before))
	errtest.None(t, pg.Migrate(t.Context(), url, third))
	if err := conn.QueryRow(t.Context(), row).Scan(&after); err != nil || before != after {
		t.Errorf("functions were written again, %v", err)
	}
}

// TestAMigrationThatTakesAFunctionAwayDoesNotTakeItFromADatabaseOfBefore: old and new
// databases have the same functions.
func TestAMigrationThatTakesAFunctionAwayDoesNotTakeItFromADatabaseOfBefore(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	set := build(t, url, 1)
	errtest.None(t, pg.Migrate(t.Context(), url, set))
	set.FS.(fstest.MapFS)["migrations/00002_x.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nDROP FUNCTION IF EXISTS b() CASCADE;")}
	errtest.None(t, pg.Migrate(t.Context(), url, set))
	conn, err := pgx.Connect(t.Context(), url)
	errtest.None(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var got int
	if err := conn.QueryRow(t.Context(), "SELECT a()").Scan(&got); err != nil || got != 1 {
		t.Errorf("a() is %d, %v", got, err)
	}
}

// TestAFunctionThatIsWrongChangesNone of the others: all or nothing.
func TestAFunctionThatIsWrongChangesNone(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmpty(t)
	errtest.None(t, pg.Migrate(t.Context(), url, build(t, url, 1)))
	wrong := build(t, url, 2)
	files := wrong.FS.(fstest.MapFS)
	files["functions/c.sql"] = &fstest.MapFile{Data: []byte("CREATE FUNCTION nonsense;")}
	err := pg.Migrate(t.Context(), url, wrong)
	if err == nil {
		t.Fatal("an added file needs no new version")
	}
	files["functions/VERSION"] = &fstest.MapFile{Data: []byte(regexp.MustCompile(`\d+ [0-9a-f]{64}`).FindString(err.Error()))}
	if err := pg.Migrate(t.Context(), url, wrong); err == nil || !strings.Contains(err.Error(), "functions test") {
		t.Errorf("migrated: %v", err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	errtest.None(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var got, version int
	if err := conn.QueryRow(t.Context(), "SELECT a(), version FROM schema_functions").Scan(&got, &version); err != nil || got != 1 || version != 1 {
		t.Errorf("a() is %d, version %d, %v", got, version, err)
	}
}
