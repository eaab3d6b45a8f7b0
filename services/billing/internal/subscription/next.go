package subscription

import (
	"context"
	"time"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
)

// following is the plan that a subscription of one changes to by its schedule; none when it stays, as
// where only what it costs changes.
func following(s stripe.Subscription, sold plan.Sold, prices plan.Prices) plan.Sold {
	next, ok := prices.Of(s.NextPriceID, s.NextProductID)
	if !ok || next.ID == sold.ID && s.NextInterval == s.Interval && s.NextIntervalCount == s.IntervalCount {
		return plan.Sold{}
	}
	return next
}

// Next is the plan that a listed subscription changes to, and when; "" when it stays. Stripe is asked
// for what a list leaves out.
func (svc *Service) Next(ctx context.Context, s stripe.Subscription) (planID string, at time.Time, err error) {
	if s.NextPriceID == "" || s.NextPriceID == s.PriceID {
		return "", time.Time{}, nil
	}
	s, err = svc.stripe.Subscription(ctx, s.ID)
	if err != nil {
		return "", time.Time{}, err
	}
	prices, err := svc.plans.Prices(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	s = s.Only(prices.Sells)
	sold, _ := prices.Of(s.PriceID, s.ProductID)
	if planID = following(s, sold, prices).ID; planID != "" {
		at = s.NextAt
	}
	return planID, at, nil
}

// Ours is a listed subscription without what it charges for another product.
func (svc *Service) Ours(ctx context.Context, s stripe.Subscription) (stripe.Subscription, error) {
	if s.Items < 2 {
		return s, nil
	}
	prices, err := svc.plans.Prices(ctx)
	return s.Only(prices.Sells), err
}
