package pg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3/lock"
)

// versionFile has the version of a set's functions and their hash, such as "3 9f86d0…".
const versionFile = "functions/VERSION"

// functions are the present definitions of a set, applied after its migrations.
type functions struct {
	version int
	hash    string
	sql     []string
}

// readFunctions fails if the files have changed and the version has not: two builds with
// different functions of one version could not tell which of them is the newer one.
func readFunctions(files fs.FS) (functions, error) {
	recorded, err := fs.ReadFile(files, versionFile)
	if err != nil {
		return functions{}, err
	}
	var f functions
	if _, err := fmt.Sscan(string(recorded), &f.version, &f.hash); err != nil {
		return functions{}, fmt.Errorf("%s: %w", versionFile, err)
	}
	names, err := fs.Glob(files, "functions/*.sql")
	if err != nil {
		return functions{}, err
	}
	sum := sha256.New()
	for _, name := range names { // sorted
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return functions{}, err
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", path.Base(name), len(content), content) // hashes take everything
		f.sql = append(f.sql, string(content))
	}
	if hash := hex.EncodeToString(sum.Sum(nil)); hash != f.hash {
		return functions{}, fmt.Errorf("the functions have changed: put %q into %s", fmt.Sprint(f.version+1, " ", hash), versionFile)
	}
	return f, nil
}

// apply replaces the set's functions unless the database has these, applied at this version
// of its schema, or newer ones: a migration may have dropped or replaced some. It holds
// goose's lock, so that no migration and no other replica is at work meanwhile.
func (f functions) apply(ctx context.Context, cfg *pgx.ConnConfig, set string, schema int64) error {
	hash := fmt.Sprintf("%s at %d", f.hash, schema)
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lock.DefaultLockID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS schema_functions (
			set text PRIMARY KEY, version integer NOT NULL, hash text NOT NULL, applied_at timestamptz NOT NULL)`); err != nil {
			return err
		}
		var version int
		var applied string
		err := tx.QueryRow(ctx, "SELECT version, hash FROM schema_functions WHERE set = $1", set).Scan(&version, &applied)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if version > f.version || version == f.version && applied == hash {
			return nil
		}
		if _, err := tx.Exec(ctx, strings.Join(f.sql, "\n")); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO schema_functions VALUES ($1, $2, $3, now())
			ON CONFLICT (set) DO UPDATE SET version = EXCLUDED.version, hash = EXCLUDED.hash, applied_at = EXCLUDED.applied_at`, set, f.version, hash)
		return err
	})
}
