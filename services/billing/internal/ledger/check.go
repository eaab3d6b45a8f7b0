package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
)

const (
	checkPage = 100
	// checkLock keeps two replicas from doing the same work at the same time.
	checkLock = 0x63726564
)

// Check recomputes every account from its entries, grants and holds, and returns
// how many differ. Each is logged as an error and counted: a difference means that
// credits were lost or created, and needs investigation. While another replica checks,
// it does nothing.
func (l *Ledger) Check(ctx context.Context) (wrong int, err error) {
	checked, after := 0, uuid.Nil
	for {
		page, busy, err := l.checkPage(ctx, after)
		if err != nil || busy {
			return wrong, err
		}
		for _, account := range page {
			if account.Problem != "" {
				wrong++
				l.metrics.checkFailures.Inc()
				l.log.ErrorContext(ctx, "the ledger does not add up", "user", account.UserID, "problem", account.Problem)
			}
			after = account.UserID
		}
		checked += len(page)
		if len(page) < checkPage {
			l.metrics.checked(checked)
			return wrong, nil
		}
	}
}

func (l *Ledger) checkPage(ctx context.Context, after uuid.UUID) (page []db.CheckAccountsRow, busy bool, err error) {
	err = pgx.BeginTxFunc(ctx, l.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// Long histories may take longer than a person would wait.
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '60s'"); err != nil {
			return err
		}
		var mine bool
		if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", checkLock).Scan(&mine); err != nil || !mine {
			busy = !mine
			return err
		}
		page, err = l.q.CheckAccounts(ctx, tx, db.CheckAccountsParams{After: after, PageSize: checkPage})
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("ledger: check: %w", err)
	}
	return page, busy, nil
}
