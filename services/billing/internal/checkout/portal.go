package checkout

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/stripe"
)

// Portal returns the address of the account's portal, or, in a demo, a message. ErrNothing for who is no customer.
func (svc *Service) Portal(ctx context.Context, userID uuid.UUID, returnURL string) (address, message string, err error) {
	if svc.stripe == nil {
		return "", MessageDemo, nil
	}
	ctx, cancel := context.WithTimeout(ctx, stripe.Budget)
	defer cancel()
	customer, _, err := svc.subscriptions.Customer(ctx, userID)
	switch {
	case err != nil:
		return "", "", err
	case customer == "":
		return "", "", ErrNothing
	}
	address, err = svc.withPortal(ctx, func(portal string) (string, error) { return svc.stripe.OpenPortal(ctx, portal, customer, returnURL) })
	if errors.Is(err, stripe.ErrNoCustomer) {
		if err := svc.letGo(ctx, customer, err); err != nil {
			return "", "", err
		}
		return "", "", ErrNothing
	}
	return address, "", svc.failed(ctx, err)
}

// withPortal opens a page by the portal's configuration. One that Stripe refuses may have been deactivated since it was found:
// then another is made.
func (svc *Service) withPortal(ctx context.Context, open func(portal string) (string, error)) (address string, err error) {
	portal, err := svc.setup.Portal(ctx)
	if err != nil {
		return "", err
	}
	address, err = open(portal)
	if portal == "" || !errors.Is(err, stripe.ErrRefused) {
		return address, err
	}
	if another, asked := svc.setup.AnotherPortal(ctx); asked == nil && another != portal {
		return open(another)
	}
	return "", err
}
