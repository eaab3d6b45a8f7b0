package billing

import (
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
)

// unpaid has the next renewal fail, and says which invoice it left.
func (p *person) unpaid(subscription string) (invoice string) {
	p.Helper()
	p.must(p.stripe.FailPayments(p.Context(), subscription, -1))
	p.must(p.stripe.Advance(p.Context(), 1, 2*time.Hour))
	p.settled()
	return p.subscription(subscription).LatestInvoice.ID
}

// TestAnInvoiceThatIsPaidInPartsGrantsWithTheLast, and once. A refund of one of them takes its share of the invoice.
func TestAnInvoiceThatIsPaidInPartsGrantsWithTheLast(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	invoice := p.unpaid(p.subscribe())
	grants := func() int { return r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id) }
	var first string
	for i, amount := range []int64{500, 1000} {
		charge, err := r.stripe.PayPart(t.Context(), invoice, amount)
		r.must(err)
		if i == 0 {
			first = charge
		}
		r.settled()
		if due := p.owes(); due == nil || due.GetAmount() != []int64{2000, 1000}[i] || grants() != 1 {
			t.Errorf("after part %d, %v is due, and there are %d grants", i, due, grants())
		}
	}
	_, err := r.stripe.PayPart(t.Context(), invoice, 1000)
	r.must(err)
	r.settled()
	p.is("active", "pro", 5000)
	if grants() != 2 || p.owes() != nil {
		t.Errorf("%d grants for two months", grants())
	}
	p.refund(first, 500) // of 2500
	r.settled()
	p.is("active", "pro", 4000)
	r.nothingParked()
}

// TestAPartThatGoesBackBeforeTheLastIsNotGranted although nothing was granted when it went.
func TestAPartThatGoesBackBeforeTheLastIsNotGranted(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	invoice := p.unpaid(p.subscribe())
	charge, err := r.stripe.PayPart(t.Context(), invoice, 1000)
	r.must(err)
	p.refund(charge, 500) // of 2500
	r.settled()
	if n := r.count(`SELECT count(*) FROM credit_withdrawals WHERE user_id = $1`, p.id); n != 0 {
		t.Errorf("%d withdrawals of what was not granted", n)
	}
	_, err = r.stripe.PayPart(t.Context(), invoice, 1500)
	r.must(err)
	r.settled()
	p.is("active", "pro", 4000)
	p.refund(charge, 500)
	r.settled()
	p.is("active", "pro", 3000)
	r.nothingParked()
}

// TestAnInvoiceThatIsGivenUpGrantsNothingAndIsNotDue although its subscription goes on at Stripe. If it is paid later, it grants once.
func TestAnInvoiceThatIsGivenUpGrantsNothingAndIsNotDue(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	subscription := p.subscribe()
	invoice := p.unpaid(subscription)
	if p.owes() == nil {
		t.Error("nothing is due of a renewal that has failed")
	}
	_, err := r.client().V1Invoices.MarkUncollectible(t.Context(), invoice, &sdk.InvoiceMarkUncollectibleParams{})
	r.must(err)
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE type = 'invoice.marked_uncollectible' AND state = 'applied'`); n != 1 {
		t.Errorf("heard of it %d times", n)
	}
	if due := p.owes(); due != nil {
		t.Errorf("%v is due", due)
	}
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 1 {
		t.Errorf("%d grants for the month that was paid", n)
	}
	r.must(r.stripe.FailPayments(t.Context(), subscription, 0))
	_, err = r.client().V1Invoices.Pay(t.Context(), invoice, nil)
	r.must(err)
	r.settled()
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 2 {
		t.Errorf("%d grants after it was paid all the same", n)
	}
	r.nothingParked()
}

// TestACreditNoteBeforeThePayment takes off what is due and no credits: what is paid buys the whole month, and goes back with it.
func TestACreditNoteBeforeThePayment(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	some, all := r.person(), r.person()
	subscription := all.subscribe()
	r.must(r.stripe.FailPayments(t.Context(), subscription, -1))
	invoice := some.unpaid(some.subscribe())
	free := all.subscription(subscription).LatestInvoice.ID
	r.must(r.stripe.Credit(t.Context(), invoice, 1000))
	r.must(r.stripe.Credit(t.Context(), free, 2500))
	r.settled()
	if due := some.owes(); due.GetAmount() != 1500 {
		t.Errorf("%v is due of $25 less $10", due)
	}
	charge, err := r.stripe.PayPart(t.Context(), invoice, 1500)
	r.must(err)
	r.settled()
	some.is("active", "pro", 5000)
	all.is("active", "pro", 5000)
	some.refund(charge, 1500)
	r.settled()
	some.is("active", "pro", 0)
	r.nothingParked()
}

// TestAPartThatWasPaidKeepsNoDeletionWaiting, although Stripe makes no invoice void of which a part was paid. Should the rest come,
// people are told.
func TestAPartThatWasPaidKeepsNoDeletionWaiting(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	given, open := r.person(), r.person()
	subscription := given.subscribe()
	r.must(r.stripe.FailPayments(t.Context(), subscription, -1))
	waits := open.unpaid(open.subscribe())
	for want, p := range map[sdk.InvoiceStatus]*person{sdk.InvoiceStatusUncollectible: given, sdk.InvoiceStatusOpen: open} {
		owed := waits
		if p == given {
			owed = given.subscription(subscription).LatestInvoice.ID
		}
		_, err := r.stripe.PayPart(t.Context(), owed, 1000)
		r.must(err)
		if p == given {
			_, err = r.client().V1Invoices.MarkUncollectible(t.Context(), owed, nil)
			r.must(err)
		}
		r.settled()
		p.leaves()
		p.isOver()
		invoice, err := r.client().V1Invoices.Retrieve(t.Context(), owed, nil)
		if err != nil || invoice.Status != want {
			t.Errorf("what was paid in part is %s, %v; want %s", invoice.Status, err, want)
		}
		r.settled()
		r.nothingParked()
	}
	_, err := r.stripe.PayPart(t.Context(), waits, 1500)
	r.must(err)
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked' AND reason = 'erased_account' AND type = 'invoice.paid' AND object = $1`, waits); n != 1 {
		t.Errorf("%d cases of a payment that came too late", n)
	}
}
