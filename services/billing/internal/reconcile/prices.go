package reconcile

import (
	"context"
	"errors"
	"fmt"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
)

// Prices reads from Stripe what each plan costs, which people are shown from then on, and checks
// that what is sold is what the settings and billing's own list of prices say. That is not
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
		price, err := r.price(ctx, p.Offer.PriceID)
		if err != nil {
			return err
		}
		if what := difference(p, price); what != "" {
			different++
			r.log.ErrorContext(ctx, "a plan is sold at a price that does not fit: change the settings or the price", "plan", p.ID,
				"price", p.Offer.PriceID, "difference", what)
			continue
		}
		changed, err := r.plans.Charged(ctx, p.ID, price.Amount)
		if err != nil {
			return err
		}
		if changed {
			r.log.WarnContext(ctx, "a plan costs another amount at Stripe than before, and people are shown that now", "plan", p.ID,
				"price", p.Offer.PriceID, "was", p.PriceMonthly, "is", price.Amount)
		}
	}
	agreed, err := r.agreed(ctx)
	if err == nil {
		r.metrics.prices.Set(float64(different + agreed))
	}
	return err
}

// agreed counts the prices that were agreed on and that Stripe does not sell a subscription at.
func (r *Reconciler) agreed(ctx context.Context) (unknown int, err error) {
	list, err := r.plans.Agreed(ctx)
	for _, row := range list {
		if err != nil {
			return unknown, err
		}
		var price stripe.Price
		if price, err = r.price(ctx, row.PriceID); err == nil && price.Interval == "" {
			unknown++
			r.log.ErrorContext(ctx, "Stripe has no such price of a subscription: mend the list by billing set-price", "plan", row.PlanID, "price", row.PriceID)
		}
	}
	return unknown, err
}

// price is the zero one when Stripe has none.
func (r *Reconciler) price(ctx context.Context, id string) (stripe.Price, error) {
	price, err := r.stripe.Price(ctx, id)
	if errors.Is(err, stripe.ErrGone) {
		return stripe.Price{}, nil
	}
	return price, err
}

// difference says how Stripe's price differs from one that the plan can be sold at; empty if it
// does not.
func difference(p plan.Plan, price stripe.Price) string {
	switch {
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
	case price.Currency != "usd" || price.Amount <= 0:
		return fmt.Sprintf("%d %s are charged, in hundredths, and US dollars shown", price.Amount, price.Currency)
	}
	return ""
}
