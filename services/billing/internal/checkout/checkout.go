// Package checkout opens Stripe's pages for customers, the checkout and the portal, and
// applies what comes of them.
package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/setup"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// maxCustomers bounds how many deleted customers one order replaces. Usually it is one; a
// reused key may return another deleted one.
const maxCustomers = 3

// enoughToPay is how much longer an earlier checkout has to stay open to be offered again.
const enoughToPay = 30 * time.Minute

// Stripe is what is asked of it; *stripe.Client does it.
type Stripe interface {
	CreateCustomer(ctx context.Context, userID, email, key string) (id string, err error)
	CustomersWith(ctx context.Context, email, userID string) (ids []string, err error)
	DeleteCustomer(ctx context.Context, id string) error
	Subscriptions(ctx context.Context, customer string) ([]stripe.Subscription, error)
	Resume(ctx context.Context, s stripe.Subscription) error
	Release(ctx context.Context, s stripe.Subscription) error
	CancelSubscription(ctx context.Context, id string) error
	UnpaidInvoices(ctx context.Context, customer string) ([]stripe.Invoice, error)
	StopInvoice(ctx context.Context, i stripe.Invoice) error
	Checkout(ctx context.Context, id string) (stripe.Checkout, error)
	Checkouts(ctx context.Context, customer string) ([]stripe.Checkout, error)
	OpenCheckout(ctx context.Context, n stripe.NewCheckout) (stripe.Checkout, error)
	CloseCheckout(ctx context.Context, id string) error
	OpenPortal(ctx context.Context, portal, customer, returnURL string) (url string, err error)
	OpenPlanChange(ctx context.Context, portal string, s stripe.Subscription, priceID, returnURL, doneURL string) (url string, err error)
}

// Service serves people who want to buy. Safe for concurrent use.
type Service struct {
	stripe        Stripe
	plans         *plan.Catalog
	subscriptions *subscription.Service
	guard         subscription.AccountGuard
	setup         *setup.Checker
	cfg           Config
	opening       singleflight.Group
	clock         clock.Clock
	log           *slog.Logger
}

// Config says what is sold how.
type Config struct {
	Page stripe.CheckoutPage
	// TrialDays come before the first payment of whoever has never had a plan; 0 for none.
	TrialDays int64
}

// New returns a service; without Stripe (nil) it is a demo.
func New(api Stripe, guard subscription.AccountGuard, settings *setup.Checker, cfg Config, plans *plan.Catalog, subscriptions *subscription.Service, clk clock.Clock, log *slog.Logger) *Service {
	return &Service{stripe: api, guard: guard, setup: settings, cfg: cfg, plans: plans, subscriptions: subscriptions, clock: clk, log: log.With("part", "checkout")}
}

// Order is what a person asks to buy.
type Order struct {
	UserID             uuid.UUID
	Email              string
	ProductID, PriceID string
	// SuccessURL and CancelURL are addresses on the site.
	SuccessURL, CancelURL string
	// credits are what a pack gives, in hundredths; 0 for a plan.
	credits int64
	// currency ("usd") is what it is paid in.
	currency string
}

// Page is where to send the browser.
type Page struct {
	// SessionID is empty when no checkout is needed.
	SessionID, URL string
}

// Open returns where the order continues: a checkout; the portal's page that confirms
// another plan; or back on the site, when it only took back a cancellation. The same order,
// placed again while its checkout is open, gets the same checkout.
func (svc *Service) Open(ctx context.Context, o Order) (Page, error) {
	if svc.stripe == nil {
		return Page{}, ErrDemo
	}
	prices, err := svc.plans.Prices(ctx)
	if err != nil {
		return Page{}, err
	}
	sold, interval, ok := prices.Offered(o.PriceID)
	o.currency = sold.Paid(interval).Currency
	if !ok {
		pack, err := svc.pack(ctx, o)
		if err != nil {
			return Page{}, err
		}
		o.credits, o.currency = pack.Credits, pack.Currency
	} else if sold.ContactSales || sold.Offer.ProductID != o.ProductID {
		return Page{}, ErrUnknown
	}
	// Identical orders at the same time, such as a double click, share one answer. Across
	// replicas the checkout's key sees to that.
	opened := svc.opening.DoChan(o.UserID.String()+"\n"+o.purchase(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stripe.Budget)
		defer cancel()
		return svc.open(ctx, o, prices)
	})
	select {
	case <-ctx.Done():
		return Page{}, fault.Of(ctx.Err())
	case result := <-opened:
		page, _ := result.Val.(Page)
		return page, result.Err
	}
}

// open tries again as a new customer when the account's was deleted at Stripe.
func (svc *Service) open(ctx context.Context, o Order, prices plan.Prices) (Page, error) {
	for range maxCustomers {
		customer, err := svc.customer(ctx, o)
		if err != nil {
			return Page{}, err
		}
		page, err := svc.sellOrTopUp(ctx, o, prices, customer)
		if !errors.Is(err, stripe.ErrNoCustomer) {
			return page, err
		}
		if err := svc.letGo(ctx, customer, err); err != nil {
			return Page{}, err
		}
	}
	return Page{}, stripe.ErrUnavailable
}

func (svc *Service) sellOrTopUp(ctx context.Context, o Order, prices plan.Prices, customer string) (Page, error) {
	if o.credits > 0 {
		return svc.checkout(ctx, o, customer, 0)
	}
	return svc.sell(ctx, o, prices, customer)
}

// checkout finds the order's open checkout or opens one, and closes the others.
//
// The key is made of the order and of the customer's latest checkout before it.
// So the same order gives the same checkout, also after a crash right after Stripe
// made it, and another one once it was paid, closed or is about to expire.
func (svc *Service) checkout(ctx context.Context, o Order, customer string, trialDays int64) (Page, error) {
	existing, err := svc.stripe.Checkouts(ctx, customer)
	if err != nil {
		return Page{}, svc.failed(ctx, err)
	}
	latest, purchase, found := "", svc.purchase(o, trialDays), stripe.Checkout{}
	for i, c := range existing {
		if i == 0 {
			latest = c.ID
		}
		switch {
		case c.Status != "open":
		case c.Purchase == purchase && c.URL != "" && found.ID == "" && c.ExpiresAt.After(svc.clock.Now().Add(enoughToPay)):
			found = c
		default:
			if err := svc.close(ctx, c.ID); err != nil {
				return Page{}, err
			}
		}
	}
	if found.ID != "" {
		return Page{SessionID: found.ID, URL: found.URL}, nil
	}
	order := stripe.NewCheckout{
		CustomerID: customer, UserID: o.UserID.String(), PriceID: o.PriceID, Currency: o.currency, SuccessURL: o.SuccessURL, CancelURL: o.CancelURL,
		Page: svc.cfg.Page, Credits: o.credits, TrialDays: trialDays, Purchase: purchase, Key: "checkout-" + digest(customer, purchase, latest),
	}
	opened, err := svc.stripe.OpenCheckout(ctx, order)
	if errors.Is(err, stripe.ErrSpoiled) {
		// If one was opened all the same, closeOlder finds it.
		order.Key = stripe.AnotherKey(order.Key, svc.clock.Now())
		opened, err = svc.stripe.OpenCheckout(ctx, order)
	}
	if errors.Is(err, stripe.ErrPrice) {
		svc.log.ErrorContext(ctx, "Stripe refuses a configured price: is it active, and of this Stripe account and mode?",
			"price", o.PriceID, "error", err)
		return Page{}, ErrUnknown
	}
	if err != nil {
		return Page{}, svc.failed(ctx, err)
	}
	return Page{SessionID: opened.ID, URL: opened.URL}, svc.closeOlder(ctx, customer, opened.ID)
}

// closeOlder closes what another order opened meanwhile. Of two orders at the same time
// the newer checkout stays, whichever replica looks first.
func (svc *Service) closeOlder(ctx context.Context, customer, newest string) error {
	list, err := svc.stripe.Checkouts(ctx, customer)
	if err != nil {
		return svc.failed(ctx, err)
	}
	older := false
	for _, c := range list {
		if older && c.Status == "open" {
			if err := svc.close(ctx, c.ID); err != nil {
				return err
			}
		}
		older = older || c.ID == newest
	}
	return nil
}

// close keeps a checkout from being paid. Another replica may have closed it already.
func (svc *Service) close(ctx context.Context, id string) error {
	err := svc.stripe.CloseCheckout(ctx, id)
	if err == nil {
		return nil
	}
	if c, asked := svc.stripe.Checkout(ctx, id); asked == nil && c.Status == "expired" {
		return nil
	}
	return stripe.ErrUnavailable.Wrap(err) // one that was paid at this moment: the next order finds that
}

// What has become of a pack.
const (
	PackGiven    = "given"
	PackOnItsWay = "on_its_way"
	PackNotGiven = "not_given"
)

// Sync brings the account's subscription or credits up to date after a checkout of its own, and says
// what has become of a pack; "" for a plan. ErrNoCheckout for anybody else's.
func (svc *Service) Sync(ctx context.Context, userID uuid.UUID, session string) (pack string, err error) {
	if svc.stripe == nil || !isSession(session) {
		return "", ErrNoCheckout
	}
	ctx, cancel := context.WithTimeout(ctx, stripe.Budget)
	defer cancel()
	customer, _, err := svc.subscriptions.Customer(ctx, userID)
	if err != nil {
		return "", err
	}
	if customer == "" {
		return "", ErrNoCheckout
	}
	found, err := svc.stripe.Checkout(ctx, session)
	switch {
	case errors.Is(err, stripe.ErrGone):
		return "", ErrNoCheckout
	case err != nil:
		return "", svc.failed(ctx, err)
	case found.CustomerID != customer:
		svc.log.WarnContext(ctx, "security: a user asked for another user's checkout", "user", userID)
		return "", ErrNoCheckout
	case found.Credits > 0:
		err = svc.subscriptions.SyncPack(ctx, session)
	case found.SubscriptionID == "":
		return "", nil // not paid yet
	default:
		err = svc.subscriptions.Sync(ctx, found.SubscriptionID)
	}
	if _, ok := errors.AsType[*subscription.Unfit](err); ok {
		svc.log.WarnContext(ctx, "a paid checkout cannot be applied, see its parked event", "user", userID, "error", err)
		err = nil // what could be applied is; the event is parked
	}
	if err != nil || found.Credits == 0 {
		return "", svc.failed(ctx, err)
	}
	return svc.becameOf(ctx, found)
}

// purchase identifies what is ordered, whoever orders it.
func (o Order) purchase() string {
	what := []string{o.PriceID, o.SuccessURL, o.CancelURL}
	if o.credits > 0 {
		what = append(what, strconv.FormatInt(o.credits, 10)) // the settings may give others for the same price
	}
	return digest(what...)
}

// purchase identifies the checkout that an order opens: another one after the settings have changed,
// and after a trial.
func (svc *Service) purchase(o Order, trialDays int64) string {
	if svc.cfg.Page == (stripe.CheckoutPage{}) && trialDays == 0 {
		return o.purchase()
	}
	return digest(o.purchase(), fmt.Sprint(svc.cfg.Page, trialDays))
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:16])
}

// profile is an address without its query.
func profile(address string) string {
	before, _, _ := strings.Cut(address, "?")
	return before
}

// without drops a query parameter of an address.
func without(address, parameter string) string {
	u, err := url.Parse(address)
	if err != nil {
		return profile(address)
	}
	q := u.Query()
	q.Del(parameter)
	u.RawQuery = q.Encode()
	return u.String()
}

func isSession(id string) bool {
	rest, ok := strings.CutPrefix(id, "cs_")
	return ok && rest != "" && !strings.ContainsFunc(rest, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	})
}
