package account

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
)

// reference is a foreign key.
type reference struct{ Child, ChildColumn, Parent, ParentColumn string }

// rowsAbout returns the rows about somebody by their tables: those that hold the id or an
// address, and those that refer to such a row. A table outside of the schema public is
// "schema.table".
func rowsAbout(t *testing.T, pool *pgxpool.Pool, id string, emails []string) map[string][]map[string]any {
	t.Helper()
	about := map[string][]map[string]any{}
	word := regexp.MustCompile(`(?i)(^|[^[:alpha:]])(` + strings.ReplaceAll(regexp.QuoteMeta(strings.Join(append(emails, id), " ")), " ", "|") + ")")
	tables := allRows(t, pool)
	for table, rows := range tables {
		for _, row := range rows {
			if word.MatchString(fmt.Sprint(row)) {
				about[table] = append(about[table], row)
			}
		}
	}
	references := read[reference](t, pool, `SELECT c.conrelid::regclass::text, child.attname, c.confrelid::regclass::text, parent.attname FROM pg_constraint c
		JOIN pg_attribute child ON child.attrelid = c.conrelid AND child.attnum = c.conkey[1]
		JOIN pg_attribute parent ON parent.attrelid = c.confrelid AND parent.attnum = c.confkey[1] WHERE c.contype = 'f' AND cardinality(c.conkey) = 1`)
	for grown := true; grown; {
		grown = false
		for _, ref := range references {
			for _, row := range tables[ref.Child] {
				if !contains(about[ref.Child], row) && refers(row, ref, about[ref.Parent]) {
					about[ref.Child], grown = append(about[ref.Child], row), true
				}
			}
		}
	}
	return about
}

func refers(row map[string]any, ref reference, parents []map[string]any) bool {
	for _, parent := range parents {
		if row[ref.ChildColumn] != nil && row[ref.ChildColumn] == parent[ref.ParentColumn] {
			return true
		}
	}
	return false
}

func contains(rows []map[string]any, row map[string]any) bool {
	for _, r := range rows {
		if fmt.Sprint(r) == fmt.Sprint(row) {
			return true
		}
	}
	return false
}

// allRows reads every table.
func allRows(t *testing.T, pool *pgxpool.Pool) map[string][]map[string]any {
	t.Helper()
	all := map[string][]map[string]any{}
	type table struct{ Name string }
	for _, of := range read[table](t, pool, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`) {
		type row struct{ Fields json.RawMessage }
		for _, r := range read[row](t, pool, "SELECT to_jsonb(t) FROM "+of.Name+" t") {
			var fields map[string]any
			errtest.None(t, json.Unmarshal(r.Fields, &fields))
			all[of.Name] = append(all[of.Name], fields)
		}
	}
	return all
}

func read[R any](t *testing.T, pool *pgxpool.Pool, sql string) []R {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql)
	errtest.None(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[R])
	errtest.None(t, err)
	return list
}

// flatten adds the scalars of a value by their paths, but for those that are left out and what is
// empty. Times and numbers are spelled one way.
func flatten(at string, value any, but map[string]string, into map[string][]string) {
	if _, left := but[at]; left {
		return
	}
	switch value := value.(type) {
	case nil:
	case map[string]any:
		for name, part := range value {
			flatten(strings.TrimPrefix(at+"."+name, "."), part, but, into)
		}
	case []any:
		for _, part := range value {
			flatten(at, part, but, into)
		}
	case string:
		if moment, err := time.Parse(time.RFC3339, value); err == nil {
			value = "time " + moment.UTC().String()
		}
		if value != "" {
			into[at] = append(into[at], value)
		}
	case float64:
		into[at] = append(into[at], number(value))
	default:
		into[at] = append(into[at], fmt.Sprint(value))
	}
}

func number(n float64) string { return "number " + strconv.FormatFloat(n, 'f', -1, 64) }
