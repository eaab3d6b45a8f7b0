package billing

import (
	"testing"
	"time"
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
