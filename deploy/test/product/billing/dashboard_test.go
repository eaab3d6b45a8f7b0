package billing

import (
	"net/url"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// TestAPriceThatIsSetToChange is no change of plan, of which people are told. An order, of the plan itself or of another,
// leaves it as it is set; for another plan people write to us, who end it.
func TestAPriceThatIsSetToChange(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	const earlier = "price_pro_20"
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: earlier, Product: stripe.ProProduct, Amount: 2000, Currency: "usd", Interval: "month"}))
	p := r.person()
	_, err := p.order(stripe.ProProduct, stripe.ProPrice) // makes the customer
	r.must(err)
	id, err := r.stripe.Subscribe(t.Context(), p.customer(), earlier, 1, stripe.CardWorks)
	r.must(err)
	r.must(r.stripe.ScheduleChange(t.Context(), id, stripe.ProPrice))
	r.settled()
	p.is("active", "pro", 5000)
	if change := p.has().GetChange(); change != nil {
		t.Errorf("the person is told of %v", change)
	}

	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "already_subscribed" {
		t.Errorf("an order of the same plan: %v", err)
	}
	if p.subscription(id).Schedule == nil {
		t.Error("an order of the same plan has ended the change of its price")
	}

	_, err = p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	if reason(err) != "plan_changing" || !strings.Contains(err.Error(), "write to us") {
		t.Errorf("an order of another plan: %v", err)
	}
	schedule := p.subscription(id).Schedule
	if schedule == nil {
		t.Fatal("an order of another plan has ended the change of the price")
	}
	_, err = r.client().V1SubscriptionSchedules.Release(t.Context(), schedule.ID, nil)
	r.must(err)
	page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	r.press(page.GetUrl()+"/change", url.Values{"subscription": {id}, "price": {stripe.BusinessPrice}})
	r.settled()
	p.is("active", "business", 5000+int64(r.count(`SELECT amount FROM credit_grants WHERE user_id = $1 AND fact LIKE '%upgrade:business'`, p.id)))
	r.nothingParked()
}

// TestACycleThatStaffHaveReset begins a period of its own, which gives its credits once. The proration of the one before
// takes no credits.
func TestACycleThatStaffHaveReset(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	for months := 2; months <= 4; months += 2 {
		r.must(r.stripe.Advance(t.Context(), 0, 10*24*time.Hour))
		began := p.subscription(id).Items.Data[0].CurrentPeriodStart
		if s := r.update(id, &sdk.SubscriptionUpdateParams{BillingCycleAnchorNow: sdk.Bool(true)}); s.Items.Data[0].CurrentPeriodStart <= began {
			t.Fatalf("the period begins at %d, as before", began)
		}
		r.settled()
		p.is("active", "pro", 5000)
		r.month()
		r.settled()
		p.is("active", "pro", 5000)
		if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 1+months {
			t.Errorf("%d grants for %d periods that were paid", n, 1+months)
		}
	}
	r.nothingParked()
}

// TestWhosePaymentsAreNotCollectedIsPaused, gets no credits meanwhile, and goes on when they are again.
func TestWhosePaymentsAreNotCollectedIsPaused(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.HoldPayments(t.Context(), id, true))
	p.is("paused", "pro", 5000)
	r.month()
	r.settled()
	if status := p.has().GetStatus(); status != "paused" {
		t.Errorf("is %s in a month that nobody pays for", status)
	}
	if _, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); reason(err) != "subscription_paused" {
		t.Errorf("an order meanwhile: %v", err)
	}
	if _, err := p.order(stripe.PackProduct, stripe.PackPrice); reason(err) != "subscription_paused" {
		t.Errorf("an order of a pack meanwhile: %v", err)
	}
	r.must(r.stripe.HoldPayments(t.Context(), id, false))
	r.month()
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 2 {
		t.Errorf("%d grants for two months that were paid", n)
	}
	r.nothingParked()
}
