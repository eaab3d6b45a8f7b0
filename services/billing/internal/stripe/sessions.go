package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/stripe/stripe-go/v85"
)

// Checkout is a checkout page of Stripe's.
type Checkout struct {
	ID, CustomerID string
	// Status is open, complete or expired.
	Status string
	// URL is where an open one is paid: a secret of its customer.
	URL string
	// SubscriptionID is set when it is complete.
	SubscriptionID string
	// Purchase is NewCheckout.Purchase of the one who opened it; "" for one that we have not.
	Purchase string
}

const (
	// purchaseTag keeps Purchase in a checkout's metadata.
	purchaseTag = "purchase"
	// userTag has the account's id in the metadata of all that is made for it.
	userTag = "user_id"
)

// NewCheckout describes a checkout to open.
type NewCheckout struct {
	CustomerID, UserID, PriceID string
	SuccessURL, CancelURL       string
	Page                        CheckoutPage
	// TrialDays come before the first payment; 0 for none.
	TrialDays int64
	// Purchase tells two checkouts for the same from two for different things.
	Purchase string
	// Key makes a request that is repeated within a day open the same checkout.
	Key string
}

func checkout(row *sdk.CheckoutSession) Checkout {
	c := Checkout{ID: row.ID, Status: string(row.Status), URL: row.URL, Purchase: row.Metadata[purchaseTag]}
	if row.Customer != nil {
		c.CustomerID = row.Customer.ID
	}
	if row.Subscription != nil {
		c.SubscriptionID = row.Subscription.ID
	}
	return c
}

// CreateCustomer creates the customer of an account. The same key, repeated within a
// day, returns the same customer.
func (c *Client) CreateCustomer(ctx context.Context, userID, email, key string) (id string, err error) {
	return call(ctx, c, "create_customer", func(ctx context.Context) (string, error) {
		params := &sdk.CustomerCreateParams{Metadata: map[string]string{userTag: userID}}
		if email != "" {
			params.Email = sdk.String(email)
		}
		params.SetIdempotencyKey(key)
		row, err := c.sc.V1Customers.Create(ctx, params)
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(row.ID, "cus_") {
			return "", errors.New("a customer without an id")
		}
		return row.ID, nil
	})
}

// CustomerDeleted reports whether a customer was deleted. ErrGone for one that never was.
func (c *Client) CustomerDeleted(ctx context.Context, id string) (bool, error) {
	return call(ctx, c, "customer", func(ctx context.Context) (bool, error) {
		row, err := c.sc.V1Customers.Retrieve(ctx, id, nil)
		return err == nil && row.Deleted, err
	})
}

// Checkouts lists a customer's latest checkouts of any status, the newest first.
func (c *Client) Checkouts(ctx context.Context, customer string) ([]Checkout, error) {
	return call(ctx, c, "checkouts", func(ctx context.Context) ([]Checkout, error) {
		return all(c.sc.V1CheckoutSessions.List(ctx, &sdk.CheckoutSessionListParams{
			Customer: sdk.String(customer), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
		}).All(ctx), pageSize, checkout)
	})
}

// Checkout reads one.
func (c *Client) Checkout(ctx context.Context, id string) (Checkout, error) {
	return call(ctx, c, "checkout", func(ctx context.Context) (Checkout, error) {
		row, err := c.sc.V1CheckoutSessions.Retrieve(ctx, id, nil)
		if err != nil {
			return Checkout{}, err
		}
		return checkout(row), nil
	})
}

// OpenCheckout makes a checkout that can be paid. ErrPrice for a price that Stripe
// does not sell at.
func (c *Client) OpenCheckout(ctx context.Context, n NewCheckout) (Checkout, error) {
	opened, err := c.openCheckout(ctx, n)
	if said, ok := errors.AsType[*sdk.Error](err); ok && strings.HasPrefix(said.Param, "line_items") {
		return Checkout{}, fmt.Errorf("%w: %w", ErrPrice, said)
	}
	return opened, err
}

func (c *Client) openCheckout(ctx context.Context, n NewCheckout) (Checkout, error) {
	return call(ctx, c, "create_checkout", func(ctx context.Context) (Checkout, error) {
		params := &sdk.CheckoutSessionCreateParams{
			Mode: sdk.String("subscription"), Customer: sdk.String(n.CustomerID), ClientReferenceID: sdk.String(n.UserID),
			LineItems:  []*sdk.CheckoutSessionCreateLineItemParams{{Price: sdk.String(n.PriceID), Quantity: sdk.Int64(1)}},
			SuccessURL: sdk.String(n.SuccessURL), CancelURL: sdk.String(n.CancelURL),
			Metadata: map[string]string{userTag: n.UserID, purchaseTag: n.Purchase},
			SubscriptionData: &sdk.CheckoutSessionCreateSubscriptionDataParams{
				Metadata: map[string]string{userTag: n.UserID},
			},
		}
		if n.TrialDays > 0 {
			params.SubscriptionData.TrialPeriodDays = sdk.Int64(n.TrialDays)
		}
		n.Page.ask(params)
		params.SetIdempotencyKey(n.Key)
		row, err := c.sc.V1CheckoutSessions.Create(ctx, params)
		if err != nil {
			return Checkout{}, err
		}
		opened := checkout(row)
		if !strings.HasPrefix(opened.ID, "cs_") || !c.isPage(opened.URL) {
			return Checkout{}, errors.New("a checkout without an id or an address")
		}
		return opened, nil
	})
}

// ask sets what the page offers and asks for. The customer gets the address and the name that are
// entered: Stripe demands that for taxes and tax ids of one that it knows.
func (p CheckoutPage) ask(params *sdk.CheckoutSessionCreateParams) {
	if p.PromotionCodes {
		params.AllowPromotionCodes = sdk.Bool(true)
	}
	if p.Terms {
		params.ConsentCollection = &sdk.CheckoutSessionCreateConsentCollectionParams{TermsOfService: sdk.String("required")}
	}
	if p.Tax || p.TaxIDs {
		params.CustomerUpdate = &sdk.CheckoutSessionCreateCustomerUpdateParams{Address: sdk.String("auto"), Name: sdk.String("auto")}
	}
	if p.Tax {
		params.AutomaticTax = &sdk.CheckoutSessionCreateAutomaticTaxParams{Enabled: sdk.Bool(true)}
	}
	if p.TaxIDs {
		params.TaxIDCollection = &sdk.CheckoutSessionCreateTaxIDCollectionParams{Enabled: sdk.Bool(true)}
	}
}

// CloseCheckout keeps an open checkout from being paid.
func (c *Client) CloseCheckout(ctx context.Context, id string) error {
	_, err := call(ctx, c, "close_checkout", func(ctx context.Context) (*sdk.CheckoutSession, error) {
		return c.sc.V1CheckoutSessions.Expire(ctx, id, nil)
	})
	return err
}

// OpenPortal makes a short-lived address of a customer's portal, as a configuration has it; "" for
// the account's default.
func (c *Client) OpenPortal(ctx context.Context, portal, customer, returnURL string) (address string, err error) {
	return c.portal(ctx, "open_portal", portal, &sdk.BillingPortalSessionCreateParams{Customer: sdk.String(customer), ReturnURL: sdk.String(returnURL)})
}

// OpenPlanChange makes an address of the portal's page that asks to confirm
// another price of a subscription, and then leads to doneURL.
func (c *Client) OpenPlanChange(ctx context.Context, portal string, s Subscription, priceID, returnURL, doneURL string) (address string, err error) {
	return c.portal(ctx, "open_plan_change", portal, &sdk.BillingPortalSessionCreateParams{
		Customer: sdk.String(s.CustomerID), ReturnURL: sdk.String(returnURL),
		FlowData: &sdk.BillingPortalSessionCreateFlowDataParams{
			Type: sdk.String("subscription_update_confirm"),
			SubscriptionUpdateConfirm: &sdk.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmParams{
				Subscription: sdk.String(s.ID),
				Items: []*sdk.BillingPortalSessionCreateFlowDataSubscriptionUpdateConfirmItemParams{{
					ID: sdk.String(s.ItemID), Price: sdk.String(priceID), Quantity: sdk.Int64(1),
				}},
			},
			AfterCompletion: &sdk.BillingPortalSessionCreateFlowDataAfterCompletionParams{
				Type:     sdk.String("redirect"),
				Redirect: &sdk.BillingPortalSessionCreateFlowDataAfterCompletionRedirectParams{ReturnURL: sdk.String(doneURL)},
			},
		},
	})
}

func (c *Client) portal(ctx context.Context, name, portal string, params *sdk.BillingPortalSessionCreateParams) (string, error) {
	if portal != "" {
		params.Configuration = sdk.String(portal)
	}
	return call(ctx, c, name, func(ctx context.Context) (string, error) {
		row, err := c.sc.V1BillingPortalSessions.Create(ctx, params)
		if err != nil {
			return "", err
		}
		if !c.isPage(row.URL) {
			return "", errors.New("a portal without an address")
		}
		return row.URL, nil
	})
}

// isPage reports whether a browser may be sent to an address: only a stand-in's
// pages are not encrypted.
func (c *Client) isPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http" && c.standIn)
}
