package ledger_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

// TestHotStatementsReadNoWholeTable with 20,000 accounts and 2,000 keys.
func TestHotStatementsReadNoWholeTable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := f.funded(1 << 40)
	_, err := f.pool.Exec(t.Context(), `SELECT credits_grant(id, $1, 'adjust', 'plan/' || id, '', false, '', 'Of the crowd', 1000, $1, $2, $2)
		FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 5000)) crowd`, epoch, epoch.AddDate(0, 1, 0))
	errtest.None(t, err)
	_, err = f.pool.Exec(t.Context(), `INSERT INTO credit_payments (grant_id, user_id, invoice, amount, currency)
		SELECT id, user_id, 'in_' || id, 100, 'usd' FROM credit_grants`)
	errtest.None(t, err)
	spend := func(l *ledger.Ledger) error {
		_, err := l.Consume(t.Context(), ledger.Spend{UserID: user, Key: uuid.NewString(), Amount: 1, Description: "Generated screen"})
		return err
	}
	var spenders sync.WaitGroup
	for range 8 {
		spenders.Go(func() {
			for range 250 {
				if err := spend(f.Ledger); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	spenders.Wait()
	plans := pgtest.RecordPlans(t, f.pool.Config().ConnString())
	hot := on(t, plans.Pool).Ledger
	plans.Of("balance", func() error { _, _, err := hot.Credits(t.Context(), user); return err })
	plans.Of("spend", func() error { return spend(hot) })
	plans.Of("hold", func() error {
		_, err := hot.Hold(t.Context(), ledger.Spend{UserID: user, Key: uuid.NewString(), Amount: 1, Description: "Generated screen"}, time.Minute)
		return err
	})
	plans.Of("history", func() error { _, err := hot.History(t.Context(), user, 0, 50); return err })
	plans.Compare("testdata/plans.txt")
}
