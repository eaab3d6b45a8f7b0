package ledger

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
)

const checkPage = 100

// Check recomputes every account from its entries, grants and holds, and returns
// how many differ. Each is logged as an error and counted: a difference means that
// credits were lost or created, and needs investigation.
func (l *Ledger) Check(ctx context.Context) (wrong int, err error) {
	checked, after := 0, uuid.Nil
	for {
		page, err := l.checkPage(ctx, after)
		if err != nil {
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
			l.metrics.checkAccounts.Set(float64(checked))
			return wrong, nil
		}
	}
}

func (l *Ledger) checkPage(ctx context.Context, after uuid.UUID) (page []db.CheckAccountsRow, err error) {
	err = pgx.BeginTxFunc(ctx, l.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// Long histories may take longer than a person would wait.
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '60s'"); err != nil {
			return err
		}
		page, err = l.q.CheckAccounts(ctx, tx, db.CheckAccountsParams{After: after, PageSize: checkPage})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: check: %w", err)
	}
	return page, nil
}
