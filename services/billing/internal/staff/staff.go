// Package staff is how members of staff change an account's credits, and where they find its
// customer at Stripe.
package staff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pg"
)

const (
	// GiftLasts is how long credits that were given by hand can be spent.
	GiftLasts = 90 * 24 * time.Hour

	// Given is what the person reads in the history.
	Given = "Given by our support"
	taken = "Taken back by our support"
)

// Ledger keeps the credits.
type Ledger interface {
	Adjust(ctx context.Context, tx pgx.Tx, j ledger.Adjustment) (isNew bool, err error)
	Credits(ctx context.Context, userID uuid.UUID) (_ ledger.Credits, ok bool, err error)
}

// Adjustment is a change of somebody's credits.
type Adjustment struct {
	UserID uuid.UUID
	// Amount is in hundredths of a credit; negative takes.
	Amount int64
	// Reason is for the audit log.
	Reason string
	// Key is the caller's, for this one adjustment.
	Key string
}

// Adjusted records that somebody's credits were changed by an amount, after they were.
func Adjusted(ctx context.Context, tx pgx.Tx, userID uuid.UUID, amount int64, reason string) error {
	balance, err := db.New().BalanceOf(ctx, tx, userID)
	if err != nil {
		return err
	}
	return Record(ctx, tx, audit.Action{
		Name: CreditsAdjusted, Subject: userID.String(), Reason: reason,
		Before: audit.State{"balance": Decimal(balance - amount)}, After: audit.State{"balance": Decimal(balance)},
	})
}

// Service is safe for concurrent use.
type Service struct {
	pool      *pgxpool.Pool
	q         *db.Queries
	ledger    Ledger
	clock     clock.Clock
	dashboard func(object string) string
	deadline  time.Duration
}

// New returns a service. dashboard is where Stripe shows
// customers; deadline bounds every method.
func New(pool *pgxpool.Pool, credits Ledger, clk clock.Clock, dashboard func(object string) string, deadline time.Duration) *Service {
	return &Service{pool: pool, q: db.New(), ledger: credits, clock: clk, dashboard: dashboard, deadline: deadline}
}

// Adjust changes an account's credits and records who did it and why. The same key changes
// nothing again. It fails with ledger.ErrInsufficient, ledger.ErrClosed, or ledger.ErrKeyReused
// when the key has adjusted another amount.
func (s *Service) Adjust(ctx context.Context, a Adjustment) (ledger.Credits, error) {
	within, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	if err := pgx.BeginFunc(within, s.pool, func(tx pgx.Tx) error { return s.adjust(within, tx, a) }); err != nil {
		return ledger.Credits{}, pg.Fault(err, nil)
	}
	credits, _, err := s.ledger.Credits(ctx, a.UserID)
	return credits, err
}

func (s *Service) adjust(ctx context.Context, tx pgx.Tx, a Adjustment) error {
	// A key is the account's own, and the fact does not name whose.
	fact := "staff/" + uuid.NewSHA1(a.UserID, []byte(a.Key)).String()
	description := Given
	if a.Amount < 0 {
		description = taken
	}
	isNew, err := s.ledger.Adjust(ctx, tx, ledger.Adjustment{
		UserID: a.UserID, Fact: fact, Amount: a.Amount, ExpiresAt: s.clock.Now().Add(GiftLasts), Description: description,
	})
	if err != nil {
		return err
	}
	if !isNew {
		before, err := s.q.AdjustedBy(ctx, tx, fact)
		if err == nil && before != a.Amount {
			err = ledger.ErrKeyReused
		}
		return err
	}
	return Adjusted(ctx, tx, a.UserID, a.Amount, a.Reason)
}

// Decimal writes hundredths that are not negative as credits.
func Decimal(hundredths int64) string { return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100) }

// Marks are what staff have to know of an account before they give it anything.
type Marks struct {
	// Owed are hundredths of credits that were spent and whose payment went back.
	Owed int64
	// Disputes is how many disputed payments have taken credits back, open or lost.
	Disputes int64
}

// Marks reads those of an account.
func (s *Service) Marks(ctx context.Context, userID uuid.UUID) (Marks, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	row, err := s.q.MarksOf(ctx, s.pool, userID)
	return Marks(row), pg.Fault(err, nil)
}

// StripeURL is where Stripe's dashboard shows an account's customer; "" without one.
func (s *Service) StripeURL(ctx context.Context, userID uuid.UUID) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	row, err := s.q.CustomerOf(ctx, s.pool, userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return s.dashboard(row.CustomerID), pg.Fault(err, nil)
}

// Renewal says whether an account is disabled, as far as billing has heard, and whether its plan renews nevertheless.
func (s *Service) Renewal(ctx context.Context, userID uuid.UUID) (disabled, renews bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	renews, err = s.q.DisabledRenews(ctx, s.pool, userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, nil
	}
	return err == nil, renews, pg.Fault(err, nil)
}
