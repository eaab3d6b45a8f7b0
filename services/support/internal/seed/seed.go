// Package seed invents tickets.
package seed

import (
	"context"
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"
)

//go:embed seed.sql
var insert string

// perPerson is how many tickets each invented customer has opened.
const perPerson = 20

// Tickets adds n tickets of the last 90 days with their answers and histories. It
// is a seed.Rows. Everybody else waits for the tickets meanwhile: it builds the
// index of searches anew, because row by row that takes ten times as long.
func Tickets(ctx context.Context, tx pgx.Tx, n int) ([]string, error) {
	index, err := dropIndex(ctx, tx)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, insert, n, max(1, n/perPerson)); err != nil {
		return nil, err
	}
	if index != "" {
		_, err = tx.Exec(ctx, index)
	}
	return []string{"tickets", "ticket_messages", "ticket_changes"}, err
}

// dropIndex returns the statement that makes the index again; "" where pg_trgm is
// not to be had.
func dropIndex(ctx context.Context, tx pgx.Tx) (string, error) {
	var index string
	err := tx.QueryRow(ctx, "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'tickets_search_trgm'").Scan(&index)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, "SET LOCAL maintenance_work_mem = '256MB'; DROP INDEX tickets_search_trgm")
	return index, err
}
