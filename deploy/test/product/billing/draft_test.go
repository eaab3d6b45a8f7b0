package billing

import (
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// TestAnInvoiceThatStripeCannotFinalizeIsACase, once, until it is paid and tried again. One of nothing that was sold here is none.
func TestAnInvoiceThatStripeCannotFinalizeIsACase(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	subscription := p.subscribe()
	r.must(r.stripe.Advance(t.Context(), 1, 0))
	r.settled()
	draft := p.subscription(subscription).LatestInvoice.ID
	cases := func() string {
		return r.text(`SELECT coalesce(string_agg(DISTINCT concat_ws(' ', object, reason, subscription_id), ', '), '') FROM stripe_events WHERE state = 'parked'`)
	}
	for range 2 {
		r.hears("invoice.finalization_failed", draft)
		if got, want := cases(), draft+" not_finalized "+subscription; got != want {
			t.Errorf("%q waits, want %q", got, want)
		}
	}
	r.must(r.stripe.Advance(t.Context(), 0, 2*time.Hour))
	p.is("active", "pro", 5000)
	r.settled()
	if _, err := r.command("requeue-events", "reason", "not_finalized"); err != nil {
		t.Error(err)
	}
	r.settled()
	r.nothingParked()
	r.hears("invoice.finalization_failed", draft) // late
	r.nothingParked()
}

// TestADraftThatWasThrownAwayIsNoCase: Stripe deletes drafts of no subscription only. An invoice that was paid is never gone.
func TestADraftThatWasThrownAwayIsNoCase(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	for _, kind := range []string{"invoice.updated", "invoice.finalization_failed"} {
		r.hears(kind, "in_gone")
		if state := r.text(`SELECT state FROM stripe_events WHERE type = $1`, kind); state != "ignored" {
			t.Errorf("%s of a draft that is gone is %s", kind, state)
		}
	}
	r.nothingParked()
	r.hears("invoice.paid", "in_gone")
	if got := r.text(`SELECT state || ' ' || reason FROM stripe_events WHERE type = 'invoice.paid'`); got != "parked not_at_stripe" {
		t.Errorf("a payment of what Stripe does not know is %s", got)
	}
}

// TestAPlanThatIsCollectedNoMore is over once what is open of it is paid: its further invoices stay drafts. What was paid gives its
// credits, and the next order ends the plan at Stripe.
func TestAPlanThatIsCollectedNoMore(t *testing.T) {
	t.Parallel()
	r := start(t, 1, func(o *stripe.Options) { o.EndUnpaid = true })
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	owed := p.unpaid(id)
	r.month()
	r.settled()
	s := p.subscription(id)
	latest, err := r.client().V1Invoices.Retrieve(t.Context(), s.LatestInvoice.ID, nil)
	r.must(err)
	if s.Status != sdk.SubscriptionStatusUnpaid || latest.Status != sdk.InvoiceStatusDraft {
		t.Fatalf("the subscription is %s, its latest invoice %s", s.Status, latest.Status)
	}
	p.is("past_due", "pro", 5000)
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "payment_overdue" {
		t.Errorf("an order while an invoice is open: %v", err)
	}
	r.must(r.stripe.FailPayments(t.Context(), id, 0))
	_, err = r.client().V1Invoices.Pay(t.Context(), owed, nil)
	r.must(err)
	r.settled()
	p.is("", "", 10000)
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	if s := p.subscription(id); s.Status != sdk.SubscriptionStatusCanceled {
		t.Errorf("the plan that is collected no more is %s", s.Status)
	}
	r.must(r.stripe.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	p.is("active", "pro", 15000)
	r.nothingParked()
}
