package billing

import (
	"net/url"
	"slices"
	"testing"
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/waittest"
)

var proByYear = stripe.Price{ID: "price_pro_year", Product: stripe.ProProduct, Amount: 25000, Currency: "usd", Interval: "year"}

// annual is a service that sells Pro by the year, too.
func annual(t *testing.T) *rig {
	t.Helper()
	r := start(t, 0)
	r.must(r.stripe.PutPrice(t.Context(), proByYear))
	r.add(r.serve("STRIPE_TEST_PRO_ANNUAL_PRICE_ID=" + proByYear.ID))
	return r
}

func (p *person) has() *billingv1.Subscription {
	p.Helper()
	s, err := p.serving[0].GetSubscription(p.ctx, &billingv1.GetSubscriptionRequest{})
	p.must(err)
	return s.GetSubscription()
}

// TestAYearIsTwelveMonthsOfCreditsAtOnce, each time that it is paid.
func TestAYearIsTwelveMonthsOfCreditsAtOnce(t *testing.T) {
	t.Parallel()
	r := annual(t)
	p := r.person()
	waittest.Eventually(t, "people are shown what a year costs", func() bool {
		list, err := r.serving[0].ListPlans(p.ctx, &billingv1.ListPlansRequest{})
		r.must(err)
		i := slices.IndexFunc(list.GetPlans(), func(plan *billingv1.Plan) bool { return plan.GetAnnual().GetPrice() == 25000 })
		return i >= 0 && list.GetPlans()[i].GetId() == "pro" && list.GetPlans()[i].GetAnnual().GetPriceId() == proByYear.ID
	})
	page, err := p.order(stripe.ProProduct, proByYear.ID)
	r.must(err)
	r.must(r.stripe.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	p.is("active", "pro", 60000)
	if s := p.has(); s.GetInterval() != "year" {
		t.Errorf("it is paid each %s", s.GetInterval())
	}
	if _, err := p.order(stripe.ProProduct, proByYear.ID); reason(err) != "already_subscribed" {
		t.Errorf("the same again: %v", err)
	}
	r.must(r.stripe.Advance(t.Context(), 12, 2*time.Hour))
	r.settled()
	p.is("active", "pro", 60000) // what was left of the first year has ended
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 2 {
		t.Errorf("%d grants for two years", n)
	}
}

// TestAYearIsPaidAtOnceAndAMonthAfterIt: what is left of the month is taken off.
func TestAYearIsPaidAtOnceAndAMonthAfterIt(t *testing.T) {
	t.Parallel()
	r := annual(t)
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.Advance(t.Context(), 0, time.Hour))
	page, err := p.order(stripe.ProProduct, proByYear.ID)
	r.must(err)
	p.press(page.GetUrl()+"/change", url.Values{"subscription": {id}, "price": {proByYear.ID}})
	p.is("active", "pro", 60000)

	page, err = p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	p.press(page.GetUrl()+"/change", url.Values{"subscription": {id}, "price": {stripe.ProPrice}})
	r.settled()
	if s := p.has(); s.GetInterval() != "year" || s.GetChange().GetPlan() != "Pro" || s.GetChange().GetInterval() != "month" {
		t.Errorf("what waits: %v", s)
	}
	if _, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); reason(err) != "plan_changing" {
		t.Errorf("another change: %v", err)
	}
	r.must(r.stripe.Advance(t.Context(), 12, 2*time.Hour))
	r.settled()
	p.is("active", "pro", 5000)
	if s := p.has(); s.GetInterval() != "month" || s.GetChange() != nil {
		t.Errorf("after the year: %v", s)
	}
}
