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
}

// TaxSettings reads them.
func (c *Client) TaxSettings(ctx context.Context) (TaxSettings, error) {
	return call(ctx, c, "tax_settings", func(ctx context.Context) (TaxSettings, error) {
		row, err := c.sc.V1TaxSettings.Retrieve(ctx, nil)
		if err != nil {
			return TaxSettings{}, err
		}
		settings := TaxSettings{Active: row.Status == sdk.TaxSettingsStatusActive}
		if row.StatusDetails != nil && row.StatusDetails.Pending != nil {
			settings.Missing = row.StatusDetails.Pending.MissingFields
		}
		return settings, nil
	})
}
