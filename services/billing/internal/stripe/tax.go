package stripe

import (
	"context"

	sdk "github.com/stripe/stripe-go/v85"
)

// TaxSettings are those of Stripe Tax.
type TaxSettings struct {
	// Active says that taxes can be calculated; Missing is what keeps them from it.
	Active  bool
	Missing []string
	// Behavior is whether amounts include taxes where a price does not say; "" where that is not set either.
	Behavior string
}

// TaxSettings reads them.
func (c *Client) TaxSettings(ctx context.Context) (TaxSettings, error) {
	return call(ctx, c, "tax_settings", func(ctx context.Context) (TaxSettings, error) {
		row, err := c.sc.V1TaxSettings.Retrieve(ctx, nil)
		if err != nil {
			return TaxSettings{}, err
		}
		settings := TaxSettings{Active: row.Status == sdk.TaxSettingsStatusActive}
		if row.Defaults != nil {
			settings.Behavior = string(row.Defaults.TaxBehavior)
		}
		if row.StatusDetails != nil && row.StatusDetails.Pending != nil {
			settings.Missing = row.StatusDetails.Pending.MissingFields
		}
		return settings, nil
	})
}
