package mac

import (
	"context"
	"time"
)

// Subscription is the plan that a person pays for.
type Subscription struct {
	// Status is "active", "cancelled" (paid for until PeriodEnd), "past_due", or
	// another word of Stripe's.
	Status    string    `json:"status"`
	PeriodEnd time.Time `json:"current_period_end"` // zero when it is not known
	Plan      struct {
		Name           string `json:"name"`
		MonthlyCredits Amount `json:"monthly_credits"`
	} `json:"plan"`
}

// Credits are those of the account at one moment; the app keeps no count of its own.
type Credits struct {
	Granted Amount `json:"granted"`
	Used    Amount `json:"used"`
	Held    Amount `json:"held"`    // for work in progress
	Balance Amount `json:"balance"` // what can be spent
}

// Hold is an amount that was set aside.
type Hold struct {
	ID string `json:"holdId"`
	// ExpiresAt is by the site's clock: unsettled until then, all of it is given back.
	ExpiresAt time.Time `json:"expires_at"`
	Credits   Credits   `json:"credits"`
}

// Subscription asks for the person's plan; nil is the free one.
func (c *Client) Subscription(ctx context.Context) (*Subscription, error) {
	var got struct {
		Data *Subscription `json:"data"`
	}
	err := c.get(ctx, "/api/get-subscription", &got)
	return got.Data, err
}

// Credits asks what there is to spend; nil for an account that never had any.
func (c *Client) Credits(ctx context.Context) (*Credits, error) {
	var got struct {
		Data *Credits `json:"data"`
	}
	err := c.get(ctx, "/api/get-token-balance", &got)
	return got.Data, err
}

// Spend takes credits for something whose price is known. See order for what
// happens when the answer gets lost.
func (c *Client) Spend(ctx context.Context, amount Amount, description string) (Credits, error) {
	var spent struct {
		Credits Credits `json:"credits"`
	}
	err := c.place(ctx, order{Path: "/api/consume-credits", Amount: amount, Description: description}, &spent)
	return spent.Credits, err
}

// Hold sets credits aside for a generation, before its first step: at most what
// it may cost. Settle ends it, with nothing when the generation failed.
func (c *Client) Hold(ctx context.Context, amount Amount, description string) (Hold, error) {
	var held Hold
	err := c.place(ctx, order{Path: "/api/hold-credits", Amount: amount, Description: description}, &held)
	return held, err
}

// Settle takes what the work cost from a hold and gives back the rest. The same
// again changes nothing, so that a lost answer is simply asked for once more.
func (c *Client) Settle(ctx context.Context, hold string, cost Amount) (Credits, error) {
	var settled struct {
		Credits Credits `json:"credits"`
	}
	body := struct {
		HoldID string `json:"holdId"`
		Amount Amount `json:"amount"`
	}{hold, cost}
	err := c.insist(ctx, "/api/settle-credits", body, &settled)
	return settled.Credits, err
}

// UpgradePage is where the person chooses a plan, in their own browser.
func (c *Client) UpgradePage() string { return c.site.origin + "/upgrade?source=electron" }
