// Package seed invents entries of the waitlist.
package seed

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"
)

//go:embed seed.sql
var insert string

// Entries adds n entries of the last 60 days with their count by day. It is a
// seed.Rows.
func Entries(ctx context.Context, tx pgx.Tx, n int) ([]string, error) {
	_, err := tx.Exec(ctx, insert, n)
	return []string{"waitlist_users", "signup_daily"}, err
}
