package billing

import (
	"testing"

	"fledge.dev/deploy/standins/stripe"
)

// TestAnEarlyFraudWarningHoldsTheCreditsUntilItIsDecided: staff are told once, and either they find the payment in order, or
// its money goes back, or the bank takes it, which closes the case by itself.
func TestAnEarlyFraudWarningHoldsTheCreditsUntilItIsDecided(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	for name, tc := range map[string]struct {
		ends    func(p *person, charge, warning string)
		left    int64
		entries string
	}{
		"accepted": {func(_ *person, _, warning string) {
			_, err := r.command("accept", warning, "the person has confirmed the payment")
			r.must(err)
		}, 4000, "grant 5000, consume -1000, clawback -4000, adjust 4000"},
		"refunded": {func(p *person, charge, _ string) { p.refund(charge, 2500) }, 0, "grant 5000, consume -1000, clawback -4000"},
		"disputed": {func(_ *person, charge, _ string) {
			_, err := r.stripe.Dispute(t.Context(), charge)
			r.must(err)
		}, 0, "grant 5000, consume -1000, clawback -4000"},
		"disputed, and won": {func(_ *person, charge, _ string) {
			dispute, err := r.stripe.Dispute(t.Context(), charge)
			r.must(err)
			r.settled()
			r.must(r.stripe.CloseDispute(t.Context(), dispute, true))
		}, 4000, "grant 5000, consume -1000, clawback -4000, adjust 4000"},
	} {
		p := r.person()
		p.subscribe()
		p.spend(1000)
		charge := p.charges()[0]
		warning, err := r.stripe.Warn(t.Context(), charge)
		r.must(err)
		r.settled()
		r.hears("radar.early_fraud_warning.created", warning)
		p.is("active", "pro", 0)
		cases := func() int {
			return r.count(`SELECT count(DISTINCT object) FROM stripe_events WHERE state = 'parked' AND reason = 'fraud_warning' AND object = $1
				AND subscription_id = (SELECT id FROM subscriptions WHERE user_id = $2)`, warning, p.id)
		}
		if n := cases(); n != 1 {
			t.Errorf("%s: %d cases", name, n)
		}
		tc.ends(p, charge, warning)
		r.settled()
		if n := cases(); n != 0 {
			t.Errorf("%s: %d cases are left", name, n)
		}
		r.hears("radar.early_fraud_warning.updated", warning)
		p.is("active", "pro", tc.left)
		if got := p.entries(); got != tc.entries {
			t.Errorf("%s: %s, want %s", name, got, tc.entries)
		}
	}
}

// TestAPackIsWarnedOfToo, and what is none of ours is not.
func TestAPackIsWarnedOfToo(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	session := p.buyPack(stripe.CardWorks)
	p.is("active", "pro", 5000+packCredits)
	warning, err := r.stripe.Warn(t.Context(), p.chargeOf(session))
	r.must(err)
	r.settled()
	p.is("active", "pro", 5000)
	_, err = r.command("ignore", warning, "the person has confirmed the payment")
	r.must(err)
	r.settled()
	p.is("active", "pro", 5000+packCredits)
	r.nothingParked()
}
