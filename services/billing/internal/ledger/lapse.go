package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
)

// lapsePage is how many accounts are looked up at once.
const lapsePage = 200

// lapse ends the expired holds and grants of an account.
func (l *Ledger) lapse(ctx context.Context, run runner, userID uuid.UUID, now time.Time) error {
	var expired, clawed, holds int64
	scan := func(row pgx.Row) error { return row.Scan(&expired, &clawed, &holds) }
	if err := run(ctx, scan, "SELECT expired, clawed, holds FROM credits_lapse($1, $2)", userID, now); err != nil {
		return err
	}
	l.metrics.moved(expireKind, expired)
	l.metrics.moved(clawbackKind, clawed)
	l.metrics.holdsExpired.Add(float64(holds))
	return nil
}

// Lapse ends expired holds and grants in accounts that nobody touches. An account that
// fails does not stop the others; all failures are returned together. Replicas may do
// this at the same time.
func (l *Ledger) Lapse(ctx context.Context) error {
	var failed []error
	now := l.now()
	at := db.DueAccountsParams{Now: now, AfterDue: time.Unix(0, 0), PageSize: lapsePage}
	for {
		accounts, err := l.q.DueAccounts(ctx, l.pool, at)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for _, account := range accounts {
			if err := l.lapse(ctx, through(l.pool), account.UserID, now); err != nil {
				failed = append(failed, err)
			}
			at.AfterDue, at.AfterUser = account.NextDue, account.UserID
		}
		if len(accounts) < lapsePage || ctx.Err() != nil {
			return errors.Join(failed...)
		}
	}
}
