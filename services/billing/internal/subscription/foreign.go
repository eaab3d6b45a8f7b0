package subscription

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/pg"
)

// ErrForeign is for what is plainly not ours: another product's, which shares the account at
// Stripe.
var ErrForeign = errors.New("subscription: not of this product")

// stranger is what becomes of a subscription that is not known to be ours: its events tell nothing. Somebody looks at
// one that a customer of ours has paid for, though: sales may have made it, and its price was agreed on nowhere.
func (r reading) stranger(about string) error {
	if about == "" && r.paid {
		if err := r.problem(r.subscription.ID); err != nil {
			return err
		}
	}
	return ErrForeign
}

// names reports whether the metadata of a subscription names an account, as ours do: its customer's, or another that
// billing has heard of. Another product may write a user_id of its own.
func (svc *Service) names(ctx context.Context, s stripe.Subscription, owner uuid.UUID) (bool, error) {
	userID, err := uuid.Parse(s.UserID)
	if err != nil || userID == uuid.Nil {
		return false, nil //nolint:nilerr // what is no UUID is no account
	}
	if userID == owner {
		return true, nil
	}
	known, err := svc.q.IsAccount(ctx, svc.pool, userID)
	return known, pg.Fault(err, nil)
}

// sellsOurs reports whether a line of an invoice sells a plan of ours.
func sellsOurs(i stripe.Invoice, prices plan.Prices) bool {
	return slices.ContainsFunc(i.Lines, func(l stripe.Line) bool {
		_, ours := prices.Of(l.PriceID, l.ProductID)
		return ours
	})
}
