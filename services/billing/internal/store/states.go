package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// What an account is in, by what identity has said last.
const (
	Active   = "active"
	Disabled = "disabled"
	// Erased is for good.
	Erased = "erased"
)

// MayPay returns a function that reports whether an account is neither disabled nor erased, as far
// as identity has said so. It fails with fault.Unavailable while there is no database.
func MayPay(pool *pgxpool.Pool, deadline time.Duration) func(ctx context.Context, userID uuid.UUID) (bool, error) {
	q := db.New()
	return func(ctx context.Context, userID uuid.UUID) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		may, err := q.MayPay(ctx, pool, userID)
		return may, pg.Fault(err, nil)
	}
}
