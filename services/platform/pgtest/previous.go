package pgtest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
)

const previousFile = "testdata/previous.json"

var release = flag.String("release", "", "record what the database of this version is, for the next one")

//go:embed previous.sql
var previousQuery string

// version is what the programs of a version expect of their database.
type version struct {
	Version string `json:"version"`
	// Statements are those of sqlc, by name.
	Statements map[string]statement `json:"statements"`
	schema
}

type schema struct {
	Tables map[string]table `json:"tables"`
	// Functions are the types of their results, by name and arguments.
	Functions map[string]string `json:"functions"`
}

type statement struct {
	SQL   string   `json:"sql"`
	Takes []string `json:"takes"`
	Gives []string `json:"gives"`
}

type table struct {
	Columns map[string]column `json:"columns"`
	// Constraints has triggers, too.
	Constraints map[string]string `json:"constraints"`
}

type column struct {
	Type     string `json:"type"`
	Nullable bool   `json:"nullable,omitempty"`
	// Filled is whether a row that does not name the column can be inserted.
	Filled bool `json:"filled,omitempty"`
}

// Previous checks that the schema that migrate makes also serves the version before, which
// goes on while a new one is rolled out and comes back in a rollback: PostgreSQL
// accepts all its statements and takes and gives the same types, its rows need no column that it does
// not know, no constraint on its tables is new or another, none that its ON CONFLICT may need is gone, and
// no new table keeps it from deleting rows. A constraint in satisfied is fine: the version before never breaks it, or
// needs it. SQL that is not of sqlc is not read.
//
// testdata/previous.json has that version; `go test -release 1.2.3` writes it from the statements
// in db and the schema as they are.
func Previous(t *testing.T, migrate func(ctx context.Context, url string) error, satisfied ...string) {
	t.Helper()
	url := NewEmpty(t)
	errtest.None(t, migrate(t.Context(), url))
	conn, err := pgx.Connect(t.Context(), url)
	errtest.None(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	requireServer(t, conn)
	if *release != "" {
		record(t, conn)
	}
	content, err := os.ReadFile(previousFile)
	errtest.None(t, err)
	var before version
	if err := json.Unmarshal(content, &before); err != nil || len(before.Statements) == 0 || len(before.Tables) == 0 {
		t.Fatalf("%s: %d statements, %d tables, %v", previousFile, len(before.Statements), len(before.Tables), err)
	}
	for _, fault := range faults(t.Context(), conn, before, satisfied) {
		t.Errorf("version %s cannot go on with this schema: %s (CONTRIBUTING, \"A table or column\")", before.Version, fault)
	}
}

func record(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	now := version{Version: *release, Statements: map[string]statement{}}
	files, err := filepath.Glob("db/*.sql.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("db has no statements: %v", err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		errtest.None(t, err)
		for name, sql := range statements(parsed) {
			if now.Statements[name], err = prepared(t.Context(), conn, sql); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if now.schema, err = schemaOf(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	errtest.None(t, encoder.Encode(now))
	errtest.None(t, os.MkdirAll(filepath.Dir(previousFile), 0o755))
	errtest.None(t, os.WriteFile(previousFile, content.Bytes(), 0o644))
}

var named = regexp.MustCompile(`^-- name: (\w+) `)

// statements are the constants of a file that sqlc wrote, by name.
func statements(file *ast.File) map[string]string {
	found := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		sql, err := strconv.Unquote(literal.Value)
		if name := named.FindStringSubmatch(sql); err == nil && name != nil {
			_, sql, _ = strings.Cut(sql, "\n")
			found[name[1]] = strings.TrimSpace(sql)
		}
		return true
	})
	return found
}

// prepared has PostgreSQL read a statement, without running it.
func prepared(ctx context.Context, conn *pgx.Conn, sql string) (statement, error) {
	described, err := conn.Prepare(ctx, "", sql)
	if err != nil {
		return statement{}, err
	}
	gives := make([]uint32, len(described.Fields))
	for i, field := range described.Fields {
		gives[i] = field.DataTypeOID
	}
	s := statement{SQL: sql}
	const names = "SELECT coalesce(array_agg(format_type(oid, NULL) ORDER BY place), '{}') FROM unnest($1::oid[]) WITH ORDINALITY AS t (oid, place)"
	if err := conn.QueryRow(ctx, names, described.ParamOIDs).Scan(&s.Takes); err != nil {
		return statement{}, err
	}
	return s, conn.QueryRow(ctx, names, gives).Scan(&s.Gives)
}

func schemaOf(ctx context.Context, conn *pgx.Conn) (s schema, err error) {
	return s, conn.QueryRow(ctx, previousQuery).Scan(&s.Tables, &s.Functions)
}

// faults are what keeps the version before from working with a database.
func faults(ctx context.Context, conn *pgx.Conn, before version, satisfied []string) (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for name, s := range before.Statements {
		now, err := prepared(ctx, conn, s.SQL)
		switch {
		case err != nil:
			say("its statement %s: %v", name, err)
		case !slices.Equal(now.Takes, s.Takes) || !slices.Equal(now.Gives, s.Gives):
			say("its statement %s takes %v and gives %v, before %v and %v", name, now.Takes, now.Gives, s.Takes, s.Gives)
		}
	}
	now, err := schemaOf(ctx, conn)
	if err != nil {
		return append(found, err.Error())
	}
	for name, gave := range before.Functions {
		if gives, ok := now.Functions[name]; !ok || gives != gave {
			say("its function %s gives %q, before %q", name, gives, gave)
		}
	}
	unused := slices.Clone(satisfied)
	isSatisfied := func(c string) bool {
		unused = slices.DeleteFunc(unused, func(s string) bool { return s == c })
		return slices.Contains(satisfied, c)
	}
	for name, old := range before.Tables {
		current, ok := now.Tables[name]
		if !ok {
			say("its table %s is gone", name)
			continue
		}
		for c, had := range old.Columns {
			if fault := had.become(current.Columns[c]); fault != "" {
				say("its column %s.%s %s", name, c, fault)
			}
		}
		for c, has := range current.Columns {
			if _, ok := old.Columns[c]; !ok && !has.Filled {
				say("its rows of %s do not name the new column %s, which has no default", name, c)
			}
		}
		for c, has := range current.Constraints {
			switch {
			case old.Constraints[c] == has || isSatisfied(c):
			default:
				say("%s has the constraint or trigger %s, %s; before it was %q. If its rows satisfy it, say so in the test", name, c, has, old.Constraints[c])
			}
		}
		for c, had := range old.Constraints {
			if _, ok := current.Constraints[c]; !ok && unique.MatchString(had) && !isSatisfied(c) {
				say("%s has lost %s, %s, which ON CONFLICT may need. If no statement does, say so in the test", name, c, had)
			}
		}
	}
	keys, err := newKeys(ctx, conn, before)
	if err != nil {
		return append(found, err.Error())
	}
	for _, k := range keys {
		if !isSatisfied(k.name) {
			say("its deletions from %s fail for what the new %s refers to by %s, %s", k.to, k.of, k.name, k.definition)
		}
	}
	for _, c := range unused {
		say("the test says that its rows satisfy %s, which is not new", c)
	}
	slices.Sort(found)
	return found
}

// unique matches the definitions that an ON CONFLICT can name.
var unique = regexp.MustCompile(`^(PRIMARY KEY|UNIQUE|EXCLUDE|CREATE UNIQUE INDEX) `)

// foreignKey is one of the table of, onto the table to.
type foreignKey struct{ name, of, to, definition string }

// newKeys are those of tables that the version before does not know onto its tables, whose rows they keep from being
// deleted.
func newKeys(ctx context.Context, conn *pgx.Conn, before version) ([]foreignKey, error) {
	rows, err := conn.Query(ctx, `SELECT conname::text, conrelid::regclass::text, confrelid::regclass::text, pg_get_constraintdef(oid)
		FROM pg_constraint WHERE contype = 'f' AND confdeltype IN ('a', 'r')`)
	if err != nil {
		return nil, err
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k foreignKey, err error) {
		err = row.Scan(&k.name, &k.of, &k.to, &k.definition)
		return k, err
	})
	return slices.DeleteFunc(keys, func(k foreignKey) bool {
		_, hadOf := before.Tables[k.of]
		_, hadTo := before.Tables[k.to]
		return hadOf || !hadTo
	}), err
}

func (c column) become(now column) (fault string) {
	switch {
	case now.Type == "":
		return "is gone"
	case now.Type != c.Type:
		return fmt.Sprintf("is of type %s, before %s", now.Type, c.Type)
	case now.Nullable && !c.Nullable:
		return "may be null, which it does not expect"
	case !now.Nullable && c.Nullable:
		return "may not be null any more"
	case !now.Filled && c.Filled:
		return "has lost its default"
	default:
		return ""
	}
}
