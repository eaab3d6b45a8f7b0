package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
)

// Prices reads from Stripe what each plan costs, which people are shown from then on, and checks
// that what is sold is what the settings and billing's own list of prices say. That is not
// repaired: which of the two is right, somebody has to decide. It returns what differs, in one
// sentence each.
func (c *Checker) Prices(ctx context.Context) (differences []string, err error) {
	differences, err = c.comparePrices(ctx)
	if err != nil {
		if differences, err = refused(err, "The key may not read prices, so people are shown what each cost when it last could."); err != nil {
			return nil, err
		}
		c.log.ErrorContext(ctx, "Stripe's account is not as billing needs it", "difference", differences[0])
	}
	c.keep(differences, &c.ofPrices, c.prices)
	return differences, nil
}

func (c *Checker) comparePrices(ctx context.Context) (differences []string, err error) {
	offers, err := c.offers(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range offers {
		for _, sold := range []struct {
			interval, price string
			shown           int64
		}{{plan.Month, p.Offer.PriceID, p.PriceMonthly}, {plan.Year, p.Offer.AnnualPriceID, p.PriceYearly}} {
			if sold.price == "" {
				continue
			}
			what, err := c.compare(ctx, p, sold.price, sold.interval, sold.shown)
			if err != nil {
				return nil, err
			}
			if what != "" {
				differences = append(differences, what)
			}
		}
	}
	agreed, err := c.agreed(ctx)
	if err != nil {
		return nil, err
	}
	packs, err := c.packs(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Concat(differences, agreed, packs), nil
}

// compare checks a price that a plan is sold at, and has people shown what it costs.
func (c *Checker) compare(ctx context.Context, p plan.Plan, id, interval string, shown int64) (difference string, err error) {
	price, err := c.price(ctx, id)
	if err != nil {
		return "", err
	}
	what, err := c.orRetired(ctx, unfit(p, price, interval), price)
	if err != nil {
		return "", err
	}
	if what != "" {
		c.log.ErrorContext(ctx, "a plan is not sold at a price that does not fit: change the settings or the price", "plan", p.ID, "price", id, "difference", what)
		return fmt.Sprintf("%s is to be sold at %s, which does not fit: %s.", p.Name, id, what), c.plans.Unfit(ctx, p.ID, interval)
	}
	changed, err := c.plans.Charged(ctx, p.ID, interval, price.Amount)
	if changed {
		c.log.WarnContext(ctx, "a plan costs another amount at Stripe than before, and people are shown that now", "plan", p.ID,
			"price", id, "was", shown, "is", price.Amount)
	}
	return "", err
}

// currencies are the prices of plans, offered or agreed on, that have amounts in several currencies. The site sells in its
// own alone, and a list of subscriptions does not have the amounts in the others.
func (c *Checker) currencies(ctx context.Context) (differences []string, err error) {
	agreed, err := c.plans.Agreed(ctx)
	if err != nil {
		return nil, err
	}
	var more []string
	for _, row := range agreed {
		more = append(more, row.PriceID)
	}
	return c.each(ctx, more, func(id string, price stripe.Price) string {
		if len(price.Others) == 0 {
			return ""
		}
		return fmt.Sprintf("The price %s has amounts in %s, too: what a subscription in one of those costs is neither shown nor counted.", id, strings.Join(price.Others, ", "))
	})
}

// untold are the prices of which Stripe Tax does not know whether they include taxes, so that it lets nobody buy at them.
func (c *Checker) untold(ctx context.Context) (differences []string, err error) {
	return c.each(ctx, c.plans.PackPrices(), func(id string, price stripe.Price) string {
		if price.ID == "" || price.TaxKnown {
			return ""
		}
		return fmt.Sprintf("Stripe does not know whether %s includes taxes, so nobody can buy at it with STRIPE_AUTOMATIC_TAX: choose that for the price, or a default of Stripe Tax.", id)
	})
}

// each says what is wrong with the prices that plans are offered at and some more.
func (c *Checker) each(ctx context.Context, more []string, wrong func(id string, price stripe.Price) string) (differences []string, err error) {
	offers, err := c.offers(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, p := range offers {
		ids = append(ids, p.Offer.PriceID, p.Offer.AnnualPriceID)
	}
	for i, id := range slices.Concat(ids, more) {
		if id == "" || i >= len(ids) && slices.Contains(ids, id) { // what an offered price gives may have been agreed on, too
			continue
		}
		price, err := c.price(ctx, id)
		switch {
		case errors.Is(err, stripe.ErrRefused):
			return differences, nil // Prices says so
		case err != nil:
			return nil, err
		}
		if sentence := wrong(id, price); sentence != "" {
			differences = append(differences, sentence)
		}
	}
	return differences, nil
}

// agreed are the prices that were agreed on and that Stripe does not sell a subscription at.
func (c *Checker) agreed(ctx context.Context) (differences []string, err error) {
	list, err := c.plans.Agreed(ctx)
	for _, row := range list {
		if err != nil {
			return nil, err
		}
		var price stripe.Price
		if price, err = c.price(ctx, row.PriceID); err == nil && (price.Interval == "" || price.Metered) {
			differences = append(differences, fmt.Sprintf("%s was agreed on for %s, and Stripe has no such price of a subscription.", row.PriceID, row.PlanID))
			c.log.ErrorContext(ctx, "Stripe has no such price of a subscription: mend the list by billing set-price", "plan", row.PlanID, "price", row.PriceID)
		}
	}
	return differences, err
}

// packs reads what each pack costs, and says which cannot be sold.
func (c *Checker) packs(ctx context.Context) (differences []string, err error) {
	for _, id := range c.plans.PackPrices() {
		price, err := c.price(ctx, id)
		if err != nil {
			return nil, err
		}
		what, err := c.orRetired(ctx, unfitPack(price), price)
		if err != nil {
			return nil, err
		}
		if what != "" {
			differences = append(differences, fmt.Sprintf("Credits are to be sold at %s, which does not fit: %s.", id, what))
			c.log.ErrorContext(ctx, "credits are not sold at a price that does not fit: change the settings or the price", "price", id, "difference", what)
			if err := c.plans.PackUnfit(ctx, id); err != nil {
				return nil, err
			}
			continue
		}
		changed, err := c.plans.PackCharged(ctx, plan.Pack{ProductID: price.ProductID, PriceID: id, Amount: price.Amount, Currency: price.Currency})
		if err != nil {
			return nil, err
		}
		if changed {
			c.log.InfoContext(ctx, "credits are sold at a price", "price", id, "amount", price.Amount, "currency", price.Currency)
		}
	}
	return differences, nil
}

// orRetired is what does not fit, and of a price that fits whether its product is archived, so that nobody can buy at it. It is
// empty where the key may not read products, which the setup's check tells.
func (c *Checker) orRetired(ctx context.Context, unfit string, price stripe.Price) (string, error) {
	if unfit != "" {
		return unfit, nil
	}
	found, err := c.stripe.Product(ctx, price.ProductID)
	switch {
	case errors.Is(err, stripe.ErrGone), errors.Is(err, stripe.ErrRefused):
		return "", nil
	case err == nil && !found.Active:
		return "its product is archived at Stripe", nil
	}
	return "", err
}

// unfitPack says why nobody can pay a price once; empty if they can.
func unfitPack(price stripe.Price) string {
	switch {
	case price.ID == "":
		return "Stripe has no such price"
	case !price.Active:
		return "it is archived at Stripe"
	case price.Interval != "":
		return "it is paid each " + price.Interval + ", not once"
	case price.Amount <= 0:
		return "it has no single amount"
	}
	return ""
}

// price is the zero one when Stripe has none.
func (c *Checker) price(ctx context.Context, id string) (stripe.Price, error) {
	price, err := c.stripe.Price(ctx, id)
	if errors.Is(err, stripe.ErrGone) {
		return stripe.Price{}, nil
	}
	return price, err
}

// unfit says how Stripe's price differs from one that the plan can be sold at each interval; empty if
// it does not.
func unfit(p plan.Plan, price stripe.Price, interval string) string {
	switch {
	case price.ID == "":
		return "Stripe has no such price"
	case !price.Active:
		return "it is archived at Stripe"
	case price.ProductID != p.Offer.ProductID:
		return fmt.Sprintf("it sells %s, not %s", price.ProductID, p.Offer.ProductID)
	case price.Interval == "":
		return "it is paid once, not each " + interval
	case price.Metered:
		return "it is charged for what was used, not each " + interval
	case price.Interval != interval || price.IntervalCount != 1:
		return fmt.Sprintf("it is not paid each %s, but each %d %s", interval, price.IntervalCount, price.Interval)
	case price.Currency != "usd" || price.Amount <= 0:
		return fmt.Sprintf("%d %s are charged, in hundredths, and US dollars shown", price.Amount, price.Currency)
	}
	return ""
}
