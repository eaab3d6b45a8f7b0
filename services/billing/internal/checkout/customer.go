package checkout

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/erasure"
)

// customer returns the account's customer and creates it if necessary.
func (svc *Service) customer(ctx context.Context, o Order) (string, error) {
	known, former, err := svc.subscriptions.Customer(ctx, o.UserID)
	if err != nil || known != "" {
		return known, err
	}
	if _, err := svc.guard.Confirm(ctx); err != nil {
		svc.log.ErrorContext(ctx, "no customer is created: whether the key is of the database's Stripe account is not known, or it is not", "error", err)
		return "", svc.failed(ctx, err)
	}
	made, err := svc.before(ctx, o)
	if err == nil && made == "" {
		made, err = svc.newCustomer(ctx, o, former)
	}
	if err != nil {
		return "", svc.failed(ctx, err)
	}
	bound, err := svc.subscriptions.Bind(ctx, o.UserID, made)
	if errors.Is(err, erasure.ErrErased) {
		// The account was deleted after the caller was admitted: nothing of it may stay.
		err = errors.Join(err, svc.stripe.DeleteCustomer(ctx, made))
	}
	return bound, err
}

// before is the customer that the account had before the database was set back; "" for none. What
// it has bought is then found, and not sold again.
func (svc *Service) before(ctx context.Context, o Order) (string, error) {
	if o.Email == "" {
		return "", nil
	}
	list, err := svc.stripe.CustomersWith(ctx, o.Email, o.UserID.String())
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

func (svc *Service) newCustomer(ctx context.Context, o Order, former int64) (string, error) {
	// The address is part of the key because Stripe refuses a key with other parameters; the
	// number of deleted customers, because the same key returns the same customer.
	made := []string{o.Email}
	if former > 0 {
		made = append(made, strconv.FormatInt(former, 10))
	}
	key := "customer-" + o.UserID.String() + "-" + digest(made...)
	created, err := svc.stripe.CreateCustomer(ctx, o.UserID.String(), o.Email, key)
	if errors.Is(err, stripe.ErrSpoiled) {
		created, err = svc.stripe.CreateCustomer(ctx, o.UserID.String(), o.Email, stripe.AnotherKey(key, svc.clock.Now()))
	}
	return created, err
}

// letGo takes a customer that Stripe does not know from its account; unknown is what Stripe said. It fails where the
// customer may be of another Stripe account, until somebody sets the right key.
func (svc *Service) letGo(ctx context.Context, customer string, unknown error) error {
	released, err := svc.subscriptions.Release(ctx, customer)
	if released {
		return nil
	}
	svc.log.ErrorContext(ctx, "Stripe does not know a customer that was not deleted: is STRIPE_SECRET_KEY of another Stripe account?",
		"customer", customer, "error", errors.Join(unknown, err))
	if _, kept := errors.AsType[*subscription.Unfit](err); kept {
		return stripe.Refused.Wrap(err)
	}
	return svc.failed(ctx, cmp.Or(err, unknown))
}
