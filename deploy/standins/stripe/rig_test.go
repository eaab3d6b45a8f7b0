package stripe_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/standins/stripe/calls"
	"fledge.dev/services/platform/errtest"
)

const testTimeout = 10 * time.Second

// rig is a stand-in with Stripe's SDK pointed at it.
type rig struct {
	*testing.T
	*stripe.Server
	sc *sdk.Client
}

func start(t *testing.T, change ...func(*stripe.Options)) *rig {
	t.Helper()
	opts := stripe.Options{Addr: "127.0.0.1:0", Retry: []time.Duration{10 * time.Millisecond}}
	for _, f := range change {
		f(&opts)
	}
	s, err := stripe.Start(t.Context(), opts)
	errtest.None(t, err)
	r := &rig{T: t, Server: s, sc: client(s.URL(), stripe.SecretKey, nil)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return r
}

// client is Stripe's SDK for another address.
func client(url, key string, transport http.RoundTripper) *sdk.Client {
	if transport == nil {
		transport = &http.Transport{DisableKeepAlives: true}
	}
	config := &sdk.BackendConfig{
		URL: sdk.String(url), MaxNetworkRetries: sdk.Int64(0), LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull},
		HTTPClient: &http.Client{Transport: transport, Timeout: testTimeout}, EnableTelemetry: sdk.Bool(false),
	}
	return sdk.NewClient(key, sdk.WithBackends(sdk.NewBackendsWithConfig(config)))
}

func (r *rig) must(err error) {
	r.Helper()
	errtest.None(r, err)
}

func (r *rig) customer() string {
	r.Helper()
	customer, err := r.sc.V1Customers.Create(r.Context(), &sdk.CustomerCreateParams{Email: sdk.String("somebody@fledge.test")})
	r.must(err)
	return customer.ID
}

// checkout opens a checkout and returns its id.
func (r *rig) checkout(customer, price string) *sdk.CheckoutSession {
	r.Helper()
	session, err := r.sc.V1CheckoutSessions.Create(r.Context(), &sdk.CheckoutSessionCreateParams{
		Mode: sdk.String("subscription"), Customer: sdk.String(customer),
		LineItems:  []*sdk.CheckoutSessionCreateLineItemParams{{Price: sdk.String(price), Quantity: sdk.Int64(1)}},
		SuccessURL: sdk.String("http://localhost:8080/profile?success=true&session={CHECKOUT_SESSION_ID}"),
		CancelURL:  sdk.String("http://localhost:8080/profile?canceled=true"),
	})
	r.must(err)
	return session
}

// objects makes one of everything that calls are about.
func (r *rig) objects() calls.Objects {
	r.Helper()
	ctx := r.Context()
	o := calls.Objects{
		Customer: r.customer(), Product: stripe.ProProduct, Price: stripe.ProPrice, Dearer: stripe.BusinessPrice, Pack: stripe.PackPrice,
	}
	o.Checkout = r.checkout(o.Customer, o.Price).ID
	r.must(r.PayCheckout(ctx, o.Checkout, stripe.CardWorks))
	o.OpenCheckout = r.checkout(o.Customer, o.Price).ID
	session, err := r.sc.V1CheckoutSessions.Retrieve(ctx, o.Checkout, &sdk.CheckoutSessionRetrieveParams{
		Expand: sdk.StringSlice([]string{"subscription", "invoice.payments"}),
	})
	r.must(err)
	o.Subscription, o.Item = session.Subscription.ID, session.Subscription.Items.Data[0].ID
	o.Invoice, o.Card = session.Invoice.ID, session.Subscription.DefaultPaymentMethod.ID
	o.Intent = session.Invoice.Payments.Data[0].Payment.PaymentIntent.ID
	intent, err := r.sc.V1PaymentIntents.Retrieve(ctx, o.Intent, nil)
	r.must(err)
	o.Charge = intent.LatestCharge.ID
	o.PackIntent = r.packPayment(o.Customer)
	refund, err := r.sc.V1Refunds.Create(ctx, &sdk.RefundCreateParams{Charge: sdk.String(o.Charge), Amount: sdk.Int64(100)})
	r.must(err)
	o.Refund = refund.ID
	o.Leaving = r.customer()
	o.UnpaidInvoice = r.unpaidInvoice(o.Customer)
	o.Disputed = r.lastPaidCharge(o.Customer)
	o.Warning, err = r.Warn(ctx, o.Disputed)
	r.must(err)
	o.Dispute, err = r.Dispute(ctx, o.Disputed)
	r.must(err)
	return o
}

// packPayment buys a pack.
func (r *rig) packPayment(customer string) (intent string) {
	r.Helper()
	session, err := r.sc.V1CheckoutSessions.Create(r.Context(), &sdk.CheckoutSessionCreateParams{
		Mode: sdk.String("payment"), Customer: sdk.String(customer),
		LineItems:  []*sdk.CheckoutSessionCreateLineItemParams{{Price: sdk.String(stripe.PackPrice), Quantity: sdk.Int64(1)}},
		SuccessURL: sdk.String("http://localhost:8080/profile?success=true"), CancelURL: sdk.String("http://localhost:8080/profile?canceled=true"),
	})
	r.must(err)
	r.must(r.PayCheckout(r.Context(), session.ID, stripe.CardWorks))
	session, err = r.sc.V1CheckoutSessions.Retrieve(r.Context(), session.ID, nil)
	r.must(err)
	return session.PaymentIntent.ID
}

func (r *rig) lastPaidCharge(customer string) string {
	r.Helper()
	for charge, err := range r.sc.V1Charges.List(r.Context(), &sdk.ChargeListParams{Customer: sdk.String(customer)}).All(r.Context()) {
		r.must(err)
		if charge.Paid {
			return charge.ID
		}
	}
	r.Fatal("no charge")
	return ""
}

// unpaidInvoice upgrades a subscription whose next payment fails.
func (r *rig) unpaidInvoice(customer string) string {
	r.Helper()
	id, err := r.Subscribe(r.Context(), customer, stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	r.must(r.FailPayments(r.Context(), id, 1))
	s, err := r.sc.V1Subscriptions.Retrieve(r.Context(), id, nil)
	r.must(err)
	s, err = r.sc.V1Subscriptions.Update(r.Context(), id, &sdk.SubscriptionUpdateParams{
		Items:             []*sdk.SubscriptionUpdateItemParams{{ID: sdk.String(s.Items.Data[0].ID), Price: sdk.String(stripe.BusinessPrice)}},
		ProrationBehavior: sdk.String("always_invoice"),
	})
	r.must(err)
	if s.Status != sdk.SubscriptionStatusPastDue {
		r.Fatalf("the upgrade was paid: %s", s.Status)
	}
	return s.LatestInvoice.ID
}

// draft lets a subscription be renewed, whose invoice is a draft for an hour.
func (r *rig) draft(subscription string) (invoice string) {
	r.Helper()
	r.must(r.Advance(r.Context(), 1, 0))
	for i, err := range r.sc.V1Invoices.List(r.Context(), &sdk.InvoiceListParams{Subscription: sdk.String(subscription), Status: sdk.String("draft")}).All(r.Context()) {
		r.must(err)
		return i.ID
	}
	r.Fatal("no draft")
	return ""
}

// schedule has a customer buy Business and choose Pro for the next period.
func (r *rig) schedule(customer string) (id string) {
	r.Helper()
	subscription, err := r.Subscribe(r.Context(), customer, stripe.BusinessPrice, 1, stripe.CardWorks)
	r.must(err)
	portal := r.portal(customer, nil)
	r.press(portal+"/change", url.Values{"subscription": {subscription}, "price": {stripe.ProPrice}}, portal+"?done=scheduled")
	s, err := r.sc.V1Subscriptions.Retrieve(r.Context(), subscription, nil)
	r.must(err)
	return s.Schedule.ID
}

// receiver is an endpoint for events that answers what status says.
type receiver struct {
	url    string
	mu     sync.Mutex
	got    []delivered
	status func(n int) int
}

type delivered struct {
	body      []byte
	signature string
}

func receive(t *testing.T, status func(n int) int) *receiver {
	t.Helper()
	in := &receiver{status: status}
	server := httptest.NewServer(http.HandlerFunc(in.take))
	t.Cleanup(server.Close)
	in.url = server.URL
	return in
}

func (in *receiver) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	in.mu.Lock()
	in.got = append(in.got, delivered{body, r.Header.Get("Stripe-Signature")})
	n := len(in.got)
	in.mu.Unlock()
	w.WriteHeader(in.status(n))
}

func (in *receiver) all() []delivered {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.got)
}

func always(status int) func(int) int { return func(int) int { return status } }
