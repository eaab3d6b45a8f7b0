package billing

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
)

// TestOnlyWhatIsForSaleCanBeOrdered: what a person pays for is named by the
// configuration, and its price by Stripe.
func TestOnlyWhatIsForSaleCanBeOrdered(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.add(r.serve("STRIPE_LIVE_PRO_PRODUCT_ID=prod_live", "STRIPE_LIVE_PRO_PRICE_ID=price_live"))
	f, p := r.front(r.serving[0]), r.person()
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_other", Product: stripe.ProProduct, Amount: 1, Currency: "usd", Interval: "month"}))
	r.stripe.ClearCalls()
	order := func(product, price string) (int, map[string]any) {
		return f.ask(p, "/api/create-checkout-session", fmt.Sprintf(`{"productId":%q,"priceId":%q,"successUrl":%q,"cancelUrl":%q,"userId":%q}`, product, price, profile, profile, p.id))
	}
	for name, ids := range map[string][2]string{
		"an unknown price":                 {stripe.ProProduct, "price_none"},
		"a cheaper price of the product's": {stripe.ProProduct, "price_other"},
		"the price of another plan":        {stripe.ProProduct, stripe.BusinessPrice},
		"the product of another plan":      {stripe.BusinessProduct, stripe.ProPrice},
		"the live price of a test key":     {"prod_live", "price_live"},
		"Enterprise":                       {"enterprise", "enterprise"},
		"SQL":                              {"'", "' OR 1=1--"},
		"a path":                           {stripe.ProProduct, "../prices/" + stripe.ProPrice},
		"a list":                           {stripe.ProProduct, stripe.ProPrice + "," + stripe.BusinessPrice},
		"another case":                     {stripe.ProProduct, strings.ToUpper(stripe.ProPrice)},
		"a space":                          {stripe.ProProduct, stripe.ProPrice + " "},
		"a NUL":                            {stripe.ProProduct, stripe.ProPrice + "\x00"},
		"nothing":                          {"", ""},
	} {
		status, answer := order(ids[0], ids[1])
		if notSold := answer["code"] == "unknown_price"; notSold && status != http.StatusConflict || !notSold && status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	if n := r.stripe.CountCalls("POST"); n != 0 {
		t.Errorf("Stripe was asked %d times", n)
	}
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: stripe.ProPrice, Product: stripe.ProProduct, Amount: 2500, Currency: "usd", Interval: "month", Archived: true}))
	if status, answer := order(stripe.ProProduct, stripe.ProPrice); status != http.StatusConflict || answer["code"] != "unknown_price" {
		t.Errorf("an archived price: %d %v", status, answer)
	}
	if status, answer := order(stripe.BusinessProduct, stripe.BusinessPrice); status != http.StatusOK {
		t.Errorf("the other plan: %d %v", status, answer)
	}
}

// TestOneFailureOfStripesKeepsNobodyFromBuying, although Stripe answers with it for a day whoever
// asks the same again.
func TestOneFailureOfStripesKeepsNobodyFromBuying(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f := r.front(r.serving[0])
	for _, route := range []string{"POST /v1/customers", "POST /v1/checkout/sessions"} {
		p := r.person()
		r.stripe.SetFault(stripe.Fault{Route: route, Times: 1, Status: http.StatusInternalServerError, Remembered: true})
		status, first := f.checkout(p)
		if status != http.StatusOK {
			t.Fatalf("%s failed once: %d %v", route, status, first)
		}
		if status, again := f.checkout(p); status != http.StatusOK || again["sessionId"] != first["sessionId"] {
			t.Errorf("%s, the same order again: %d %v, want %v", route, status, again, first)
		}
	}
}

// TestOneFailureOfStripesKeepsNobodyFromThePortal, whose configuration is made at the start.
func TestOneFailureOfStripesKeepsNobodyFromThePortal(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.stripe.SetFault(stripe.Fault{Route: "POST /v1/billing_portal/configurations", Times: 1, Status: http.StatusInternalServerError, Remembered: true})
	r.add(r.serve())
	p := r.person()
	p.subscribe()
	// The stand-in has no default configuration: this one is ours.
	if status, answer := r.front(r.serving[0]).portal(p); status != http.StatusOK || answer["url"] == nil {
		t.Errorf("the portal, when its configuration failed once: %d %v", status, answer)
	}
}

// TestWhatStripeWillNeverDoIsSaidSo: nobody is told to try again in a moment.
func TestWhatStripeWillNeverDoIsSaidSo(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f, p, other := r.front(r.serving[0]), r.person(), r.person()
	other.subscribe()
	for _, refusal := range []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden} {
		r.stripe.SetFault(stripe.Fault{Route: "POST", Status: refusal})
		status, answer := f.checkout(p)
		if status != http.StatusConflict || answer["code"] != "stripe_refused" {
			t.Errorf("a checkout that is refused with %d: %d %v", refusal, status, answer)
		}
		if status, answer = f.portal(other); status != http.StatusConflict || answer["code"] != "stripe_refused" {
			t.Errorf("a portal that is refused with %d: %d %v", refusal, status, answer)
		}
	}
	r.stripe.SetFault(stripe.Fault{})
	if status, answer := f.checkout(p); status != http.StatusOK {
		t.Errorf("afterwards: %d %v", status, answer)
	}
}

// TestAnAnswerOfStripesThatLeadsNowhereIsAnOutage, from which billing recovers by itself.
func TestAnAnswerOfStripesThatLeadsNowhereIsAnOutage(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f, other := r.front(r.serving[0]), r.person()
	other.subscribe()
	var p *person
	for _, field := range []string{"id", "url"} {
		p = r.person()
		r.stripe.SetFault(stripe.Fault{Route: "POST /v1/checkout/sessions", Blank: []string{field}})
		if status, answer := f.checkout(p); status != http.StatusServiceUnavailable || answer["code"] != "stripe_unavailable" {
			t.Errorf("a checkout without %s: %d %v", field, status, answer)
		}
	}
	r.stripe.SetFault(stripe.Fault{Route: "POST /v1/billing_portal", Blank: []string{"url"}})
	if status, answer := f.portal(other); status != http.StatusServiceUnavailable || answer["code"] != "stripe_unavailable" {
		t.Errorf("a portal without an address: %d %v", status, answer)
	}
	r.stripe.SetFault(stripe.Fault{})
	if status, answer := f.checkout(p); status != http.StatusOK {
		t.Errorf("afterwards: %d %v", status, answer)
	}
}

// TestAPortalIsOnesOwn: nobody names a customer, and who has bought nothing gets a
// message and no customer.
func TestAPortalIsOnesOwn(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f, owner, stranger := r.front(r.serving[0]), r.person(), r.person()
	owner.subscribe()
	r.settled()
	r.stripe.ClearCalls()
	if status, answer := f.portal(stranger); status != http.StatusConflict || answer["code"] != "nothing_bought" {
		t.Errorf("without a purchase: %d %v", status, answer)
	}
	for who, has := range map[*person]any{owner: true, stranger: nil} {
		if _, answer := f.ask(who, "/api/get-subscription", ""); answer["hasPortal"] != has {
			t.Errorf("the portal is told by %v, want %v", answer["hasPortal"], has)
		}
	}
	if status, _ := f.ask(stranger, "/api/create-portal-session", fmt.Sprintf(`{"userId":%q,"returnUrl":%q}`, owner.id, profile)); status != http.StatusForbidden {
		t.Errorf("for another: %d", status)
	}
	if status, _ := f.ask(stranger, "/api/create-portal-session", fmt.Sprintf(`{"userId":%q,"returnUrl":%q,"customer":"cus_1"}`, stranger.id, profile)); status != http.StatusBadRequest {
		t.Errorf("with a customer: %d", status)
	}
	banned := r.person()
	r.issuer.Disable(banned.id.String())
	_, err := r.pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, 'cus_banned', now())`, banned.id)
	r.must(err)
	if status, answer := f.portal(banned); status != http.StatusForbidden {
		t.Errorf("of a disabled account: %d %v", status, answer)
	}
	if status, answer := f.checkout(banned); status != http.StatusForbidden {
		t.Errorf("a checkout of a disabled account: %d %v", status, answer)
	}
	if n := r.stripe.CountCalls(""); n != 0 {
		t.Errorf("Stripe was asked %d times", n)
	}
}

// TestABrowserCannotTellOfAPayment: cookies, a bearer and an origin are worth nothing
// without Stripe's signature.
func TestABrowserCannotTellOfAPayment(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f, p := r.front(r.serving[0]), r.person()
	body := `{"id":"evt_1","object":"event","type":"invoice.paid","livemode":false,"created":1,"data":{"object":{"id":"in_1"}}}`
	for name, signature := range map[string]string{
		"no signature": "", "an empty one": "t=,v1=", "only v0": fmt.Sprintf("t=%d,v0=00", time.Now().Unix()), "a guess": fmt.Sprintf("t=%d,v1=%064d", time.Now().Unix(), 0),
		"1,000 guesses": fmt.Sprintf("t=%d", time.Now().Unix()) + strings.Repeat(",v1=00", 1000), "garbage": strings.Repeat("x", 8<<10), "a word for a time": "t=abc,v1=00",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/api/stripe-webhook", strings.NewReader(body))
		r.must(err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", "https://evil.example")
		req.Header.Set("Cookie", "fledge_session=1")
		req.Header.Set("Authorization", "Bearer "+p.token)
		if signature != "" {
			req.Header.Set("Stripe-Signature", signature)
		}
		began := time.Now()
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		r.must(err)
		answer, err := io.ReadAll(resp.Body)
		r.must(err)
		r.must(resp.Body.Close())
		r.must(f.contract.Check(req, resp, answer))
		if took := time.Since(began); resp.StatusCode != http.StatusBadRequest || took > 30*time.Second {
			t.Errorf("%s: %d after %s: %s", name, resp.StatusCode, took, answer)
		}
	}
	if n := r.count(`SELECT count(*) FROM stripe_events`); n != 0 {
		t.Errorf("%d events were taken", n)
	}
}

// TestAVoidInvoiceIsNoLongerDue: staff have made it void, so that nobody pays it.
func TestAVoidInvoiceIsNoLongerDue(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.FailPayments(t.Context(), id, -1))
	r.month()
	p.is("past_due", "pro", 5000)
	r.settled()
	if due := p.owes(); due.GetAmount() != 2500 {
		t.Fatalf("due are %v", due)
	}
	s := p.subscription(id)
	_, err := r.client().V1Invoices.VoidInvoice(t.Context(), s.LatestInvoice.ID, nil)
	r.must(err)
	r.settled()
	if due := p.owes(); due.GetAmount() != 0 {
		t.Errorf("of a void invoice %v are due", due)
	}
}

// TestManyTidingsOfOnePaymentGrantOnce, in any order and by any type of event.
func TestManyTidingsOfOnePaymentGrantOnce(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	r.must(r.stripe.SetDelivery(stripe.Delivery{Drop: 1}))
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	r.must(r.stripe.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	checkout, err := r.client().V1CheckoutSessions.Retrieve(t.Context(), page.GetSessionId(), nil)
	r.must(err)
	s, err := r.client().V1Subscriptions.Retrieve(t.Context(), checkout.Subscription.ID, &sdk.SubscriptionRetrieveParams{Expand: sdk.StringSlice([]string{"latest_invoice"})})
	r.must(err)
	for _, told := range [][2]string{
		{"invoice.voided", s.LatestInvoice.ID}, {"invoice.marked_uncollectible", s.LatestInvoice.ID}, {"invoice.payment_failed", s.LatestInvoice.ID}, {"invoice.payment_succeeded", s.LatestInvoice.ID}, {"invoice.paid", s.LatestInvoice.ID},
		{"invoice.updated", s.LatestInvoice.ID}, {"invoice.finalization_failed", s.LatestInvoice.ID},
		{"checkout.session.completed", page.GetSessionId()}, {"checkout.session.async_payment_succeeded", page.GetSessionId()},
		{"customer.subscription.deleted", s.ID}, {"customer.subscription.created", s.ID}, {"customer.subscription.updated", s.ID}, {"customer.subscription.paused", s.ID},
	} {
		r.hears(told[0], told[1])
	}
	p.is("active", "pro", 5000) // whatever the events pretend
	if _, err := r.serving[0].SyncCheckoutSession(p.ctx, &billingv1.SyncCheckoutSessionRequest{SessionId: page.GetSessionId()}); err != nil {
		t.Error(err)
	}
	if got := p.entries(); got != "grant 5000" {
		t.Errorf("entries %s", got)
	}
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state <> 'applied'`); n != 0 {
		t.Errorf("%d events were not applied", n)
	}
}
