package billing

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/errtest"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/fault"
)

// client is Stripe's dashboard: what people change there.
func (r *rig) client() *sdk.Client {
	return sdk.NewClient(stripe.SecretKey, sdk.WithBackends(sdk.NewBackendsWithConfig(&sdk.BackendConfig{
		URL: sdk.String(r.stripe.URL()), LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull}, EnableTelemetry: sdk.Bool(false),
	})))
}

func (r *rig) update(id string, params *sdk.SubscriptionUpdateParams) *sdk.Subscription {
	r.Helper()
	s, err := r.client().V1Subscriptions.Update(r.Context(), id, params)
	errtest.None(r, err)
	return s
}

func (r *rig) must(err error) {
	r.Helper()
	errtest.None(r, err)
}

func (r *rig) plan(id, price string) {
	r.Helper()
	s, err := r.client().V1Subscriptions.Retrieve(r.Context(), id, nil)
	r.must(err)
	r.update(id, &sdk.SubscriptionUpdateParams{
		Items:             []*sdk.SubscriptionUpdateItemParams{{ID: sdk.String(s.Items.Data[0].ID), Price: sdk.String(price)}},
		ProrationBehavior: sdk.String("always_invoice"),
	})
}

func (r *rig) month() {
	r.Helper()
	r.must(r.stripe.Advance(r.Context(), 1, 2*time.Hour))
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return fault.FromGRPC(err).Reason
}

func TestTheLifeOfASubscription(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "already_subscribed" {
		t.Errorf("the same plan again: %v", err)
	}
	if page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); err != nil || page.GetSessionId() != "" || !strings.HasPrefix(page.GetUrl(), r.stripe.URL()) {
		t.Errorf("another plan leads to %v, %v; want the portal", page, err)
	}
	r.plan(id, stripe.BusinessPrice)
	p.is("active", "business", 10000) // the delta
	if n := r.count(`SELECT count(*) FROM credit_payments JOIN credit_grants ON id = grant_id WHERE currency = 'usd' AND
		(description = 'Pro plan' AND credit_payments.amount = 2500 OR description = 'Upgrade to Business' AND credit_payments.amount BETWEEN 2000 AND 2500)`); n != 2 {
		t.Errorf("%d of the two grants say what was paid for them", n)
	}

	r.update(id, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	p.is("cancelled", "business", 10000)
	page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	if err != nil || page.GetSessionId() != "" || page.GetUrl() != profile {
		t.Errorf("resubscribing leads to %v, %v; want back", page, err)
	}
	p.is("active", "business", 10000)

	r.plan(id, stripe.ProPrice) // a downgrade takes no credits away and gives none
	p.is("active", "pro", 10000)
	r.month()
	p.is("active", "pro", 5000)

	r.must(r.stripe.FailPayments(t.Context(), id, 1))
	r.month()
	p.is("past_due", "pro", 5000) // the old grant lasts until the new one
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "payment_overdue" {
		t.Errorf("buying while overdue: %v", err)
	}
	r.settled()
	if _, err := r.client().V1Subscriptions.Cancel(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	p.is("", "", 5000)
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
}

func TestTwelveMonthsAreTwelveGrants(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	p.subscribe()
	for range 12 {
		r.month()
	}
	r.settled()
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 13 {
		t.Errorf("%d grants, want 13", n)
	}
}

func TestAFailedPaymentRecovers(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.FailPayments(t.Context(), id, 1))
	r.month()
	p.is("past_due", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants`); n != 1 {
		t.Errorf("%d grants for one payment", n)
	}
	r.must(r.stripe.Advance(t.Context(), 0, 8*24*time.Hour))
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants`); n != 2 {
		t.Errorf("%d grants for two payments", n)
	}
}

// TestARenewalWaitsForItsPayer, whose bank asks for 3-D Secure: they confirm it, and the next time they leave.
func TestARenewalWaitsForItsPayer(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.AskPayer(t.Context(), id))
	r.month()
	p.is("past_due", "pro", 5000)
	r.must(r.stripe.Confirm(t.Context(), p.subscription(id).LatestInvoice.ID))
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants`); n != 2 {
		t.Errorf("%d grants for two payments", n)
	}
	r.must(r.stripe.AskPayer(t.Context(), id))
	r.month()
	p.is("past_due", "pro", 5000)
	r.must(r.stripe.FailPayments(t.Context(), id, -1)) // no try succeeds without them
	r.must(r.stripe.Advance(t.Context(), 0, 20*24*time.Hour))
	r.settled()
	p.is("", "", 5000) // of the month that was paid
	if n := r.count(`SELECT count(*) FROM credit_grants`); n != 2 {
		t.Errorf("%d grants for two payments", n)
	}
}

func TestFiftyClicksAreOneCheckoutAndOneCustomer(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	p := r.person()
	ids := sync.Map{}
	var running sync.WaitGroup
	for n := range 50 {
		running.Go(func() {
			page, err := r.serving[n%2].CreateCheckoutSession(p.ctx, &billingv1.CreateCheckoutSessionRequest{
				ProductId: stripe.ProProduct, PriceId: stripe.ProPrice, SuccessUrl: profile + "?success=true", CancelUrl: profile,
			})
			if err != nil {
				t.Error(err)
				return
			}
			ids.Store(page.GetSessionId(), page.GetUrl())
		})
	}
	running.Wait()
	n := 0
	ids.Range(func(any, any) bool { n++; return true })
	if customers := r.count(`SELECT count(*) FROM customers`); n != 1 || customers != 1 {
		t.Errorf("%d checkouts, %d customers", n, customers)
	}
	// Another plan closes the first checkout, so that not both are paid; and back.
	first, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	second, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	third, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	if first.GetSessionId() == third.GetSessionId() || second.GetSessionId() == third.GetSessionId() {
		t.Error("a checkout that was closed is offered again")
	}
	if err := r.stripe.PayCheckout(t.Context(), first.GetSessionId(), stripe.CardWorks); err == nil {
		t.Error("a closed checkout can be paid")
	}
}

// TestOfTwoPlansOrderedTogetherOneCanBePaid, whichever replica was asked.
func TestOfTwoPlansOrderedTogetherOneCanBePaid(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	p := r.person()
	_, err := p.order(stripe.ProProduct, stripe.ProPrice) // both find it open
	r.must(err)
	r.stripe.SetFault(stripe.Fault{Route: "POST /v1/checkout/sessions", DelayMillis: 300})
	var orders sync.WaitGroup
	for i, plan := range []string{stripe.ProProduct, stripe.BusinessProduct} {
		price := map[string]string{stripe.ProProduct: stripe.ProPrice, stripe.BusinessProduct: stripe.BusinessPrice}[plan]
		orders.Go(func() {
			if _, err := r.serving[i].CreateCheckoutSession(p.ctx, &billingv1.CreateCheckoutSessionRequest{
				ProductId: plan, PriceId: price, SuccessUrl: profile + "?success=true", CancelUrl: profile + "?canceled=true",
			}); err != nil {
				t.Errorf("%s: %v", plan, err)
			}
		})
	}
	orders.Wait()
	open := 0
	for c, err := range r.client().V1CheckoutSessions.List(t.Context(), &sdk.CheckoutSessionListParams{Status: sdk.String("open")}).All(t.Context()) {
		r.must(err)
		open++
		r.must(r.stripe.PayCheckout(t.Context(), c.ID, stripe.CardWorks))
	}
	if open != 1 {
		t.Errorf("%d checkouts can be paid", open)
	}
}

func TestAReturnFromTheCheckoutDoesNotWaitForWebhooks(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.SetDelivery(stripe.Delivery{Held: true}))
	p, other := r.person(), r.person()
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	r.must(r.stripe.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	for id, want := range map[string]fault.Kind{
		page.GetSessionId(): fault.NotFound, "cs_test_none": fault.NotFound, "../x": fault.NotFound, "sub_1": fault.NotFound, "": fault.Invalid,
	} {
		_, err := r.serving[0].SyncCheckoutSession(other.ctx, &billingv1.SyncCheckoutSessionRequest{SessionId: id})
		if !errors.Is(fault.FromGRPC(err), want) {
			t.Errorf("%q: %v", id, err)
		}
	}
	got, err := r.serving[0].SyncCheckoutSession(p.ctx, &billingv1.SyncCheckoutSessionRequest{SessionId: page.GetSessionId()})
	if err != nil || got.GetSubscription().GetStatus() != "active" {
		t.Errorf("got %v, %v", got, err)
	}
	p.is("active", "pro", 5000)
	r.must(r.stripe.SetDelivery(stripe.Delivery{}))
	r.settled()
	p.is("active", "pro", 5000)
}

func TestStripeDownIsUnavailableAndWritesNothing(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	if got, err := r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile}); reason(err) != "nothing_bought" {
		t.Errorf("a portal of nobody: %v, %v", got, err)
	}
	for _, url := range []string{"https://evil.com", profile + "@evil.com", profile + "x", "javascript:alert(1)", "/profile", profile + "?a=\r\nb", ""} {
		_, err := r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: url})
		if !errors.Is(fault.FromGRPC(err), fault.Invalid) {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, tc := range []struct{ product, price, reason string }{
		{stripe.ProProduct, stripe.BusinessPrice, "unknown_price"}, {stripe.BusinessProduct, "price_other", "unknown_price"},
		{"", stripe.ProPrice, "invalid_product_id"}, {"x", "", "invalid_price_id"},
	} {
		if _, err := p.order(tc.product, tc.price); reason(err) != tc.reason {
			t.Errorf("%s with %s: %v", tc.product, tc.price, err)
		}
	}
	before := r.stripe.CountCalls("POST /v1/customers") + r.stripe.CountCalls("POST /v1/checkout/sessions")
	r.closeStripe()
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); !errors.Is(fault.FromGRPC(err), fault.Unavailable) {
		t.Errorf("got %v", err)
	}
	if n := r.count(`SELECT count(*) FROM customers`); n != 0 || before != 0 {
		t.Errorf("%d customers, %d calls", n, before)
	}
}
