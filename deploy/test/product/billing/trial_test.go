package billing

import (
	"testing"
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
)

// trying has a person begin a trial of a week.
func (r *rig) trying() *person {
	r.Helper()
	if len(r.serving) == 0 {
		r.add(r.serve("STRIPE_TRIAL_DAYS=7"))
	}
	p := r.person()
	r.must(r.stripe.PayCheckout(r.Context(), p.orderOf(r.serving[0]), stripe.CardWorks))
	p.is("active", "pro", 1150) // 7 of 30.4375 days
	return p
}

// TestATrialGivesItsShareAndThenTheMonth, and each account has one.
func TestATrialGivesItsShareAndThenTheMonth(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	p := r.trying()
	r.must(r.stripe.Advance(t.Context(), 0, 7*24*time.Hour+2*time.Hour))
	p.is("active", "pro", 5000) // what was left of the trial has ended
	if n := len(p.charges()); n != 1 {
		t.Errorf("%d charges", n)
	}
}

func TestWhoLeavesATrialPaysNothingAndHasNoOther(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	p := r.trying()
	_, err := r.client().V1Subscriptions.Cancel(t.Context(), r.text(`SELECT id FROM subscriptions WHERE user_id = $1`, p.id), nil)
	r.must(err)
	p.is("", "", 1150)
	page := p.orderOf(r.serving[0])
	if s := r.session(page); s.AmountTotal != 2500 {
		t.Errorf("a second trial: %d is to be paid", s.AmountTotal)
	}
	r.must(r.stripe.PayCheckout(t.Context(), page, stripe.CardWorks))
	p.is("active", "pro", 6150)

	// As another customer it is still the same account.
	other := r.trying()
	other.deleteCustomer()
	r.settled()
	if s := r.session(other.orderOf(r.serving[0])); s.AmountTotal != 2500 {
		t.Errorf("a second trial as another customer: %d is to be paid", s.AmountTotal)
	}
}

// TestATrialThatCannotBePaidIsOverdue and grants no more.
func TestATrialThatCannotBePaidIsOverdue(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.add(r.serve("STRIPE_TRIAL_DAYS=7"))
	p := r.person()
	r.must(r.stripe.PayCheckout(t.Context(), p.orderOf(r.serving[0]), stripe.CardFailsLater))
	p.is("active", "pro", 1150)
	r.must(r.stripe.Advance(t.Context(), 0, 7*24*time.Hour+2*time.Hour))
	p.is("past_due", "pro", 1150) // the credits last 72 h more
}

// TestAPlanThatWasNeverPaidLeavesTheTrial to its person, who is told of it.
func TestAPlanThatWasNeverPaidLeavesTheTrial(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.byBank(stripe.DebitFails)
	r.must(r.stripe.StallPayment(t.Context(), p.subscription(r.text(`SELECT id FROM subscriptions WHERE user_id = $1`, p.id)).LatestInvoice.ID))
	p.is("", "", 0)
	r.serving[0].stop()
	r.replace(0, r.serve("STRIPE_TRIAL_DAYS=7"))
	told, err := r.serving[0].GetSubscription(p.ctx, &billingv1.GetSubscriptionRequest{})
	r.must(err)
	if told.GetTrialDays() != 7 {
		t.Errorf("told of %d days", told.GetTrialDays())
	}
	page := p.orderOf(r.serving[0])
	if s := r.session(page); s.AmountTotal != 0 {
		t.Errorf("%d is to be paid", s.AmountTotal)
	}
	r.must(r.stripe.PayCheckout(t.Context(), page, stripe.CardWorks))
	p.is("active", "pro", 1150)
	told, err = r.serving[0].GetSubscription(p.ctx, &billingv1.GetSubscriptionRequest{})
	r.must(err)
	if then := told.GetSubscription().GetAfterTrial(); told.GetTrialDays() != 0 || then.GetAmount() != 2500 || then.GetCurrency() != "usd" {
		t.Errorf("in the trial: %v", told)
	}
}
