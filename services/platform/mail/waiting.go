package mail

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Waiting reports whether an email with the key is still to be delivered.
func (q *Queue) Waiting(ctx context.Context, tx pgx.Tx, key string) (bool, error) {
	var finished bool
	err := tx.QueryRow(ctx, "SELECT finalized_at IS NOT NULL FROM "+schema+".river_job WHERE kind = $1 AND args->>'key' = $2 ORDER BY id DESC LIMIT 1",
		emailArgs{}.Kind(), key).Scan(&finished)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("mail: %w", err)
	}
	return !finished, nil
}
