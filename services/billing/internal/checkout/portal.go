package checkout

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/stripe"
)

// Portal returns the address of the account's portal, or else a message that says
// why there is none.
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
		return "", MessageNothing, nil
	}
	address, err = svc.openPortal(ctx, customer, returnURL)
	if errors.Is(err, stripe.ErrNoCustomer) {
		if released, asked := svc.subscriptions.Release(ctx, customer); asked == nil && released {
			return "", MessageNothing, nil
		}
	}
	return address, "", svc.failed(ctx, err)
}

func (svc *Service) openPortal(ctx context.Context, customer, returnURL string) (address string, err error) {
	portal, err := svc.setup.Portal(ctx)
	if err != nil {
		return "", err
	}
	return svc.stripe.OpenPortal(ctx, portal, customer, returnURL)
}
