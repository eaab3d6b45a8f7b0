package checkout

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
)

// pack is what an order is for. Whoever has a plan, or a
// trial of one, and nothing overdue can buy packs, as often as they like; ErrNoPlan, ErrOverdue,
// ErrOnItsWay or ErrPaused for the others. ErrUnknown for what is not sold.
func (svc *Service) pack(ctx context.Context, o Order) (plan.Pack, error) {
	packs, err := svc.plans.Packs(ctx)
	if err != nil {
		return plan.Pack{}, err
	}
	at := slices.IndexFunc(packs, func(p plan.Pack) bool { return p.PriceID == o.PriceID && p.ProductID == o.ProductID })
	if at < 0 {
		return plan.Pack{}, ErrUnknown
	}
	has, ok, err := svc.subscriptions.Current(ctx, o.UserID)
	switch {
	case err != nil:
		return plan.Pack{}, err
	case ok && has.Status == subscription.PastDue:
		return plan.Pack{}, ErrOverdue
	case ok && has.Status == subscription.Processing:
		return plan.Pack{}, ErrOnItsWay
	case ok && has.Status == subscription.Paused:
		return plan.Pack{}, ErrPaused
	case !ok || has.Status != subscription.Active && has.Status != subscription.Cancelled:
		return plan.Pack{}, ErrNoPlan
	}
	return packs[at], nil
}

// becameOf says what has become of a checkout for a pack that was read before it was applied.
func (svc *Service) becameOf(ctx context.Context, sold stripe.Checkout) (string, error) {
	given, err := svc.subscriptions.PackGiven(ctx, sold.ID)
	switch {
	case err != nil:
		return "", err
	case given:
		return PackGiven, nil
	case sold.Processing && !sold.Paid:
		return PackOnItsWay, nil
	}
	return PackNotGiven, nil
}

// TrialDays is how many days are free if the account now buys a plan, as far as our own records
// tell; the checkout asks Stripe, too.
func (svc *Service) TrialDays(ctx context.Context, userID uuid.UUID) (int64, error) {
	if svc.stripe == nil {
		return 0, nil
	}
	return svc.trial(ctx, userID, false)
}
