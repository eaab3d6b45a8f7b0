package billing

import (
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
)

// pays fills in Stripe's page with a card whose bank asks its payer (3-D Secure).
func (p *person) pays(session, confirmation string) error {
	return p.stripe.PayCheckoutWith(p.Context(), session, stripe.Purchase{Card: stripe.CardAsks, TermsAccepted: true, Confirmation: confirmation})
}

// TestAPaymentThatItsPayerHasToConfirm buys nothing until it is: the page stays open, the same order leads back to it, and
// whoever gives up can order anything else.
func TestAPaymentThatItsPayerHasToConfirm(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	page, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	for name, confirmation := range map[string]string{"asked": "", "refused": stripe.Declines} {
		if err := p.pays(page.GetSessionId(), confirmation); err == nil {
			t.Errorf("%s: it was paid", name)
		}
		synced, err := p.serving[0].SyncCheckoutSession(p.ctx, &billingv1.SyncCheckoutSessionRequest{SessionId: page.GetSessionId()})
		r.must(err)
		again, err := p.order(stripe.ProProduct, stripe.ProPrice)
		if r.settled(); err != nil || again.GetUrl() != page.GetUrl() {
			t.Errorf("%s: the return says %v, the same order leads to %v, %v", name, synced, again, err)
		}
		p.is("", "", 0)
	}
	r.must(r.stripe.Advance(t.Context(), 0, 25*time.Hour)) // nobody came back to it
	if err := p.pays(page.GetSessionId(), stripe.Confirms); err == nil {
		t.Error("a page that has expired was paid")
	}
	other, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	if err := p.pays(other.GetSessionId(), ""); err == nil {
		t.Error("nobody was asked")
	}
	r.must(r.stripe.Advance(t.Context(), 0, 20*time.Hour))
	r.must(p.pays(other.GetSessionId(), stripe.Confirms)) // and is welcomed
	p.is("active", "business", 10000)
	r.month()
	p.is("active", "business", 10000)
	if n := r.charged(); n != 2 {
		t.Errorf("%d payments for two months", n)
	}
	r.nothingParked()
}

// TestWhatStaffMadeAndNobodyHasConfirmed is no plan, and keeps nobody from buying one. It begins once it is confirmed.
func TestWhatStaffMadeAndNobodyHasConfirmed(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	late, prompt := r.person(), r.person()
	for _, p := range []*person{late, prompt} {
		page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
		r.must(err)
		id, err := r.stripe.Subscribe(t.Context(), p.customer(), stripe.ProPrice, 1, stripe.CardAsks)
		r.must(err)
		r.settled()
		if s := p.subscription(id); s.Status != sdk.SubscriptionStatusIncomplete {
			t.Fatalf("it is %s", s.Status)
		}
		p.is("", "", 0)
		if again, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); err != nil || again.GetUrl() != page.GetUrl() {
			t.Errorf("an order meanwhile leads to %v, %v", again, err)
		}
		if _, err := p.order(stripe.PackProduct, stripe.PackPrice); reason(err) != "plan_needed" {
			t.Errorf("an order of a pack meanwhile: %v", err)
		}
		if p == prompt {
			r.must(r.stripe.Confirm(t.Context(), p.subscription(id).LatestInvoice.ID))
			p.is("active", "pro", 5000)
		}
	}
	r.must(r.stripe.Advance(t.Context(), 0, 24*time.Hour))
	r.settled()
	late.is("", "", 0)
	prompt.is("active", "pro", 5000)
	if s := r.text(`SELECT stripe_status FROM subscriptions WHERE user_id = $1`, late.id); s != "incomplete_expired" {
		t.Errorf("what nobody has confirmed is %s", s)
	}
	r.nothingParked()
}
