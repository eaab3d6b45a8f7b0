package repo_test

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// small are the last migrations of the first release, by the folder that they are in: there were no
// big tables before.
var small = map[string]int{
	"services/billing/internal/store/migrations":  27,
	"services/identity/internal/store/migrations": 19,
	"services/releases/internal/store/migrations": 5,
	"services/support/internal/store/migrations":  8,
	"services/waitlist/internal/store/migrations": 13,
	"services/platform/bus/migrations":            3,
	"services/platform/mail/migrations":           1,
}

// TestAMigrationLocksNoBigTableForLong: the version before goes on to use the tables, and somebody's
// may have millions of rows.
func TestAMigrationLocksNoBigTableForLong(t *testing.T) {
	files := tracked(t, "services/*/migrations/*.sql")
	folders := map[string]bool{}
	for _, file := range files {
		folder, name := path.Split(file)
		folder = strings.TrimSuffix(folder, "/")
		folders[folder] = true
		number, err := strconv.Atoi(strings.SplitN(name, "_", 2)[0])
		errtest.None(t, err)
		if number <= small[folder] {
			continue
		}
		for _, fault := range locks(contentOf(t, filepath.Join(root(t), file))) {
			t.Errorf("%s: %s (CONTRIBUTING, \"A table or column\")", file, fault)
		}
	}
	for folder := range small {
		if !folders[folder] {
			t.Errorf("%s has no migrations", folder)
		}
	}
}

var (
	made        = regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?([\w.]+)`)
	indexed     = regexp.MustCompile(`(?i)CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+) ON ([\w.]+)`)
	constrained = regexp.MustCompile(`(?is)ALTER TABLE ([\w.]+)[^;]*ADD CONSTRAINT [^;]*(?:CHECK|FOREIGN KEY)[^;]*;`)
	comment     = regexp.MustCompile(`(?m)^\s*--.*$`)
)

// locks says what in a migration keeps others from a table for as long as it takes to read it.
func locks(migration string) (faults []string) {
	sql := comment.ReplaceAllString(migration, "")
	own := map[string]bool{}
	for _, m := range made.FindAllStringSubmatch(sql, -1) {
		own[m[1]] = true
	}
	for _, m := range indexed.FindAllStringSubmatch(sql, -1) {
		concurrently, index, table := m[1] != "", m[2], m[3]
		if schema, _, named := strings.Cut(table, "."); named { // an index is in the schema of its table
			index = schema + "." + index
		}
		switch {
		case own[table]:
		case !concurrently:
			faults = append(faults, fmt.Sprintf("the index %s on %s is not built CONCURRENTLY", index, table))
		case !strings.Contains(migration, "-- +goose NO TRANSACTION"), !strings.Contains(sql, "SET lock_timeout = 0;"),
			!strings.Contains(sql, "DROP INDEX CONCURRENTLY IF EXISTS "+index+";"), !strings.Contains(sql, "RESET lock_timeout;"):
			faults = append(faults, fmt.Sprintf("the index %s on %s is not built by the recipe", index, table))
		}
	}
	for _, m := range constrained.FindAllStringSubmatch(sql, -1) {
		if !own[m[1]] && !strings.Contains(strings.ToUpper(m[0]), "NOT VALID") {
			faults = append(faults, "the constraint on "+m[1]+" is checked at once, and not NOT VALID first")
		}
	}
	return faults
}

func TestTheRuleOfMigrationsTellsThemApart(t *testing.T) {
	for migration, want := range map[string]int{
		"CREATE TABLE a (id int); CREATE INDEX a_id ON a (id);": 0,
		"CREATE INDEX b_id ON b (id);":                          1,
		"create unique index b_id on b (id);":                   1,
		"CREATE INDEX CONCURRENTLY b_id ON b (id);":             1,
		"-- +goose NO TRANSACTION\nSET lock_timeout = 0;\nDROP INDEX CONCURRENTLY IF EXISTS b_id;\nCREATE INDEX CONCURRENTLY b_id ON b (id);\nRESET lock_timeout;":    0,
		"-- +goose NO TRANSACTION\nSET lock_timeout = 0;\nDROP INDEX CONCURRENTLY IF EXISTS another;\nCREATE INDEX CONCURRENTLY b_id ON b (id);\nRESET lock_timeout;": 1,
		"CREATE TABLE s.a (id int); CREATE INDEX b_id ON s.b (id);": 1,
		"-- +goose NO TRANSACTION\nSET lock_timeout = 0;\nDROP INDEX CONCURRENTLY IF EXISTS s.b_id;\nCREATE INDEX CONCURRENTLY b_id ON s.b (id);\nRESET lock_timeout;": 0,
		"ALTER TABLE b ADD CONSTRAINT b_check CHECK (id > 0);":                                                                                                           1,
		"ALTER TABLE b ADD CONSTRAINT b_check CHECK (id > 0) NOT VALID;":                                                                                                 0,
		"ALTER TABLE b ADD COLUMN c int NOT NULL DEFAULT 0;\n-- CREATE INDEX b_id ON b (id);":                                                                            0,
		"ALTER TABLE b DROP CONSTRAINT b_check, ADD CONSTRAINT b_other FOREIGN KEY (id) REFERENCES a;\nALTER TABLE b ADD CONSTRAINT b_check CHECK (id > 0) NOT VALID;\n": 1,
	} {
		if faults := locks(migration); len(faults) != want {
			t.Errorf("%q has %d faults, want %d: %q", migration, len(faults), want, faults)
		}
	}
}
