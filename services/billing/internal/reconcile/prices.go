package reconcile

import (
	"context"
	"errors"
	"fmt"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
)

// Prices compares what the site says that a plan costs with what Stripe charges. Nothing is
// repaired: which of the two is right, somebody has to decide.
func (r *Reconciler) Prices(ctx context.Context) error {
	plans, err := r.plans.List(ctx)
	if err != nil {
		return err
	}
	different := 0
	for _, p := range plans {
		if p.Offer.PriceID == "" {
			continue
		}
		price, err := r.stripe.Price(ctx, p.Offer.PriceID)
		if err != nil && !errors.Is(err, stripe.ErrGone) {
			return err
		}
		if what := difference(p, price); what != "" {
			different++
			r.log.ErrorContext(ctx, "a plan's price is another one at Stripe: change the plan or the price", "plan", p.ID,
				"price", p.Offer.PriceID, "difference", what)
		}
	}
	r.metrics.prices.Set(float64(different))
	return nil
}

// difference says how Stripe's price differs from what people see; empty if it does not.
func difference(p plan.Plan, price stripe.Price) string {
	switch shown, charged := p.PriceMonthly, price.Amount; {
	case price.ID == "":
		return "Stripe has no such price"
	case !price.Active:
		return "it is archived at Stripe"
	case price.ProductID != p.Offer.ProductID:
		return fmt.Sprintf("it sells %s, not %s", price.ProductID, p.Offer.ProductID)
	case price.Interval == "":
		return "it is paid once, not each month"
	case price.Interval != "month" || price.IntervalCount != 1:
		return fmt.Sprintf("it is not paid each month, but each %d %s", price.IntervalCount, price.Interval)
	case price.Currency != "usd" || charged != shown:
		return fmt.Sprintf("%d usd are shown and %d %s charged, in hundredths", shown, charged, price.Currency)
	}
	return ""
}
