package billing

import (
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// second makes a second plan for somebody who has one, as only staff can.
func (p *person) second(price string) string {
	p.Helper()
	p.must(p.stripe.Advance(p.Context(), 0, time.Second)) // Stripe's times have seconds, and the newest plan is shown
	id, err := p.stripe.Subscribe(p.Context(), p.customer(), price, 1, stripe.CardWorks)
	p.must(err)
	p.settled()
	return id
}

// TestWhoHasTwoPlansHasTheCreditsOfBoth, each once, and what happens to one leaves the other alone.
func TestWhoHasTwoPlansHasTheCreditsOfBoth(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	business := p.subscribe()
	p.plan(business, stripe.BusinessPrice)
	r.settled()
	before := int64(r.count(`SELECT balance FROM credit_accounts WHERE user_id = $1`, p.id))
	pro := p.second(stripe.ProPrice)
	p.is("active", "pro", before+5000)
	for product, price := range map[string]string{stripe.ProProduct: stripe.ProPrice, stripe.BusinessProduct: stripe.BusinessPrice} {
		if page, err := p.order(product, price); reason(err) != "already_subscribed" {
			t.Errorf("an order of %s, which is there: %v, %v", price, page, err)
		}
	}
	r.month()
	r.settled()
	p.is("active", "pro", 15000)

	at := time.Now()
	p.becomes(disabled, at)
	p.is("cancelled", "pro", 15000)
	p.renews(true)
	p.is("active", "pro", 15000)
	for _, id := range []string{pro, business} {
		if s := p.subscription(id); s.CancelAtPeriodEnd {
			t.Errorf("%s ends although the account's plan is let renew", id)
		}
	}
	p.becomes(enabled, at.Add(time.Second))

	_, err := r.client().V1Subscriptions.Cancel(t.Context(), pro, nil)
	r.must(err)
	r.settled()
	p.is("active", "business", 15000) // what was paid for stays
	r.month()
	r.settled()
	p.is("active", "business", 15000)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1 AND fact LIKE $2 || '/%'`, p.id, business); n != 4 {
		t.Errorf("%d grants for three months and an upgrade", n)
	}
	second := p.second(stripe.ProPrice)
	p.is("active", "pro", 20000)
	r.nothingParked()
	p.leaves() // by our own clock, months before Stripe's last payments
	p.isOver()
	for _, id := range []string{business, second} {
		if s := p.subscription(id); s.Status != sdk.SubscriptionStatusCanceled {
			t.Errorf("%s of a deleted account is %s", id, s.Status)
		}
	}
}

// TestAnAnswerThatIsLostMakesNothingTwice: Stripe has done what was asked, and nobody heard of it, or it has
// no time. Whoever orders again gets what there is.
func TestAnAnswerThatIsLostMakesNothingTwice(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	for name, fault := range map[string]stripe.Fault{
		"lost once": {Lost: true, Times: 1}, "lost for good": {Lost: true, Times: 3}, "limited": {Status: http.StatusTooManyRequests, Times: 3},
		"failed before": {Status: http.StatusInternalServerError, Times: 3}, "failed and remembered": {Status: http.StatusBadGateway, Times: 1, Remembered: true},
		"hung up": {Hangup: true, Times: 3},
	} {
		for _, fault.Route = range []string{"POST /v1/customers", "POST /v1/checkout/sessions"} {
			p := r.person()
			r.stripe.SetFault(fault)
			_, first := p.order(stripe.ProProduct, stripe.ProPrice)
			if first != nil && reason(first) != "stripe_unavailable" {
				t.Errorf("%s, %s: %v", fault.Route, name, first)
			}
			r.stripe.SetFault(stripe.Fault{})
			sessions := p.clicksOfPro(4)
			for i := range sessions {
				if sessions[i] == "" || sessions[i] != sessions[0] {
					t.Errorf("%s, %s: click %d leads to %q, the first to %q", fault.Route, name, i, sessions[i], sessions[0])
				}
			}
			customers, open := 0, 0
			for _, err := range r.client().V1Customers.List(t.Context(), &sdk.CustomerListParams{Email: sdk.String(p.email)}).All(t.Context()) {
				r.must(err)
				customers++
			}
			for s, err := range r.client().V1CheckoutSessions.List(t.Context(), &sdk.CheckoutSessionListParams{Customer: sdk.String(p.customer())}).All(t.Context()) {
				r.must(err)
				if s.Status == sdk.CheckoutSessionStatusOpen {
					open++
				}
			}
			if customers != 1 || open != 1 {
				t.Errorf("%s, %s: %d customers and %d open checkouts", fault.Route, name, customers, open)
			}
		}
	}
}

// clicksOfPro orders Pro so many times, at one replica after the other.
func (p *person) clicksOfPro(n int) (sessions []string) {
	p.Helper()
	for range n {
		page, err := p.order(stripe.ProProduct, stripe.ProPrice)
		if err != nil {
			p.Errorf("an order: %v", err)
		}
		sessions = append(sessions, page.GetSessionId())
	}
	return sessions
}

// TestAPriceThatWasTakenOffTheShelfServesWhoPaysIt: nobody new can order it, and those who have it renew.
func TestAPriceThatWasTakenOffTheShelfServesWhoPaysIt(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: stripe.ProPrice, Product: stripe.ProProduct, Amount: 2500, Currency: "usd", Interval: "month", Archived: true}))
	r.month()
	p.is("active", "pro", 5000)
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "already_subscribed" {
		t.Errorf("an order of what is there: %v", err)
	}
	r.update(id, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	p.is("cancelled", "pro", 5000)
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); err != nil {
		t.Errorf("taking back one's own cancellation: %v", err)
	}
	p.is("active", "pro", 5000)
	if _, err := r.person().order(stripe.ProProduct, stripe.ProPrice); reason(err) != "unknown_price" {
		t.Errorf("an order of somebody new: %v", err)
	}
	r.nothingParked()
}

// TestAPhaseThatBringsAnotherPlan changes to it when it begins, once; one that brings what is sold nowhere keeps
// the plan that was, and is a case.
func TestAPhaseThatBringsAnotherPlan(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_strange", Product: "prod_strange", Amount: 700, Currency: "usd", Interval: "month"}))
	p, odd := r.person(), r.person()
	rises, strange := p.subscribe(), odd.subscribe()
	r.must(r.stripe.ScheduleChange(t.Context(), rises, stripe.BusinessPrice))
	r.must(r.stripe.ScheduleChange(t.Context(), strange, "price_strange"))
	r.settled()
	if change := p.has().GetChange(); change.GetPlan() != "Business" {
		t.Errorf("the person is told of %v", change)
	}
	if change := odd.has().GetChange(); change != nil {
		t.Errorf("a change to what is sold nowhere is told of: %v", change)
	}
	r.month()
	r.settled()
	p.is("active", "business", 10000)
	odd.is("active", "pro", 5000)
	if got := p.entries(); !strings.HasPrefix(got, "grant 5000") || strings.Count(got, "grant 10000") != 1 {
		t.Errorf("entries %s", got)
	}
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, odd.id); n != 1 {
		t.Errorf("%d grants for one month that was paid", n)
	}
	if got := r.text(`SELECT string_agg(DISTINCT reason || ' ' || subscription_id, ',') FROM stripe_events WHERE state = 'parked'`); got != "unknown_price "+strange {
		t.Errorf("parked: %s", got)
	}
}

// TestADeletedCustomersPlansAllEnd when its deletion alone is told, also those that are at a price of somebody else's.
func TestADeletedCustomersPlansAllEnd(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_strange", Product: "prod_strange", Amount: 700, Currency: "usd", Interval: "month"}))
	p := r.person()
	for _, id := range []string{p.subscribe(), p.second(stripe.ProPrice)} {
		r.must(r.stripe.ScheduleChange(t.Context(), id, "price_strange"))
	}
	r.month()
	r.settled()
	customer := p.customer()
	r.must(r.stripe.SetDelivery(stripe.Delivery{Drop: 1}))
	p.deleteCustomer()
	r.hears("customer.deleted", customer)
	if n := r.count(`SELECT count(*) FROM subscriptions WHERE user_id = $1 AND status <> 'free'`, p.id); n != 0 {
		t.Errorf("%d of two plans go on", n)
	}
	if c := p.customer(); c != "" {
		t.Errorf("still bound to %s", c)
	}
}

// TestWhatElseASubscriptionChargesFor is of no concern: the plan is shown and renewed as if it stood alone, and not sold a second
// time. Only we can change it.
func TestWhatElseASubscriptionChargesFor(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_storage", Product: "prod_storage", Amount: 900, Currency: "usd", Interval: "month"}))
	r.must(r.stripe.PutBeside(t.Context(), id, "price_storage"))
	for range 2 {
		r.month()
		r.settled()
		p.is("active", "pro", 5000)
	}
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "already_subscribed" {
		t.Errorf("the same plan again: %v", err)
	}
	if _, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); reason(err) != "subscription_mixed" {
		t.Errorf("another plan, which Stripe's portal does not change: %v", err)
	}
	if n := r.count(`SELECT count(*) FROM subscriptions WHERE user_id = $1 AND price_id = $2 AND monthly_amount = 2500`, p.id, stripe.ProPrice); n != 1 {
		t.Errorf("%d subscriptions are kept as the plan", n)
	}
	r.nothingParked()
}

// TestAPlanWhoseInvoicesAreSent goes on while they wait, and is not changed by its person: Stripe's portal would refuse it. What is
// paid late lasts for its own time, also once the plan is charged again and renews.
func TestAPlanWhoseInvoicesAreSent(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	r.must(r.stripe.SendInvoices(t.Context(), id, 30))
	if _, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); reason(err) != "subscription_mixed" {
		t.Errorf("another plan: %v", err)
	}
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "already_subscribed" {
		t.Errorf("the same plan again: %v", err)
	}
	r.month()
	r.settled()
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 1 || p.owes() != nil {
		t.Errorf("%d grants, and %v is due, of a month whose invoice waits", n, p.owes())
	}
	r.must(r.stripe.Advance(t.Context(), 0, 27*24*time.Hour))
	_, err := r.client().V1Invoices.Pay(t.Context(), p.subscription(id).LatestInvoice.ID, nil)
	r.must(err)
	r.settled()
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1 AND NOT replaces
		AND period_start > (SELECT min(period_end) FROM credit_grants WHERE user_id = $1) + interval '26 days' AND period_end > period_start + interval '27 days'`, p.id); n != 1 {
		t.Errorf("%d grants last for a month from when it is paid", n)
	}
	p.is("active", "pro", 10000)
	p.spend(6000)
	r.must(r.stripe.SendInvoices(t.Context(), id, 0))
	r.must(r.stripe.Advance(t.Context(), 0, 4*24*time.Hour+2*time.Hour)) // a month has at most 31 days
	r.settled()
	p.is("active", "pro", 9000)
	r.nothingParked()
}
