// Package setup compares the account at Stripe with what billing needs of it: the key, the prices
// and products, the portal's configuration, which it makes itself, and where events are sent.
package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/periodic"
)

// WebhookPath is where the gateway takes Stripe's events.
const WebhookPath = "/api/stripe-webhook"

// retry is how soon a check that failed is made again.
const retry = time.Minute

// Stripe is what is asked of it; *stripe.Client does it.
type Stripe interface {
	Account(ctx context.Context) (stripe.Account, error)
	Price(ctx context.Context, id string) (stripe.Price, error)
	Product(ctx context.Context, id string) (stripe.Product, error)
	Portal(ctx context.Context, s stripe.PortalSettings, now time.Time) (stripe.Portal, error)
	Endpoints(ctx context.Context) ([]stripe.Endpoint, error)
	TaxSettings(ctx context.Context) (stripe.TaxSettings, error)
}

// Config says what it is compared with.
type Config struct {
	// Origin is the site's.
	Origin string
	// Events are the types that have an effect.
	Events []string
	// Tax says that Stripe is to calculate taxes.
	Tax bool
	// Trials says that plans begin with one.
	Trials bool
	// Every is how often it is compared.
	Every time.Duration
}

// Checker compares. Safe for concurrent use.
type Checker struct {
	stripe  Stripe
	guard   subscription.AccountGuard
	plans   *plan.Catalog
	cfg     Config
	clock   clock.Clock
	portal  atomic.Pointer[made]
	prices  prometheus.Gauge
	account prometheus.Gauge
	log     *slog.Logger

	mu sync.Mutex
	// ofAccount and ofPrices are the differences that were found last.
	ofAccount, ofPrices []string
}

// made is the portal's configuration that was found or made last.
type made struct {
	settings stripe.PortalSettings
	stripe.Portal
}

// New returns a checker whose Tasks compare at the start and then regularly.
func New(api Stripe, guard subscription.AccountGuard, plans *plan.Catalog, clk clock.Clock, cfg Config, log *slog.Logger, reg prometheus.Registerer) (*Checker, error) {
	c := &Checker{
		stripe: api, guard: guard, plans: plans, clock: clk, cfg: cfg, log: log.With("part", "setup"),
		prices: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "billing_price_differences", Help: "Prices that did not fit what they are to sell when Stripe was last asked: archived, of another product, interval or currency, or none.",
		}),
		account: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "billing_setup_differences", Help: "What else of Stripe's account did not fit when it was last asked: the key, products, the currencies of prices, the portal, webhooks.",
		}),
	}
	return c, errors.Join(reg.Register(c.prices), reg.Register(c.account))
}

// Tasks compare. Prices are a task of their own: a key that may not read them costs nothing else.
func (c *Checker) Tasks() []periodic.Task {
	task := func(name string, compare func(context.Context) ([]string, error)) periodic.Task {
		return periodic.Task{Name: name, Every: c.cfg.Every, Retry: min(retry, c.cfg.Every), Timeout: time.Minute, Run: func(ctx context.Context) error {
			_, err := compare(ctx)
			return err
		}}
	}
	return []periodic.Task{task("stripe_prices", c.Prices), task("stripe_setup", c.Account)}
}

// Account compares everything but prices and returns what differs, in one sentence each. It logs
// and counts that, too.
func (c *Checker) Account(ctx context.Context) (differences []string, err error) {
	for _, compare := range []func(context.Context) ([]string, error){c.key, c.products, c.currencies, c.portals, c.endpoints, c.taxes} {
		found, err := compare(ctx)
		if err != nil {
			return nil, err
		}
		differences = append(differences, found...)
	}
	for _, sentence := range differences {
		c.log.ErrorContext(ctx, "Stripe's account is not as billing needs it", "difference", sentence)
	}
	c.keep(differences, &c.ofAccount, c.account)
	return differences, nil
}

// Found are the differences that were found last, those of prices included, in one sentence each;
// none for a nil Checker, which a demo has.
func (c *Checker) Found() []string {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Concat(c.ofAccount, c.ofPrices)
}

// keep counts differences and notes them.
func (c *Checker) keep(differences []string, at *[]string, gauge prometheus.Gauge) {
	gauge.Set(float64(len(differences)))
	c.mu.Lock()
	defer c.mu.Unlock()
	*at = differences
}

// refused turns a refusal into a difference; other errors are an outage's.
func refused(err error, sentence string) ([]string, error) {
	if errors.Is(err, stripe.ErrRefused) {
		return []string{sentence}, nil
	}
	return nil, err
}

func (c *Checker) key(ctx context.Context) ([]string, error) {
	account, err := c.stripe.Account(ctx)
	if err != nil {
		return refused(err, "The key may not read its account, so nobody can tell whether it is the one that the database has.")
	}
	_, err = c.guard.Confirm(ctx)
	switch {
	case errors.Is(err, stripe.ErrElsewhere):
		return []string{"STRIPE_SECRET_KEY: " + errors.Unwrap(err).Error() + "."}, nil
	case err != nil:
		return nil, err
	case !account.Charges:
		return []string{"Stripe does not let " + account.ID + " take money yet: its activation is not complete."}, nil
	}
	return nil, nil
}

// offers are the plans that are to be sold.
func (c *Checker) offers(ctx context.Context) ([]plan.Plan, error) {
	plans, err := c.plans.List(ctx)
	return slices.DeleteFunc(plans, func(p plan.Plan) bool { return p.Offer.PriceID == "" }), err
}

func (c *Checker) products(ctx context.Context) (differences []string, err error) {
	offers, err := c.offers(ctx)
	for _, p := range offers {
		_, err := c.stripe.Product(ctx, p.Offer.ProductID) // Prices tells of one that is archived
		switch {
		case errors.Is(err, stripe.ErrGone):
			differences = append(differences, fmt.Sprintf("Stripe has no product %s, which %s is to be.", p.Offer.ProductID, p.Name))
		case errors.Is(err, stripe.ErrRefused):
			return []string{"The key may not read products."}, nil
		case err != nil:
			return nil, err
		}
	}
	return differences, err
}

// Portal is the configuration for people who open the portal: "" for the account's default, when
// Stripe has refused or failed to make one.
func (c *Checker) Portal(ctx context.Context) (id string, err error) {
	settings, err := c.settings(ctx)
	if err != nil {
		return "", err
	}
	if known := c.portal.Load(); known != nil && known.settings.Equal(settings) {
		return known.ID, nil
	}
	return c.AnotherPortal(ctx)
}

// AnotherPortal asks Stripe again for what Portal gives: somebody may have deactivated that since.
func (c *Checker) AnotherPortal(ctx context.Context) (id string, err error) {
	settings, err := c.settings(ctx)
	if err != nil {
		return "", err
	}
	p, err := c.ensure(ctx, settings)
	if errors.Is(err, stripe.ErrRefused) || errors.Is(err, stripe.ErrSpoiled) {
		return "", nil
	}
	return p.ID, err
}

// SignIn is Stripe's own page that leads into the portal, for who cannot sign in here. stripe.Refused says that
// Stripe makes none, stripe.ErrUnavailable that it has not answered yet. It is not asked: anybody may call.
func (c *Checker) SignIn() (address string, err error) {
	switch known := c.portal.Load(); {
	case known == nil:
		return "", stripe.ErrUnavailable
	case known.SignIn == "":
		return "", stripe.Refused
	default:
		return known.SignIn, nil
	}
}

// settings are what the portal is to offer: what is on sale.
func (c *Checker) settings(ctx context.Context) (stripe.PortalSettings, error) {
	offers, err := c.offers(ctx)
	settings := stripe.PortalSettings{ReturnURL: c.cfg.Origin + "/profile", Trials: c.cfg.Trials}
	for _, p := range offers {
		if offer := p.OnSale(); offer.PriceID != "" {
			settings.Offers = append(settings.Offers, stripe.PortalOffer(offer))
		}
	}
	return settings, err
}

func (c *Checker) ensure(ctx context.Context, settings stripe.PortalSettings) (stripe.Portal, error) {
	portal, err := c.stripe.Portal(ctx, settings, c.clock.Now())
	switch {
	case err == nil:
		c.portal.Store(&made{settings, portal})
	case errors.Is(err, stripe.ErrRefused):
		c.portal.CompareAndSwap(nil, &made{}) // fits no settings: it is asked for again
	}
	return portal, err
}

func (c *Checker) portals(ctx context.Context) (differences []string, err error) {
	settings, err := c.settings(ctx)
	if err != nil {
		return nil, err
	}
	p, err := c.ensure(ctx, settings)
	if err != nil {
		return refused(err, "Stripe refuses to make the portal's configuration, so people get the account's default: "+
			"see whether the key may write it, and whether the prices can be bought.")
	}
	fixed := len(settings.Offers) == 0 // nobody can change plans there
	for sentence, fits := range map[string]bool{
		"does not invoice a change of plan at once, so what is paid is not granted":    fixed || p.InvoicesAtOnce,
		"lets a cheaper plan begin at once, while the credits of the dearer one stay":  fixed || p.DefersDowngrades,
		"lets a shorter interval begin at once, while the credits of the longer stay":  fixed || p.DefersShorter,
		"offers other products or prices than are on sale":                             p.OffersAll,
		"does not cancel at the end of the period":                                     p.CancelsAtEnd,
		"does not let people pay with another card":                                    p.ChangesCards,
		"has no page on which customers ask for a link into it (Stripe may refuse it)": p.SignIn != "",
	} {
		if !fits {
			differences = append(differences, fmt.Sprintf("The portal's configuration %s %s: somebody has changed it.", p.ID, sentence))
		}
	}
	slices.Sort(differences)
	return differences, nil
}

func (c *Checker) endpoints(ctx context.Context) ([]string, error) {
	list, err := c.stripe.Endpoints(ctx)
	if err != nil {
		return refused(err, "The key may not read webhook endpoints.")
	}
	address := c.cfg.Origin + WebhookPath
	list = slices.DeleteFunc(list, func(e stripe.Endpoint) bool { return e.URL != address })
	if len(list) == 0 {
		return []string{"No webhook endpoint leads to " + address + "."}, nil
	}
	list = slices.DeleteFunc(list, func(e stripe.Endpoint) bool { return !e.Enabled })
	if len(list) == 0 {
		return []string{"The webhook endpoint " + address + " is disabled."}, nil
	}
	// What one of them does not get, another may.
	missing := slices.DeleteFunc(slices.Clone(c.cfg.Events), func(kind string) bool {
		return slices.ContainsFunc(list, func(e stripe.Endpoint) bool { return slices.Contains(e.Events, "*") || slices.Contains(e.Events, kind) })
	})
	if len(missing) == 0 {
		return nil, nil
	}
	return []string{"The webhook endpoint " + address + " does not get " + strings.Join(missing, ", ") + "."}, nil
}

func (c *Checker) taxes(ctx context.Context) ([]string, error) {
	if !c.cfg.Tax {
		return nil, nil
	}
	settings, err := c.stripe.TaxSettings(ctx)
	switch {
	case err != nil:
		return refused(err, "The key may not read the settings of Stripe Tax, which STRIPE_AUTOMATIC_TAX needs.")
	case !settings.Active:
		return []string{"Stripe Tax is not set up, so nobody can buy with STRIPE_AUTOMATIC_TAX: " + strings.Join(settings.Missing, ", ") + " is missing."}, nil
	case settings.Behavior != "":
		return nil, nil
	}
	return c.untold(ctx)
}
