package standing

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// ErrNotDisabled is for accounts that billing does not know as disabled.
var ErrNotDisabled = fault.New(fault.Conflict, "account_not_disabled", "Staff decide only about the renewals of disabled accounts, and this account is not disabled, or was so only a moment ago.")

// SetRenewal is an admin's word on whether the plan of a disabled account renews. It holds until the account is enabled,
// or deleted. Again it changes nothing, but brings Stripe in line. It fails with ErrNotDisabled, and while Stripe does not
// answer with nothing changed here.
func (s *Service) SetRenewal(ctx context.Context, pool *pgxpool.Pool, userID uuid.UUID, renews bool, reason string) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		before, err := s.q.StateForStripe(ctx, tx, userID)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && before.State != store.Disabled {
			return ErrNotDisabled
		}
		if err != nil {
			return err
		}
		if before.Renews != renews {
			if err := s.q.SetRenews(ctx, tx, db.SetRenewsParams{UserID: userID, Renews: renews}); err != nil {
				return err
			}
			name := staff.RenewalStopped
			if renews {
				name = staff.RenewalAllowed
			}
			if err := staff.Record(ctx, tx, audit.Action{Name: name, Subject: userID.String(), Reason: reason}); err != nil {
				return err
			}
		}
		if s.stripe == nil {
			return nil
		}
		act := s.stopRenewals
		if renews {
			act = s.resumeRenewals
		}
		return s.atStripe(ctx, tx, userID, act)
	})
	return pg.Fault(err, nil)
}
