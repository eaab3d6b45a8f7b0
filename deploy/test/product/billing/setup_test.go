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

// TestWhatIsArchivedOrDeletedIsNotForSale, and is again once it is back. Who has it keeps it.
func TestWhatIsArchivedOrDeletedIsNotForSale(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	has, wants := r.person(), r.person()
	has.subscribe()
	pro, pack := stripe.Product{ID: stripe.ProProduct, Name: "Pro"}, stripe.Product{ID: stripe.PackProduct, Name: "20 credits"}
	for _, archived := range []bool{true, false} {
		pro.Archived, pack.Archived = archived, archived
		r.must(r.stripe.PutProduct(t.Context(), pro))
		r.must(r.stripe.PutProduct(t.Context(), pack))
		if out, err := r.command("check-stripe"); (err != nil) != archived || archived != (strings.Count(out, "its product is archived") == 2) {
			t.Errorf("archived %t: the command says %q, %v", archived, out, err)
		}
		list, err := r.serving[0].ListPlans(t.Context(), &billingv1.ListPlansRequest{})
		r.must(err)
		if sold := list.GetPlans()[0].GetPriceId() != "" && len(list.GetPacks()) == 1; sold == archived {
			t.Errorf("archived %t: on sale is %v with %v", archived, list.GetPlans()[0], list.GetPacks())
		}
		if _, err := wants.order(stripe.ProProduct, stripe.ProPrice); (reason(err) == "unknown_price") != archived {
			t.Errorf("archived %t: an order comes to %v", archived, err)
		}
		r.month()
		has.is("active", "pro", 5000)
	}
	r.must(r.stripe.DeletePrice(t.Context(), stripe.BusinessPrice))
	if out, err := r.command("check-stripe"); err == nil || !strings.Contains(out, "Stripe has no such price") {
		t.Errorf("a price that was deleted: the command says %q, %v", out, err)
	}
	if _, err := has.order(stripe.BusinessProduct, stripe.BusinessPrice); reason(err) != "unknown_price" {
		t.Errorf("an order at a price that was deleted: %v", err)
	}
	r.nothingParked()
}

// TestAPortalThatWasDeactivatedIsReplacedAtOnce: nobody waits for the hourly check.
func TestAPortalThatWasDeactivatedIsReplacedAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	for range 2 {
		r.must(r.stripe.DeactivatePortals(t.Context()))
		if page, err := p.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile}); err != nil || page.GetUrl() == "" {
			t.Errorf("the portal leads to %v, %v", page, err)
		}
		r.must(r.stripe.DeactivatePortals(t.Context()))
		if page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); err != nil || page.GetUrl() == "" {
			t.Errorf("another plan leads to %v, %v", page, err)
		}
	}
}
