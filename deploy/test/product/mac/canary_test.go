package mac

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/state"
	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
)

// canaries looks for every secret that passed over the wire in all that the
// product wrote: logs, events, emails, and every column of every database.
func (p product) canaries(t *testing.T, dir state.Dir) {
	secrets := p.all()
	if len(secrets) < 50 {
		t.Fatalf("only %d secrets were noticed", len(secrets))
	}
	// A search that finds nothing must be able to find something.
	const known = "ann@fledge.test"
	bytesRead, hits := searchFiles(t, dir, secrets)
	if bytesRead < 1000 {
		t.Errorf("only %d bytes of files were read", bytesRead)
	}
	if _, found := searchFiles(t, dir, []string{`"service":"identity"`}); len(found) == 0 {
		t.Error("the search finds nothing in files")
	}
	columns, found := p.searchDatabases(t, secrets)
	hits = append(hits, found...)
	if columns < 100 {
		t.Errorf("only %d columns were searched", columns)
	}
	if _, found := p.searchDatabases(t, []string{known}); len(found) == 0 {
		t.Error("the search finds nothing in databases")
	}
	t.Logf("%d secrets, %d bytes of files, %d columns", len(secrets), bytesRead, columns)
	for _, hit := range hits {
		t.Error(hit)
	}
}

// searchFiles reads everything in the state folder but the secrets that belong
// there and the databases' own files.
func searchFiles(t *testing.T, dir state.Dir, needles []string) (read int, hits []string) {
	t.Helper()
	skip := map[string]bool{dir.Path("secrets"): true, dir.Path("postgres"): true, dir.Path("bin"): true}
	err := filepath.WalkDir(dir.Path(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return butGone(err)
		}
		if skip[path] {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		read += len(content)
		for _, needle := range needles {
			if bytes.Contains(content, []byte(needle)) {
				hits = append(hits, fmt.Sprintf("%.12s… is in %s", needle, path))
			}
		}
		return butGone(err)
	})
	errtest.None(t, err)
	return read, hits
}

// butGone is err, unless a program that runs has replaced or removed its file meanwhile.
func butGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// searchDatabases reads every column that can hold text or bytes.
func (p product) searchDatabases(t *testing.T, needles []string) (columns int, hits []string) {
	t.Helper()
	var text, binary []string
	for _, needle := range needles {
		text = append(text, needle)
		binary = append(binary, hex.EncodeToString([]byte(needle)))
		if raw, err := base64.RawURLEncoding.DecodeString(needle); err == nil {
			binary = append(binary, hex.EncodeToString(raw))
		}
	}
	for _, owner := range append(services.Names(), "kratos") {
		conn, err := pgx.Connect(t.Context(), p.stack.DatabaseURL(owner))
		errtest.None(t, err)
		rows, err := conn.Query(t.Context(), `SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
			JOIN information_schema.tables USING (table_schema, table_name)
			WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
			AND data_type IN ('text', 'character varying', 'character', 'json', 'jsonb', 'bytea', 'ARRAY', 'xml')`)
		errtest.None(t, err)
		type column struct{ Schema, Table, Name, Type string }
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
		errtest.None(t, err)
		for _, c := range all {
			columns++
			look := text
			if c.Type == "bytea" {
				look = binary // a bytea's text is hexadecimal
			}
			var n int
			sql := fmt.Sprintf("SELECT count(*) FROM %s, unnest($1::text[]) needle WHERE strpos(%s::text, needle) > 0",
				pgx.Identifier{c.Schema, c.Table}.Sanitize(), pgx.Identifier{c.Name}.Sanitize())
			if err := conn.QueryRow(t.Context(), sql, look).Scan(&n); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			if n > 0 {
				hits = append(hits, fmt.Sprintf("%d secrets are in column %s", n, strings.Join([]string{owner, c.Table, c.Name}, ".")))
			}
		}
		_ = conn.Close(context.Background())
	}
	return columns, hits
}
