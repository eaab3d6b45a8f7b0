package stripe

import (
	"context"
	"maps"
	"slices"

	sdk "github.com/stripe/stripe-go/v85"
)

// Price is what a product is sold for.
type Price struct {
	ID, ProductID string
	// Amount is what one costs, in the smallest unit of Currency ("usd"); 0 where Stripe
	// has no single amount, as with tiers.
	Amount   int64
	Currency string
	// Interval is how often that is paid: IntervalCount times "day", "week", "month" or
	// "year". Empty for a price that is paid once.
	Interval      string
	IntervalCount int64
	// Metered says that it is charged for what was used, afterwards.
	Metered bool
	// TaxKnown says whether the amount includes taxes or not; Stripe Tax refuses one that does not, unless it has a default.
	TaxKnown bool
	// Active prices can be bought.
	Active bool
	// Others are the further currencies that it has amounts in, in alphabetical order.
	Others []string
}

// Price reads one.
func (c *Client) Price(ctx context.Context, id string) (Price, error) {
	return call(ctx, c, "price", func(ctx context.Context) (Price, error) {
		row, err := c.sc.V1Prices.Retrieve(ctx, id, &sdk.PriceRetrieveParams{Expand: sdk.StringSlice([]string{"currency_options"})})
		if err != nil {
			return Price{}, err
		}
		p := Price{
			ID: row.ID, Amount: row.UnitAmount, Currency: string(row.Currency), Active: row.Active, Metered: metered(row),
			TaxKnown: row.TaxBehavior == sdk.PriceTaxBehaviorInclusive || row.TaxBehavior == sdk.PriceTaxBehaviorExclusive,
		}
		for _, currency := range slices.Sorted(maps.Keys(row.CurrencyOptions)) {
			if currency != p.Currency {
				p.Others = append(p.Others, currency)
			}
		}
		if row.Product != nil {
			p.ProductID = row.Product.ID
		}
		if row.Recurring != nil {
			p.Interval, p.IntervalCount = string(row.Recurring.Interval), row.Recurring.IntervalCount
		}
		return p, nil
	})
}

// metered reports whether a price is charged for what was used.
func metered(row *sdk.Price) bool {
	return row.Recurring != nil && row.Recurring.UsageType == sdk.PriceRecurringUsageTypeMetered
}
