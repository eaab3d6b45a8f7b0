package billing

import (
	"testing"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
)

// wholePage are all settings of the checkout's page.
var wholePage = []string{
	"STRIPE_ALLOW_PROMOTION_CODES=true", "STRIPE_AUTOMATIC_TAX=true", "STRIPE_TAX_ID_COLLECTION=true", "STRIPE_TERMS_OF_SERVICE_CONSENT=true",
}

func (p *person) orderOf(i *instance) string {
	p.Helper()
	page, err := i.CreateCheckoutSession(p.ctx, &billingv1.CreateCheckoutSessionRequest{
		ProductId: stripe.ProProduct, PriceId: stripe.ProPrice, SuccessUrl: profile + "?success=true&session_id={CHECKOUT_SESSION_ID}", CancelUrl: profile + "?canceled=true",
	})
	p.must(err)
	return page.GetSessionId()
}

func (r *rig) session(id string) *sdk.CheckoutSession {
	r.Helper()
	s, err := r.client().V1CheckoutSessions.Retrieve(r.Context(), id, nil)
	r.must(err)
	return s
}

// TestThePageOffersAndAsksWhatTheSettingsSay, and nothing of it by default. A page that was opened
// before is not the one that people get after the settings have changed.
func TestThePageOffersAndAsksWhatTheSettingsSay(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	plain := p.orderOf(r.serving[0])
	if s := r.session(plain); s.AllowPromotionCodes || s.AutomaticTax.Enabled || s.ConsentCollection != nil {
		t.Errorf("by default it asks: %+v", s)
	}
	whole := r.serve(wholePage...)
	id := p.orderOf(whole)
	if again := p.orderOf(whole); id == plain || again != id {
		t.Errorf("the page is %s, then %s, and was %s before", id, again, plain)
	}
	if err := r.stripe.PayCheckoutWith(t.Context(), id, stripe.Purchase{Card: stripe.CardWorks}); err == nil {
		t.Error("nobody has agreed to the terms")
	}
	r.must(r.stripe.PayCheckoutWith(t.Context(), id, stripe.Purchase{Card: stripe.CardWorks, PromotionCode: "HALF", TermsAccepted: true}))
	p.is("active", "pro", 5000) // whatever was paid
	s := r.session(id)
	if s.AmountTotal != 1375 || s.TotalDetails.AmountDiscount != 1250 || s.TotalDetails.AmountTax != 125 || s.Consent.TermsOfService != "accepted" {
		t.Errorf("paid %d: %+v, %+v", s.AmountTotal, s.TotalDetails, s.Consent)
	}
	r.month()
	r.settled()
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 2 {
		t.Errorf("%d grants for two months", n)
	}
	for _, charge := range p.charges() {
		c, err := r.client().V1Charges.Retrieve(t.Context(), charge, nil)
		if err != nil || c.Amount != 1375 {
			t.Errorf("charged %d, %v", c.Amount, err)
		}
	}
}

// TestACodeForEverythingIsAPlan: nothing is to be paid, and the credits come all the same.
func TestACodeForEverythingIsAPlan(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.add(r.serve(wholePage[0]))
	p := r.person()
	id := p.orderOf(r.serving[0])
	r.must(r.stripe.PayCheckoutWith(t.Context(), id, stripe.Purchase{Card: stripe.CardWorks, PromotionCode: "FREE"}))
	p.is("active", "pro", 5000)
	if s := r.session(id); s.PaymentStatus != sdk.CheckoutSessionPaymentStatusNoPaymentRequired {
		t.Errorf("%s", s.PaymentStatus)
	}
}
