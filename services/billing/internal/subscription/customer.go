package subscription

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// Customer returns the account's customer of Stripe's, "" without one, and how many it
// had before that were deleted there.
func (svc *Service) Customer(ctx context.Context, userID uuid.UUID) (id string, former int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	row, err := svc.q.CustomerOf(ctx, svc.pool, userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", 0, nil
	}
	return row.CustomerID, row.Former, pg.Fault(err, nil)
}

// Bind makes a customer the account's, unless it has one, and returns the one it
// has then.
func (svc *Service) Bind(ctx context.Context, userID uuid.UUID, customer string) (bound string, err error) {
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	if err := svc.q.BindCustomer(ctx, svc.pool, db.BindCustomerParams{UserID: userID, CustomerID: customer, Now: svc.clock.Now()}); err != nil {
		return "", pg.Fault(err, nil)
	}
	row, err := svc.q.CustomerOf(ctx, svc.pool, userID)
	return row.CustomerID, pg.Fault(err, nil)
}

// Release takes from its account a customer that was deleted at Stripe, and reports
// whether it was: one that Stripe does not know at all may be of another account at
// Stripe, whose key we should have. What was bought as that customer stays the
// account's.
func (svc *Service) Release(ctx context.Context, customer string) (released bool, err error) {
	deleted, err := svc.stripe.CustomerDeleted(ctx, customer)
	if err != nil || !deleted {
		return false, gone(err, customer)
	}
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	err = svc.q.ReleaseCustomer(ctx, svc.pool, db.ReleaseCustomerParams{CustomerID: customer, Now: svc.clock.Now()})
	if err == nil {
		svc.log.WarnContext(ctx, "a customer was deleted at Stripe", "customer", customer)
	}
	return err == nil, pg.Fault(err, nil)
}

// CustomerDeleted releases a customer of ours, and brings its subscriptions up to date,
// which have ended with it.
func (svc *Service) CustomerDeleted(ctx context.Context, customer string) error {
	account, err := svc.q.AccountOfCustomer(ctx, svc.pool, customer)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return pg.Fault(err, nil)
	}
	released, err := svc.Release(ctx, customer)
	if err != nil || !released {
		return err
	}
	list, err := svc.q.StandingSubscriptions(ctx, svc.pool, account.UserID)
	if err != nil {
		return pg.Fault(err, nil)
	}
	for _, id := range list {
		if err := svc.Sync(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
