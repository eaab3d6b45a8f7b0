package pg

import (
	"context"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver for database/sql, which goose speaks
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"database/sql"
)

// Migrations is one set of forward-only goose migrations (NNNNN_name.sql at the
// root of FS). Each set counts its versions in a table of its own, so that a
// service's schema and the platform's tables move independently.
type Migrations struct {
	Name string
	FS   fs.FS
}

// Migrate brings the database up to date with every set, in order. Replicas
// that start together wait for each other on an advisory lock.
func Migrate(ctx context.Context, url string, sets ...Migrations) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return fmt.Errorf("pg: %w", err)
	}
	defer func() { _ = db.Close() }()
	for _, set := range sets {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("pg: %w", err)
		}
		provider, err := goose.NewProvider(goose.DialectPostgres, db, set.FS,
			goose.WithTableName("schema_version_"+set.Name), goose.WithSessionLocker(locker))
		if err != nil {
			return fmt.Errorf("pg: migrations %s: %w", set.Name, err)
		}
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("pg: migrations %s: %w", set.Name, err)
		}
	}
	return nil
}
