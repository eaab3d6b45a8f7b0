// Package stripeaccount knows whose ids of Stripe's the database holds: those of one account in one mode.
// With a key of another one, nobody's customer or subscription would be found, and people would
// be stuck or charged twice. So the service refuses to work with it, until it is told to move.
package stripeaccount

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/service"
)

// Stripe is what is asked of it; *stripe.Client does it.
type Stripe interface {
	Account(ctx context.Context) (stripe.Account, error)
}

// Ledger takes credits back.
type Ledger interface {
	Clawback(ctx context.Context, tx pgx.Tx, c ledger.Clawback) (ledger.Clawed, error)
}

// Account is an account at Stripe in one of its modes.
type Account struct {
	// ID is "" when Stripe has not said it.
	ID   string
	Live bool
}

// String is how Config.MoveFrom names it.
func (a Account) String() string {
	account, mode := a.ID, "test"
	if account == "" {
		account = "unknown"
	}
	if a.Live {
		mode = "live"
	}
	return account + "/" + mode
}

// Guard keeps the service from working with another account than the database's. Safe for concurrent use.
type Guard struct {
	pool   *pgxpool.Pool
	q      *db.Queries
	stripe Stripe
	ledger Ledger
	clock  clock.Clock
	log    *slog.Logger
	cfg    Config
	// same says that Stripe has confirmed the account; a process has one key.
	same atomic.Bool
}

// Config says where the key leads.
type Config struct {
	// Live is the key's mode.
	Live bool
	// MoveFrom is the account to let go of, as Account.String writes it; "" for none.
	MoveFrom string
}

// New returns the guard of a migrated database.
func New(pool *pgxpool.Pool, api Stripe, credits Ledger, clk clock.Clock, cfg Config, log *slog.Logger) *Guard {
	return &Guard{pool: pool, q: db.New(), stripe: api, ledger: credits, clock: clk, cfg: cfg, log: log.With("part", "stripe account")}
}

// Unit keeps the service from starting with a key of the other mode, and moves when that is
// wanted. Whether the account is the same only Stripe can tell, for which no start waits.
func (g *Guard) Unit() service.Unit {
	return service.Unit{Name: "Stripe's account", Start: func(ctx context.Context) (func(context.Context) error, error) {
		if err := g.enter(ctx); err != nil {
			return nil, err
		}
		return func(context.Context) error { return nil }, nil
	}}
}

func (g *Guard) enter(ctx context.Context) error {
	if err := g.q.KnowHome(ctx, g.pool, db.KnowHomeParams{Livemode: g.cfg.Live, Now: g.clock.Now()}); err != nil {
		return err
	}
	known, err := g.known(ctx)
	if err != nil {
		return err
	}
	if g.cfg.MoveFrom == known.String() {
		if err := g.move(ctx); err != nil {
			return err
		}
		known, err = g.known(ctx)
	}
	if err == nil && known.Live != g.cfg.Live {
		err = fmt.Errorf("STRIPE_SECRET_KEY: of another mode than what the database has of Stripe (%s): %s", known, remedy(known))
	}
	return err
}

func remedy(known Account) string {
	return fmt.Sprintf("set the former key, or STRIPE_MOVE_FROM=%s to let go of what was bought there", known)
}

func (g *Guard) known(ctx context.Context) (Account, error) {
	row, err := g.q.Home(ctx, g.pool)
	return Account{row.AccountID, row.Livemode}, err
}

// Confirm asks Stripe, until it has answered once, whether the key is of the account that the
// database has. stripe.ErrElsewhere says that it is not; same is false when that cannot be told.
func (g *Guard) Confirm(ctx context.Context) (same bool, err error) {
	if g.same.Load() {
		return true, nil
	}
	account, err := g.stripe.Account(ctx)
	if errors.Is(err, stripe.ErrRefused) || err == nil && account.ID == "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := g.q.NameHome(ctx, g.pool, account.ID); err != nil {
		return false, err
	}
	known, err := g.known(ctx)
	if err != nil {
		return false, err
	}
	if known.ID != account.ID || known.Live != g.cfg.Live {
		return false, stripe.Refused.Wrap(fmt.Errorf("%w, %s and not %s: %s", stripe.ErrElsewhere, Account{account.ID, g.cfg.Live}, known, remedy(known)))
	}
	g.same.Store(true)
	return true, nil
}
