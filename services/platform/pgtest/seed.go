package pgtest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
)

// Seed runs a service's file of invented rows as `make seed` does, see AddRows.
func Seed(t testing.TB, url, file string, rows int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cfg, err := pgx.ParseConfig(url)
	errtest.None(t, err)
	errtest.None(t, AddRows(ctx, cfg, file, rows))
}

// AddRows runs the statements of a file, all or none. The setting seed.rows tells them how
// many rows to add.
func AddRows(ctx context.Context, database *pgx.ConnConfig, file string, rows int) error {
	sql, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "SET statement_timeout = 0"); err != nil {
		return err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL seed.rows = %d; %s", rows, sql))
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	// Without fresh statistics and a visibility map the first lists would be slow.
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}
