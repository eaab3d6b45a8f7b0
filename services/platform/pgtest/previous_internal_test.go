package pgtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
)

const firstVersion = `
	CREATE TABLE apps (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, note text, stars int NOT NULL DEFAULT 0);
	CREATE UNIQUE INDEX noted ON apps (note) WHERE stars > 0;
	CREATE FUNCTION rename(app bigint, name text) RETURNS text LANGUAGE sql AS 'SELECT $2';
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
	CREATE TRIGGER kept BEFORE DELETE ON apps EXECUTE FUNCTION refuse()`

// TestWhatThePreviousVersionCannotGoOnWith: each change of a schema, and what is wrong with it.
func TestWhatThePreviousVersionCannotGoOnWith(t *testing.T) {
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, NewEmpty(t))
	errtest.None(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	apply := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	apply(firstVersion)
	before := version{Version: "1.0.0", Statements: map[string]statement{}}
	for name, sql := range map[string]string{"add": "INSERT INTO apps (name) VALUES ($1) RETURNING id", "list": "SELECT name, rename(id, $1) FROM apps"} {
		s, err := prepared(ctx, conn, sql)
		errtest.None(t, err)
		before.Statements[name] = s
	}
	if before.schema, err = schemaOf(ctx, conn); err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string][]string{
		"SELECT": nil,
		"ALTER TABLE apps ADD icon text, ADD size int NOT NULL DEFAULT 1, ADD twice int GENERATED ALWAYS AS (stars * 2)": nil,
		"CREATE TABLE others (id int NOT NULL CHECK (id > 0))":                                                           nil,
		"ALTER TABLE apps ADD icon text NOT NULL":                                                                        {"the new column icon, which has no default"},
		"ALTER TABLE apps DROP note":                                                                                     {"apps has lost noted", "its column apps.note is gone"},
		"ALTER TABLE apps ALTER note TYPE varchar(20)":                                                                   {"is of type character varying(20), before text"},
		"ALTER TABLE apps ALTER note SET NOT NULL":                                                                       {"may not be null any more"},
		"ALTER TABLE apps ALTER name DROP NOT NULL":                                                                      {"may be null, which it does not expect"},
		"ALTER TABLE apps ALTER stars DROP DEFAULT":                                                                      {"has lost its default"},
		"ALTER TABLE apps ADD CONSTRAINT short CHECK (length(name) < 9) NOT VALID":                                       {"has the constraint or trigger short, CHECK"},
		"CREATE UNIQUE INDEX once ON apps (name)":                                                                        {"has the constraint or trigger once, CREATE UNIQUE INDEX"},
		"CREATE TRIGGER fixed BEFORE UPDATE ON apps EXECUTE FUNCTION refuse()":                                           {"has the constraint or trigger fixed, CREATE TRIGGER"},
		"DROP TRIGGER kept ON apps":                                                                                      nil,
		"DROP INDEX noted":                                                                                               {"apps has lost noted, CREATE UNIQUE INDEX"},
		"DROP INDEX noted; CREATE UNIQUE INDEX noted ON apps (note)":                                                     {"has the constraint or trigger noted, CREATE UNIQUE INDEX"},
		"ALTER TABLE apps DROP CONSTRAINT apps_pkey":                                                                     {"apps has lost apps_pkey, PRIMARY KEY (id)"},
		"CREATE TABLE uses (app bigint REFERENCES apps)":                                                                 {"deletions from apps fail for what the new uses refers to by uses_app_fkey"},
		"CREATE TABLE uses (app bigint REFERENCES apps ON DELETE CASCADE, other bigint REFERENCES apps ON DELETE SET NULL)": nil,
		"ALTER TABLE apps RENAME TO programs": {"its statement add: ", "its statement list: ", "its table apps is gone"},
		"DROP FUNCTION rename":                {`its function rename(app bigint, name text) gives ""`, "its statement list: "},
		"DROP FUNCTION rename; CREATE FUNCTION rename(app bigint, name text) RETURNS int LANGUAGE sql AS 'SELECT 1'": {`gives "integer", before "text"`, "its statement list takes [text] and gives [text integer]"},
	} {
		apply("DROP SCHEMA public CASCADE; CREATE SCHEMA public;" + firstVersion + ";" + change)
		if got := faults(ctx, conn, before, nil); !slices.EqualFunc(got, want, strings.Contains) {
			t.Errorf("%s: %q, want %q", change, got, want)
		}
	}

	apply("DROP SCHEMA public CASCADE; CREATE SCHEMA public;" + firstVersion + "; CREATE UNIQUE INDEX once ON apps (name)")
	if got := faults(ctx, conn, before, []string{"once", "never"}); len(got) != 1 || !strings.Contains(got[0], "satisfy never") {
		t.Errorf("with a constraint that is satisfied, and one that there is not: %q", got)
	}
}
