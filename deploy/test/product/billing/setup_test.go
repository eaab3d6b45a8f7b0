package billing

import (
	"net/http"
	"strings"
	"testing"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/waittest"
)

// TestAnAccountThatFitsNeedsNoClicks: the portal's configuration is made once, over replicas and
// restarts, and people get it: the stand-in has no default one.
func TestAnAccountThatFitsNeedsNoClicks(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	p := r.person()
	p.subscribe()
	_, err := r.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile})
	r.must(err)
	again := r.serve()
	waittest.Eventually(t, "all have compared", func() bool {
		return r.stripe.CountCalls("GET /v1/webhook_endpoints") >= 3
	})
	for _, i := range append(r.serving, again) {
		if n := i.metric(t, "billing_setup_differences") + i.metric(t, "billing_price_differences"); n != 0 {
			t.Errorf("%v differences", n)
		}
	}
	if out, err := r.command("check-stripe"); err != nil || out != "" {
		t.Errorf("the command says %q, %v", out, err)
	}
	list := r.client().V1BillingPortalConfigurations.List(t.Context(), nil)
	n := 0
	for _, err := range list.All(t.Context()) {
		r.must(err)
		n++
	}
	if n != 1 {
		t.Errorf("%d configurations were made", n)
	}
}

// TestWhatDiffersIsSaid at the command line and to the metrics.
func TestWhatDiffersIsSaid(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: stripe.ProPrice, Product: stripe.ProProduct, Amount: 2500, Currency: "eur", Interval: "month"}))
	r.stripe.SetFault(stripe.Fault{Route: "GET /v1/billing_portal/configurations", Status: http.StatusForbidden})
	again := r.serve("SITE_ORIGIN=https://other.example")
	waittest.Eventually(t, "what differs is counted", func() bool {
		return again.metric(t, "billing_setup_differences") == 2 && again.metric(t, "billing_price_differences") == 1
	})
	r.environ = append(r.environ, "SITE_ORIGIN=https://other.example")
	p := r.person()
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "unknown_price" {
		t.Errorf("an order at a price that does not fit: %v", err)
	}
	list, err := again.ListPlans(t.Context(), &billingv1.ListPlansRequest{})
	r.must(err)
	if pro, business := list.GetPlans()[0], list.GetPlans()[1]; pro.GetPriceId() != "" || pro.GetProductId() != "" || business.GetPriceId() != stripe.BusinessPrice {
		t.Errorf("on sale are %v and %v", pro, business)
	}
	out, err := r.command("check-stripe")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); err == nil || len(lines) != 3 {
		t.Errorf("the command says %q, %v", out, err)
	}
}
