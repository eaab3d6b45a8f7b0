package billing

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/standins/stripe/calls"
	"fledge.dev/services/platform/authn"
)

// shapes are the forms of the requests that came by.
type shapes struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (s *shapes) note(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[calls.Shape(r, body)] = true
	return nil
}

// inTable are the forms of what the table has for the billing service.
func inTable(t *testing.T) map[string]bool {
	t.Helper()
	s := &shapes{seen: map[string]bool{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.note(r); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":"x_1","object":"list","data":[],"has_more":false}`))
	}))
	defer server.Close()
	sc := sdk.NewClient(stripe.SecretKey, sdk.WithBackends(sdk.NewBackendsWithConfig(&sdk.BackendConfig{URL: sdk.String(server.URL)})))
	o := calls.Objects{
		Customer: "cus_1", Product: "prod_1", Price: "price_1", Dearer: "price_2", Pack: "price_3", PackIntent: "pi_2", Checkout: "cs_1", Subscription: "sub_1", Item: "si_1", Invoice: "in_1",
		Intent: "pi_1", Charge: "ch_1", Refund: "re_1", Dispute: "du_1", Warning: "issfr_1", OpenCheckout: "cs_2", UnpaidInvoice: "in_2", Draft: "in_3", Schedule: "sub_sched_1", Leaving: "cus_2",
	}
	for _, call := range calls.All() {
		if !call.Billing {
			continue
		}
		if _, err := call.Run(t.Context(), sc, o); err != nil {
			t.Errorf("%s: %v", call.Name, err)
		}
	}
	return s.seen
}

// TestTheTableOfCallsIsWhatBillingAsks: no request is missing that Stripe's mock
// would then not have seen, and none is left that nobody makes any more.
func TestTheTableOfCallsIsWhatBillingAsks(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	asked := &shapes{seen: map[string]bool{}}
	target, err := url.Parse(r.stripe.URL())
	r.must(err)
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := asked.note(req); err != nil {
			t.Error(err)
		}
		proxy.ServeHTTP(w, req)
	}))
	t.Cleanup(listener.Close)
	r.add(r.serve("STRIPE_API_URL=" + listener.URL))
	r.must(r.stripe.PutPrice(t.Context(), proByYear))
	whole := r.serve(append(wholePage, "STRIPE_TRIAL_DAYS=7", "STRIPE_TEST_PRO_ANNUAL_PRICE_ID="+proByYear.ID, "STRIPE_API_URL="+listener.URL)...)
	r.person().orderOf(whole)

	p := r.person()
	_, err = p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	id := p.subscribe() // closes the first checkout
	page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	if err != nil || page.GetSessionId() != "" {
		t.Fatalf("%v, %v", page, err)
	}
	_, err = r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile})
	r.must(err)
	_, err = whole.CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile})
	r.must(err)
	for _, cancel := range []*sdk.SubscriptionUpdateParams{{CancelAtPeriodEnd: sdk.Bool(true)}, {CancelAtMinPeriodEnd: sdk.Bool(true)}} {
		r.update(id, cancel)
		p.is("cancelled", "pro", 5000)
		_, err := p.order(stripe.ProProduct, stripe.ProPrice)
		r.must(err)
		p.is("active", "pro", 5000)
	}
	charge := p.charges()[0]
	refund, err := r.stripe.PendRefund(t.Context(), charge, 500)
	r.must(err)
	r.must(r.stripe.FinishRefund(t.Context(), refund))
	_, err = r.stripe.Warn(t.Context(), charge)
	r.must(err)
	dispute, err := r.stripe.Dispute(t.Context(), charge)
	r.must(err)
	r.must(r.stripe.CloseDispute(t.Context(), dispute, false))
	_, token := r.issuer.Admin("admin@fledge.test")
	asAdmin := authn.WithPrincipal(t.Context(), authn.Principal{Bearer: token})
	month, err := r.serving[0].GetMonthEnd(asAdmin, &billingv1.GetMonthEndRequest{Month: time.Now().UTC().Format("2006-01")})
	if err != nil || len(month.GetRows()) < 5 {
		t.Errorf("the month: %v, %v", month, err)
	}
	p.deleteCustomer()
	r.settled()

	more := r.person()
	more.subscribe()
	more.buyPack(stripe.CardWorks)
	moving := r.person()
	moving.subscribe()
	moving.becomes(moved, time.Now())
	smaller := r.person()
	smaller.downgrades(smaller.subscribe())
	smaller.becomes(disabled, time.Now())
	ending := r.person()
	r.update(ending.subscribe(), &sdk.SubscriptionUpdateParams{CancelAt: sdk.Int64(time.Now().AddDate(0, 0, 75).Unix())})
	r.settled()
	ending.becomes(disabled, time.Now())
	ending.becomes(enabled, time.Now())
	leaving := r.person()
	id = leaving.subscribe()
	leaving.becomes(disabled, time.Now())
	leaving.becomes(enabled, time.Now())
	r.must(r.stripe.Advance(t.Context(), 1, 0)) // a draft
	r.must(r.stripe.FailPayments(t.Context(), id, 1))
	r.plan(id, stripe.BusinessPrice) // an open invoice
	r.settled()
	leaving.leaves()

	table := inTable(t)
	var missing, idle []string
	asked.mu.Lock()
	defer asked.mu.Unlock()
	for shape := range asked.seen {
		if !table[shape] {
			missing = append(missing, shape)
		}
	}
	for shape := range table {
		if !asked.seen[shape] {
			idle = append(idle, shape)
		}
	}
	slices.Sort(missing)
	slices.Sort(idle)
	if len(missing)+len(idle) > 0 {
		t.Errorf("in deploy/standins/stripe/calls\nthere is nothing like\n  %s\nand nobody asks\n  %s", strings.Join(missing, "\n  "), strings.Join(idle, "\n  "))
	}
}
