package stripe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
)

// Product is something that is sold.
type Product struct {
	// Active products can be bought.
	Active bool
}

// Product reads one.
func (c *Client) Product(ctx context.Context, id string) (Product, error) {
	return call(ctx, c, "product", func(ctx context.Context) (Product, error) {
		row, err := c.sc.V1Products.Retrieve(ctx, id, nil)
		if err != nil {
			return Product{}, err
		}
		return Product{Active: row.Active}, nil
	})
}

// Endpoint is where Stripe sends events.
type Endpoint struct {
	URL string
	// Enabled ones get events of the types Events; "*" stands for all.
	Enabled bool
	Events  []string
}

// Endpoints lists them.
func (c *Client) Endpoints(ctx context.Context) ([]Endpoint, error) {
	return call(ctx, c, "webhook_endpoints", func(ctx context.Context) ([]Endpoint, error) {
		return all(c.sc.V1WebhookEndpoints.List(ctx, &sdk.WebhookEndpointListParams{
			ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
		}).All(ctx), pageSize, func(row *sdk.WebhookEndpoint) Endpoint {
			return Endpoint{URL: row.URL, Enabled: row.Status == "enabled", Events: row.EnabledEvents}
		})
	})
}

// PortalSettings are what the portal offers besides cancelling at the end of the period, other
// cards and old invoices.
type PortalSettings struct {
	// Offers are the prices that people may change to, with their products.
	Offers []PortalOffer
	// ReturnURL is where the portal leads back to.
	ReturnURL string
	// Trials go on when the plan changes.
	Trials bool `json:",omitempty"`
}

// PortalOffer is a product with its prices by the month and, unless it is empty, by the year.
type PortalOffer struct {
	ProductID, PriceID string
	AnnualPriceID      string `json:",omitempty"`
}

// digest tells settings from others. Its version counts what params sets besides.
func (s PortalSettings) digest() string {
	const version = "3"
	encoded, _ := json.Marshal(s) // strings and flags only
	sum := sha256.Sum256(append([]byte(version), encoded...))
	return hex.EncodeToString(sum[:16])
}

// Equal reports whether both are the same.
func (s PortalSettings) Equal(other PortalSettings) bool { return s.digest() == other.digest() }

// portalTag has the digest in the metadata of a configuration that we have made.
const portalTag = "fledge_settings"

// Portal is a configuration of the portal.
type Portal struct {
	ID     string
	digest string
	active bool
	// SignIn is Stripe's own page that leads into the portal: it sends a link to the address of a
	// customer. "" without one.
	SignIn string
	// InvoicesAtOnce, DefersDowngrades and CancelsAtEnd are what credits depend on: a change is
	// invoiced at once, a cheaper plan begins with the next period, and nothing ends before that.
	InvoicesAtOnce, DefersDowngrades, CancelsAtEnd bool
	// ChangesCards says that people may pay with another card.
	ChangesCards bool
	// DefersShorter says that a shorter interval begins with the next period, too, and OffersAll that it
	// offers what the settings say and nothing else.
	DefersShorter, OffersAll bool
}

// portal reads one that was made for some settings.
func portal(row *sdk.BillingPortalConfiguration, s PortalSettings) Portal {
	p := Portal{ID: row.ID, digest: row.Metadata[portalTag], active: row.Active}
	if row.LoginPage != nil && row.LoginPage.Enabled {
		p.SignIn = row.LoginPage.URL
	}
	if row.Features == nil {
		return p
	}
	change := row.Features.SubscriptionUpdate
	if change == nil || !change.Enabled {
		p.OffersAll = len(s.Offers) == 0
	} else {
		p.InvoicesAtOnce = change.ProrationBehavior == "always_invoice"
		p.OffersAll = maps.EqualFunc(offered(change.Products), s.prices(), slices.Equal)
		if change.ScheduleAtPeriodEnd != nil {
			for _, condition := range change.ScheduleAtPeriodEnd.Conditions {
				p.DefersDowngrades = p.DefersDowngrades || condition.Type == "decreasing_item_amount"
				p.DefersShorter = p.DefersShorter || condition.Type == "shortening_interval"
			}
		}
	}
	p.ChangesCards = row.Features.PaymentMethodUpdate != nil && row.Features.PaymentMethodUpdate.Enabled
	if cancel := row.Features.SubscriptionCancel; cancel != nil {
		p.CancelsAtEnd = cancel.Enabled && cancel.Mode == "at_period_end"
	}
	return p
}

// offered are the prices of each product of a configuration, in alphabetical order.
func offered(products []*sdk.BillingPortalConfigurationFeaturesSubscriptionUpdateProduct) map[string][]string {
	list := map[string][]string{}
	for _, p := range products {
		list[p.Product] = slices.Sorted(slices.Values(p.Prices))
	}
	return list
}

// prices are those of each product that is offered, in alphabetical order.
func (s PortalSettings) prices() map[string][]string {
	list := map[string][]string{}
	for _, o := range s.Offers {
		list[o.ProductID] = slices.Sorted(slices.Values(o.prices()))
	}
	return list
}

func (o PortalOffer) prices() []string {
	if o.AnnualPriceID == "" {
		return []string{o.PriceID}
	}
	return []string{o.PriceID, o.AnnualPriceID}
}

// productsOfPortal is what has to be asked for to know what a configuration offers.
const productsOfPortal = "features.subscription_update.products"

// Portal finds the active configuration with these settings, or makes it.
func (c *Client) Portal(ctx context.Context, s PortalSettings, now time.Time) (Portal, error) {
	list, err := call(ctx, c, "portals", func(ctx context.Context) ([]Portal, error) {
		return all(c.sc.V1BillingPortalConfigurations.List(ctx, &sdk.BillingPortalConfigurationListParams{
			ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)}, Expand: sdk.StringSlice([]string{"data." + productsOfPortal}),
		}).All(ctx), 0, func(row *sdk.BillingPortalConfiguration) Portal { return portal(row, s) })
	})
	if err != nil {
		return Portal{}, err
	}
	former := 0
	for _, p := range list {
		switch {
		case p.digest == s.digest() && p.active:
			return p, nil
		case p.digest == s.digest():
			former++
		}
	}
	// For one more than there were: the same request, repeated within a day, makes the same.
	key := fmt.Sprintf("portal-%s-%d", s.digest(), former)
	made, err := c.createPortal(ctx, s, key, true)
	if errors.Is(err, ErrSpoiled) {
		// If one was made all the same, the next list has it.
		key = AnotherKey(key, now)
		made, err = c.createPortal(ctx, s, key, true)
	}
	if errors.Is(err, ErrRefused) {
		// Nobody is to be without a portal for the page that the few need who cannot sign in here.
		made, err = c.createPortal(ctx, s, key+"-without", false)
	}
	return made, err
}

// createPortal makes one, with Stripe's own page that leads into it or without.
func (c *Client) createPortal(ctx context.Context, s PortalSettings, key string, signIn bool) (Portal, error) {
	params := s.params()
	params.LoginPage = &sdk.BillingPortalConfigurationCreateLoginPageParams{Enabled: sdk.Bool(signIn)}
	params.SetIdempotencyKey(key)
	return call(ctx, c, "create_portal", func(ctx context.Context) (Portal, error) {
		row, err := c.sc.V1BillingPortalConfigurations.Create(ctx, params)
		if err != nil {
			return Portal{}, err
		}
		return portal(row, s), nil
	})
}

func (s PortalSettings) params() *sdk.BillingPortalConfigurationCreateParams {
	return &sdk.BillingPortalConfigurationCreateParams{
		Expand:           sdk.StringSlice([]string{productsOfPortal}),
		DefaultReturnURL: sdk.String(s.ReturnURL), Metadata: map[string]string{portalTag: s.digest()},
		Features: &sdk.BillingPortalConfigurationCreateFeaturesParams{
			CustomerUpdate: &sdk.BillingPortalConfigurationCreateFeaturesCustomerUpdateParams{
				Enabled: sdk.Bool(true), AllowedUpdates: sdk.StringSlice([]string{"name", "address", "tax_id"}),
			},
			InvoiceHistory:      &sdk.BillingPortalConfigurationCreateFeaturesInvoiceHistoryParams{Enabled: sdk.Bool(true)},
			PaymentMethodUpdate: &sdk.BillingPortalConfigurationCreateFeaturesPaymentMethodUpdateParams{Enabled: sdk.Bool(true)},
			SubscriptionCancel: &sdk.BillingPortalConfigurationCreateFeaturesSubscriptionCancelParams{
				Enabled: sdk.Bool(true), Mode: sdk.String("at_period_end"),
			},
			SubscriptionUpdate: s.update(),
		},
	}
}

// update is the change of plans, which Stripe lets nobody have without a product to change to.
func (s PortalSettings) update() *sdk.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateParams {
	if len(s.Offers) == 0 {
		return &sdk.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateParams{Enabled: sdk.Bool(false)}
	}
	params := &sdk.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateParams{
		Enabled: sdk.Bool(true), DefaultAllowedUpdates: sdk.StringSlice([]string{"price"}), ProrationBehavior: sdk.String("always_invoice"),
		ScheduleAtPeriodEnd: &sdk.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateScheduleAtPeriodEndParams{
			Conditions: []*sdk.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateScheduleAtPeriodEndConditionParams{
				{Type: sdk.String("decreasing_item_amount")}, {Type: sdk.String("shortening_interval")},
			},
		},
	}
	for _, o := range s.Offers {
		params.Products = append(params.Products, &sdk.BillingPortalConfigurationCreateFeaturesSubscriptionUpdateProductParams{
			Product: sdk.String(o.ProductID), Prices: sdk.StringSlice(o.prices()),
		})
	}
	if s.Trials {
		params.TrialUpdateBehavior = sdk.String("continue_trial")
	}
	return params
}
