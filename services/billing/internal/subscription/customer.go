package subscription

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/erasure"
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
// has then. erasure.ErrErased for an account that is no more.
func (svc *Service) Bind(ctx context.Context, userID uuid.UUID, customer string) (bound string, err error) {
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	err = pgx.BeginFunc(ctx, svc.pool, func(tx pgx.Tx) error {
		if err := svc.q.KnowState(ctx, tx, userID); err != nil {
			return err
		}
		// An erasure waits, and then finds the customer; or this waits for the erasure.
		state, err := svc.q.StateForBinding(ctx, tx, userID)
		if err != nil {
			return err
		}
		if state == store.Erased {
			return erasure.ErrErased
		}
		if err := svc.q.BindCustomer(ctx, tx, db.BindCustomerParams{UserID: userID, CustomerID: customer, Now: svc.clock.Now()}); err != nil {
			return err
		}
		row, err := svc.q.CustomerOf(ctx, tx, userID)
		bound = row.CustomerID
		return err
	})
	return bound, pg.Fault(err, nil)
}

// Release takes from its account a customer that is no more at Stripe, and reports
// whether it is: one that Stripe does not know at all may be of another account at
// Stripe, unless the key is known to be of the right one. What was bought as that customer
// stays the account's.
func (svc *Service) Release(ctx context.Context, customer string) (released bool, err error) {
	deleted, err := svc.stripe.CustomerDeleted(ctx, customer)
	if errors.Is(err, stripe.ErrGone) {
		deleted, err = svc.guard.Confirm(ctx)
		if err == nil && !deleted {
			err = stripe.ErrGone
		}
	}
	if err != nil || !deleted {
		return false, gone(err, customer)
	}
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	err = svc.q.ReleaseCustomer(ctx, svc.pool, db.ReleaseCustomerParams{CustomerID: customer, Now: svc.clock.Now()})
	if err == nil {
		svc.log.WarnContext(ctx, "a customer is no more at Stripe", "customer", customer)
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
	var failed error
	for _, id := range list {
		failed = errors.Join(failed, svc.SyncFor(ctx, id, "")) // what is wrong with an invoice was told before
	}
	return failed
}

// Had reports whether the account has ever had a subscription that began.
func (svc *Service) Had(ctx context.Context, userID uuid.UUID) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, svc.cfg.Deadline)
	defer cancel()
	had, err := svc.q.HadSubscription(ctx, svc.pool, userID)
	return had, pg.Fault(err, nil)
}
