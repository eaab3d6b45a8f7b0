package billing

import (
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
)

// owes is what the person is told of money that has not arrived.
func (p *person) owes() *billingv1.PaymentDue {
	p.Helper()
	s, err := p.serving[0].GetSubscription(p.ctx, &billingv1.GetSubscriptionRequest{})
	p.must(err)
	return s.GetSubscription().GetDue()
}

// byBank buys Pro from a bank account.
func (p *person) byBank(account string) {
	p.Helper()
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	p.must(err)
	p.must(p.stripe.PayCheckout(p.Context(), page.GetSessionId(), account))
	p.is("processing", "pro", 0)
}

// TestMoneyThatTakesDaysGrantsWhenItIsThere and neither before nor twice; nothing else can be
// bought meanwhile.
func TestMoneyThatTakesDaysGrantsWhenItIsThere(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.byBank(stripe.DebitWorks)
	if due := p.owes(); !due.GetProcessing() || due.GetAmount() != 2500 || due.GetCurrency() != "usd" {
		t.Errorf("on its way: %v", due)
	}
	for product, price := range map[string]string{stripe.ProProduct: stripe.ProPrice, stripe.BusinessProduct: stripe.BusinessPrice} {
		if _, err := p.order(product, price); reason(err) != "payment_processing" {
			t.Errorf("buying %s again: %v", product, err)
		}
	}
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	p.is("active", "pro", 5000)
	if due := p.owes(); due != nil {
		t.Errorf("still on its way: %v", due)
	}

	// The next month's is on its way for days, too, and the plan goes on. A month has 28 to 31 days.
	r.must(r.stripe.Advance(t.Context(), 0, 26*24*time.Hour+2*time.Hour))
	r.settled()
	p.is("active", "pro", 5000)
	if due := p.owes(); !due.GetProcessing() {
		t.Errorf("a renewal: %v", due)
	}
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 1 {
		t.Errorf("%d grants for one payment", n)
	}
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	r.settled()
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 2 || p.owes() != nil {
		t.Errorf("%d grants for two payments", n)
	}
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
}

// TestMoneyThatDoesNotComeGrantsNothing, and the plan can be bought again.
func TestMoneyThatDoesNotComeGrantsNothing(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.byBank(stripe.DebitFails)
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	p.is("", "", 0)
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
	p.subscribe()
}

// TestAnOrderEndsWhatWasNeverPaid: otherwise both could be.
func TestAnOrderEndsWhatWasNeverPaid(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.byBank(stripe.DebitFails)
	var abandoned *sdk.Subscription
	for s, err := range r.client().V1Subscriptions.List(t.Context(), nil).All(t.Context()) {
		r.must(err)
		abandoned = s
	}
	r.must(r.stripe.StallPayment(t.Context(), abandoned.LatestInvoice.ID)) // it failed, and the day to try again is not over
	p.subscribe()
	invoice, err := r.client().V1Invoices.Retrieve(t.Context(), abandoned.LatestInvoice.ID, nil)
	r.must(err)
	if invoice.Status != sdk.InvoiceStatusVoid {
		t.Errorf("the first invoice is %s", invoice.Status)
	}
}

// TestWhatBecameOfTheMoneyIsFoundWithoutAnyEvent by the reconciliation.
func TestWhatBecameOfTheMoneyIsFoundWithoutAnyEvent(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	came, lost := r.person(), r.person()
	came.byBank(stripe.DebitWorks)
	lost.byBank(stripe.DebitFails)
	r.settled()
	r.must(r.stripe.SetDelivery(stripe.Delivery{Drop: 1}))
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	r.serving[0].stop()
	r.replace(0, r.serve()) // it compares at the start
	came.is("active", "pro", 5000)
	lost.is("", "", 0)
}
