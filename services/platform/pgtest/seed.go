package pgtest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Seed runs a service's file of invented rows, which the setting seed.rows tells how many
// to add, as `make seed` does for the databases of the local stack.
func Seed(t testing.TB, url, file string, rows int) {
	t.Helper()
	sql, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = 0; SET LOCAL seed.rows = %d; %s", rows, sql))
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	// Without fresh statistics and a visibility map the first lists would be slow.
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		t.Fatal(err)
	}
}
