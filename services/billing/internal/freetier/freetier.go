// Package freetier gives accounts without a subscription their monthly credits.
package freetier

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pg"
)

// most is more than anybody would give away deliberately.
const most = 100_000

// Config is the free plan.
type Config struct {
	// MonthlyCredits are whole credits for each calendar month (UTC) in which an
	// account without a subscription asks for its credits; 0 for none.
	MonthlyCredits int64 `env:"FREE_MONTHLY_CREDITS" envDefault:"0"`
}

// Validate checks the number.
func (c Config) Validate() error {
	if c.MonthlyCredits < 0 || c.MonthlyCredits > most {
		return fmt.Errorf("FREE_MONTHLY_CREDITS: must be a number from 0 to %d", most)
	}
	return nil
}

// Tier grants the credits when an account first asks in a month, so that unused accounts
// cost no row. Safe for concurrent use, by any number of replicas.
type Tier struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	ledger   *ledger.Ledger
	clock    clock.Clock
	cfg      Config
	deadline time.Duration
}

// New returns a tier over a migrated database.
func New(pool *pgxpool.Pool, credits *ledger.Ledger, clk clock.Clock, cfg Config, deadline time.Duration) *Tier {
	return &Tier{pool: pool, q: db.New(), ledger: credits, clock: clk, cfg: cfg, deadline: deadline}
}

// Ensure grants an account on the free plan this month's credits, once.
// They end with the month, used or not. Unavailable when the database is.
func (t *Tier) Ensure(ctx context.Context, userID uuid.UUID) error {
	if t.cfg.MonthlyCredits == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.deadline)
	defer cancel()
	now := t.clock.Now().UTC()
	start := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	end := start.AddDate(0, 1, 0)
	fact := fmt.Sprintf("free/%s/%s", userID, start.Format("2006-01"))
	due, err := t.q.FreeMonthDue(ctx, t.pool, db.FreeMonthDueParams{Fact: fact, UserID: userID})
	if err != nil || !due {
		return pg.Fault(err, nil)
	}
	return pg.Fault(pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		_, err := t.ledger.Grant(ctx, tx, ledger.Grant{
			UserID: userID, Fact: fact, Series: "free/" + userID.String(), Replaces: true, Description: "Free plan",
			Amount: t.cfg.MonthlyCredits * 100, PeriodStart: start, PeriodEnd: end, ExpiresAt: end,
		})
		return err
	}), nil)
}
