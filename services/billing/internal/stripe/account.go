package stripe

import (
	"context"
	"strings"
)

// Account is what a key is of.
type Account struct {
	ID string
	// Charges says that Stripe lets it take money.
	Charges bool
}

// Account reads the one that the key is of. A restricted key may not be allowed to: ErrRefused.
func (c *Client) Account(ctx context.Context) (Account, error) {
	return call(ctx, c, "account", func(ctx context.Context) (Account, error) {
		row, err := c.sc.V1Accounts.Retrieve(ctx, nil)
		if err != nil || !strings.HasPrefix(row.ID, "acct_") {
			return Account{}, err
		}
		return Account{ID: row.ID, Charges: row.ChargesEnabled}, nil
	})
}
