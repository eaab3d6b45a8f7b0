package subscription

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/pg"
)

// Lost ends a subscription of ours that Stripe does not know, as after all data of a test account
// was deleted, and releases its customer if Stripe does not know that one either. It reports
// whether it has: it does nothing unless the key is known to be of the account that sold it. What
// was paid for stays until it ends.
func (svc *Service) Lost(ctx context.Context, id string) (ended bool, err error) {
	if same, err := svc.guard.Confirm(ctx); err != nil || !same {
		return false, err
	}
	owner, err := svc.q.AccountOfSubscription(ctx, svc.pool, id)
	if err != nil {
		return false, pg.Fault(err, nil)
	}
	if _, err := svc.stripe.Subscription(ctx, id); !errors.Is(err, stripe.ErrGone) {
		return false, err
	}
	err = pgx.BeginFunc(ctx, svc.pool, func(tx pgx.Tx) error {
		if _, err := svc.q.LockAccount(ctx, tx, owner.UserID); err != nil {
			return err
		}
		if err := svc.q.CountSync(ctx, tx, owner.UserID); err != nil {
			return err
		}
		return svc.q.EndSubscription(ctx, tx, db.EndSubscriptionParams{ID: id, Now: svc.clock.Now()})
	})
	if err != nil {
		return false, pg.Fault(err, nil)
	}
	current, _, err := svc.Customer(ctx, owner.UserID)
	if err == nil && current != "" {
		_, err = svc.Release(ctx, current)
	}
	return true, err
}
