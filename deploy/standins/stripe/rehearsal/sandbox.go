package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	stripe "github.com/stripe/stripe-go/v85"
)

// Amounts of the two plans, in cents: the stand-in's.
const (
	cheaper = 2500
	dearer  = 5000
)

// The payment methods that Stripe has for tests: https://docs.stripe.com/testing
var methods = map[Card]string{Works: "pm_card_visa", Fails: "pm_card_chargeCustomerFail", Asks: "pm_card_authenticationRequired", Disputed: "pm_card_createDispute"}

// Sandbox is a real account in test mode. Everything in it that the rehearsal made hangs on a
// test clock and a product, which Close removes.
type Sandbox struct {
	api *stripe.Client
	// pause is the time between two looks at something that is under way.
	pause                   time.Duration
	clock, product          string
	cheaperPrice, dearPrice string
	now                     time.Time
}

// NewSandbox makes a clock and prices with a key of a sandbox; any other key is refused.
// url is Stripe's API, or "" for the public one.
func NewSandbox(ctx context.Context, key, url string, pause time.Duration) (*Sandbox, error) {
	if !strings.HasPrefix(key, "sk_test_") && !strings.HasPrefix(key, "rk_test_") {
		return nil, errors.New("STRIPE_SECRET_KEY: needs a key of a sandbox, which begins with sk_test_ or rk_test_")
	}
	today := time.Now().UTC()
	// From the end of a month, a step of a month is shorter than a billing period.
	tenth := time.Date(today.Year(), today.Month(), 10, 10, 0, 0, 0, time.UTC)
	a := &Sandbox{api: client(key, url), pause: pause, now: tenth}
	if err := a.prepare(ctx); err != nil {
		return nil, errors.Join(err, a.Close(context.WithoutCancel(ctx)))
	}
	return a, nil
}

func (a *Sandbox) prepare(ctx context.Context) error {
	clock, err := a.api.V1TestHelpersTestClocks.Create(ctx, &stripe.TestHelpersTestClockCreateParams{
		FrozenTime: stripe.Int64(a.now.Unix()), Name: stripe.String("rehearsal"),
	})
	if err != nil {
		return fmt.Errorf("a test clock: %w", err)
	}
	a.clock = clock.ID
	product, err := a.api.V1Products.Create(ctx, &stripe.ProductCreateParams{Name: stripe.String("Rehearsal")})
	if err != nil {
		return fmt.Errorf("a product: %w", err)
	}
	a.product = product.ID
	for amount, id := range map[int64]*string{cheaper: &a.cheaperPrice, dearer: &a.dearPrice} {
		price, err := a.api.V1Prices.Create(ctx, &stripe.PriceCreateParams{
			Product: stripe.String(a.product), UnitAmount: stripe.Int64(amount), Currency: stripe.String("usd"),
			Recurring: &stripe.PriceCreateRecurringParams{Interval: stripe.String("month")},
		})
		if err != nil {
			return fmt.Errorf("a price: %w", err)
		}
		*id = price.ID
	}
	return nil
}

// Close deletes the clock, and with it the customer and the subscription. Prices cannot be
// deleted: they and their product are archived.
func (a *Sandbox) Close(ctx context.Context) error {
	var errs []error
	if a.clock != "" {
		_, err := a.api.V1TestHelpersTestClocks.Delete(ctx, a.clock, nil)
		errs = append(errs, err)
	}
	for _, price := range []string{a.cheaperPrice, a.dearPrice} {
		if price != "" {
			_, err := a.api.V1Prices.Update(ctx, price, &stripe.PriceUpdateParams{Active: stripe.Bool(false)})
			errs = append(errs, err)
		}
	}
	if a.product != "" {
		_, err := a.api.V1Products.Update(ctx, a.product, &stripe.ProductUpdateParams{Active: stripe.Bool(false)})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// API is Stripe's.
func (a *Sandbox) API() *stripe.Client { return a.api }

// Dearer costs twice as much.
func (a *Sandbox) Dearer() string { return a.dearPrice }

// Subscribe makes the customer on the test clock, which Checkout cannot do.
func (a *Sandbox) Subscribe(ctx context.Context) (customer, subscription string, err error) {
	params := newCustomer()
	params.TestClock = stripe.String(a.clock)
	created, err := a.api.V1Customers.Create(ctx, params)
	if err != nil {
		return "", "", err
	}
	if err := a.use(ctx, created.ID, Works); err != nil {
		return "", "", err
	}
	s, err := a.api.V1Subscriptions.Create(ctx, &stripe.SubscriptionCreateParams{
		Customer: stripe.String(created.ID), Items: []*stripe.SubscriptionCreateItemParams{{Price: stripe.String(a.cheaperPrice)}},
	})
	if err != nil {
		return "", "", err
	}
	return created.ID, s.ID, nil
}

// use makes a card the customer's default.
func (a *Sandbox) use(ctx context.Context, customer string, card Card) error {
	attached, err := a.api.V1PaymentMethods.Attach(ctx, methods[card], &stripe.PaymentMethodAttachParams{Customer: stripe.String(customer)})
	if err != nil {
		return fmt.Errorf("a card that %s: %w", card, err)
	}
	_, err = a.api.V1Customers.Update(ctx, customer, &stripe.CustomerUpdateParams{
		InvoiceSettings: &stripe.CustomerUpdateInvoiceSettingsParams{DefaultPaymentMethod: stripe.String(attached.ID)},
	})
	return err
}

// Renew advances the test clock and waits until Stripe has caught up.
func (a *Sandbox) Renew(ctx context.Context, customer, _ string, card Card) error {
	if err := a.use(ctx, customer, card); err != nil {
		return err
	}
	// A period begins to the second when the one before ends, and the two hours add up.
	a.now = a.now.AddDate(0, 1, 0).Add(afterRenewal)
	clock, err := a.api.V1TestHelpersTestClocks.Advance(ctx, a.clock, &stripe.TestHelpersTestClockAdvanceParams{FrozenTime: stripe.Int64(a.now.Unix())})
	for err == nil && clock.Status == stripe.TestHelpersTestClockStatusAdvancing {
		if err = a.wait(ctx); err == nil {
			clock, err = a.api.V1TestHelpersTestClocks.Retrieve(ctx, a.clock, nil)
		}
	}
	if err == nil && clock.Status != stripe.TestHelpersTestClockStatusReady {
		err = fmt.Errorf("the test clock is %s: see it in Stripe's dashboard", clock.Status)
	}
	return err
}

// PayWith makes the good card the default again.
func (a *Sandbox) PayWith(ctx context.Context, customer string) error {
	return a.use(ctx, customer, Works)
}

// Confirm pays with the good card, as the bank's page takes no key: what Stripe shows after it is the same.
func (a *Sandbox) Confirm(ctx context.Context, customer, invoice string) error {
	if err := a.PayWith(ctx, customer); err != nil {
		return err
	}
	_, err := a.api.V1Invoices.Pay(ctx, invoice, nil)
	return err
}

// Settle looks until nothing is new for a pause: Stripe lists an event some time after its cause.
func (a *Sandbox) Settle(ctx context.Context, events func(context.Context) (int, error)) error {
	last := -1
	for {
		n, err := events(ctx)
		if err != nil || n == last {
			return err
		}
		last = n
		if err := a.wait(ctx); err != nil {
			return err
		}
	}
}

func (a *Sandbox) wait(ctx context.Context) error {
	timer := time.NewTimer(a.pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func newCustomer() *stripe.CustomerCreateParams {
	return &stripe.CustomerCreateParams{Email: stripe.String("rehearsal@example.com")}
}

// client is Stripe's SDK, which repeats what failed on the way, for an API at url.
func client(key, url string) *stripe.Client {
	config := &stripe.BackendConfig{
		MaxNetworkRetries: stripe.Int64(3), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
		HTTPClient: &http.Client{Timeout: time.Minute}, EnableTelemetry: stripe.Bool(false),
	}
	if url != "" {
		config.URL = stripe.String(url)
	}
	return stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(config)))
}
