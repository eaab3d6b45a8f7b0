package stripe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

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
	// Credits are what it sells, in hundredths; 0 for a plan. UserID is whose it is. We have written
	// both, when it was opened.
	Credits int64
	UserID  string
	// PriceIDs are what it sells; known of Checkout alone.
	PriceIDs []string
	// Paid says that it is complete and nothing is left to be paid; Processing, of Checkout and
	// CheckoutOfPayment alone, that the money is on its way.
	Paid, Processing bool
	// InvoiceID is of what a pack was paid with: "" until it is.
	InvoiceID string
	// PaidAt is when that was paid: known of Checkout alone, and zero while it is not.
	PaidAt time.Time
	// Amount is what it comes to, taxes included, in the smallest unit of Currency ("usd").
	Amount   int64
	Currency string
	Created  time.Time
	// ExpiresAt is until when an open one can be paid.
	ExpiresAt time.Time
	Live      bool
}

const (
	// purchaseTag keeps Purchase in a checkout's metadata.
	purchaseTag = "purchase"
	// userTag has the account's id in the metadata of all that is made for it.
	userTag = "user_id"
	// creditsTag has the credits of a pack, in hundredths: what was sold, whatever is sold later.
	creditsTag = "credits"
)

// NewCheckout describes a checkout to open.
type NewCheckout struct {
	CustomerID, UserID, PriceID string
	// Currency ("usd") is what is paid in, whatever else the price has amounts in.
	Currency              string
	SuccessURL, CancelURL string
	Page                  CheckoutPage
	// Credits are what a price that is paid once gives, in hundredths; 0 for a plan.
	Credits int64
	// TrialDays come before the first payment; 0 for none.
	TrialDays int64
	// Purchase tells two checkouts for the same from two for different things.
	Purchase string
	// Key makes a request that is repeated within a day open the same checkout.
	Key string
}

func checkout(row *sdk.CheckoutSession) Checkout {
	c := Checkout{
		ID: row.ID, Status: string(row.Status), URL: row.URL, Purchase: row.Metadata[purchaseTag], UserID: row.Metadata[userTag],
		Paid: row.Status == sdk.CheckoutSessionStatusComplete &&
			(row.PaymentStatus == sdk.CheckoutSessionPaymentStatusPaid || row.PaymentStatus == sdk.CheckoutSessionPaymentStatusNoPaymentRequired),
		Amount: row.AmountTotal, Currency: string(row.Currency), Created: moment(row.Created), ExpiresAt: moment(row.ExpiresAt), Live: row.Livemode,
	}
	if row.Mode == sdk.CheckoutSessionModePayment && c.Purchase != "" {
		c.Credits, _ = strconv.ParseInt(row.Metadata[creditsTag], 10, 64)
	}
	if row.LineItems != nil {
		for _, item := range row.LineItems.Data {
			if item.Price != nil {
				c.PriceIDs = append(c.PriceIDs, item.Price.ID)
			}
		}
	}
	c.Processing = onItsWay(row.PaymentIntent)
	if row.Invoice != nil {
		c.InvoiceID = row.Invoice.ID
		if row.Invoice.StatusTransitions != nil {
			c.PaidAt = moment(row.Invoice.StatusTransitions.PaidAt)
		}
	}
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
		params := &sdk.CheckoutSessionRetrieveParams{}
		params.Expand = sdk.StringSlice([]string{"payment_intent", "invoice", "line_items"})
		row, err := c.sc.V1CheckoutSessions.Retrieve(ctx, id, params)
		if err != nil {
			return Checkout{}, err
		}
		return checkout(row), nil
	})
}

// CheckoutOfPayment is the one that a payment intent has paid; ok is false for a payment that came
// from none.
func (c *Client) CheckoutOfPayment(ctx context.Context, intent string) (_ Checkout, ok bool, err error) {
	list, err := call(ctx, c, "checkout_of_payment", func(ctx context.Context) ([]Checkout, error) {
		params := &sdk.CheckoutSessionListParams{PaymentIntent: sdk.String(intent), ListParams: sdk.ListParams{Limit: sdk.Int64(1)}}
		params.AddExpand("data.payment_intent")
		return all(c.sc.V1CheckoutSessions.List(ctx, params).All(ctx), 1, checkout)
	})
	if err != nil || len(list) == 0 {
		return Checkout{}, false, err
	}
	return list[0], true, nil
}

// EachPack calls fn with all checkouts for packs that were completed and opened since a time.
func (c *Client) EachPack(ctx context.Context, since time.Time, fn func(Checkout) error) error {
	params := &sdk.CheckoutSessionListParams{
		Status: sdk.String("complete"), CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
		ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
	}
	return pages(ctx, c, "list_checkouts", func(ctx context.Context, after *string) ([]Checkout, error) {
		params.StartingAfter = after
		return all(c.sc.V1CheckoutSessions.List(ctx, params).All(ctx), pageSize, checkout)
	}, func(s Checkout) string { return s.ID }, func(s Checkout) error {
		if s.Credits == 0 {
			return nil
		}
		return fn(s)
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
			SuccessURL: sdk.String(n.SuccessURL), CancelURL: sdk.String(n.CancelURL), Currency: sdk.String(n.Currency),
			Metadata: map[string]string{userTag: n.UserID, purchaseTag: n.Purchase},
		}
		if n.Credits > 0 {
			n.once(params)
		} else {
			n.subscribe(params)
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

func (n NewCheckout) subscribe(params *sdk.CheckoutSessionCreateParams) {
	params.SubscriptionData = &sdk.CheckoutSessionCreateSubscriptionDataParams{Metadata: map[string]string{userTag: n.UserID}}
	if n.TrialDays > 0 {
		params.SubscriptionData.TrialPeriodDays = sdk.Int64(n.TrialDays)
	}
}

// once has a pack paid, with an invoice as plans have.
func (n NewCheckout) once(params *sdk.CheckoutSessionCreateParams) {
	params.Mode = sdk.String("payment")
	params.Metadata[creditsTag] = strconv.FormatInt(n.Credits, 10)
	params.InvoiceCreation = &sdk.CheckoutSessionCreateInvoiceCreationParams{
		Enabled:     sdk.Bool(true),
		InvoiceData: &sdk.CheckoutSessionCreateInvoiceCreationInvoiceDataParams{Metadata: maps.Clone(params.Metadata)},
	}
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
