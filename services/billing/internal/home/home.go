// Package home knows whose ids of Stripe's the database holds: those of one account in one mode.
// With a key of another one, nobody's customer or subscription would be found, and people would
// be stuck or charged twice. So the service refuses to work with it, until it is told to move.
package home

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

// Place is an account in a mode.
type Place struct {
	// Account is "" when Stripe has not said it.
	Account string
	Live    bool
}

// String is how Config.MoveFrom names it.
func (p Place) String() string {
	account, mode := p.Account, "test"
	if account == "" {
		account = "unknown"
	}
	if p.Live {
		mode = "live"
	}
	return account + "/" + mode
}

// Home is safe for concurrent use.
type Home struct {
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
	// MoveFrom is the place to let go of, as Place.String writes it; "" for none.
	MoveFrom string
}

// New returns what knows the place of a migrated database.
func New(pool *pgxpool.Pool, api Stripe, credits Ledger, clk clock.Clock, cfg Config, log *slog.Logger) *Home {
	return &Home{pool: pool, q: db.New(), stripe: api, ledger: credits, clock: clk, cfg: cfg, log: log.With("part", "home")}
}

// Unit keeps the service from starting with a key of the other mode, and moves when that is
// wanted. Whether the account is the same only Stripe can tell, for which no start waits.
func (h *Home) Unit() service.Unit {
	return service.Unit{Name: "Stripe's account", Start: func(ctx context.Context) (func(context.Context) error, error) {
		if err := h.enter(ctx); err != nil {
			return nil, err
		}
		return func(context.Context) error { return nil }, nil
	}}
}

func (h *Home) enter(ctx context.Context) error {
	if err := h.q.KnowHome(ctx, h.pool, db.KnowHomeParams{Livemode: h.cfg.Live, Now: h.clock.Now()}); err != nil {
		return err
	}
	known, err := h.known(ctx)
	if err != nil {
		return err
	}
	if h.cfg.MoveFrom == known.String() {
		if err := h.move(ctx); err != nil {
			return err
		}
		known, err = h.known(ctx)
	}
	if err == nil && known.Live != h.cfg.Live {
		err = fmt.Errorf("STRIPE_SECRET_KEY: of another mode than what the database has of Stripe (%s): %s", known, remedy(known))
	}
	return err
}

func remedy(known Place) string {
	return fmt.Sprintf("set the former key, or STRIPE_MOVE_FROM=%s to let go of what was bought there", known)
}

func (h *Home) known(ctx context.Context) (Place, error) {
	row, err := h.q.Home(ctx, h.pool)
	return Place{row.AccountID, row.Livemode}, err
}

// Confirm asks Stripe, until it has answered once, whether the key is of the account that the
// database has. stripe.ErrElsewhere says that it is not; same is false when that cannot be told.
func (h *Home) Confirm(ctx context.Context) (same bool, err error) {
	if h.same.Load() {
		return true, nil
	}
	account, err := h.stripe.Account(ctx)
	if errors.Is(err, stripe.ErrRefused) || err == nil && account.ID == "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := h.q.NameHome(ctx, h.pool, account.ID); err != nil {
		return false, err
	}
	known, err := h.known(ctx)
	if err != nil {
		return false, err
	}
	if known.Account != account.ID || known.Live != h.cfg.Live {
		return false, stripe.Refused.Wrap(fmt.Errorf("%w, %s and not %s: %s", stripe.ErrElsewhere, Place{account.ID, h.cfg.Live}, known, remedy(known)))
	}
	h.same.Store(true)
	return true, nil
}
