package billing

import (
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
)

const packCredits = 100 * stripe.PackCredits

// packs are what the person is told of packs whose money is on its way.
func (p *person) packsOnTheirWay() []*billingv1.PackOnItsWay {
	p.Helper()
	c, err := p.serving[0].GetCredits(p.ctx, &billingv1.GetCreditsRequest{})
	p.must(err)
	return c.GetOnTheirWay()
}

// buyPack pays a pack and says which checkout it was.
func (p *person) buyPack(with string) (session string) {
	p.Helper()
	page, err := p.order(stripe.PackProduct, stripe.PackPrice)
	p.must(err)
	p.must(p.stripe.PayCheckout(p.Context(), page.GetSessionId(), with))
	return page.GetSessionId()
}

// chargeOf is what a checkout was paid with.
func (p *person) chargeOf(session string) string {
	p.Helper()
	c, err := p.client().V1CheckoutSessions.Retrieve(p.Context(), session, nil)
	p.must(err)
	intent, err := p.client().V1PaymentIntents.Retrieve(p.Context(), c.PaymentIntent.ID, nil)
	p.must(err)
	return intent.LatestCharge.ID
}

// TestAPackIsSoldToPeopleWithAPlan and as often as they like, at what Stripe charges.
func TestAPackIsSoldToPeopleWithAPlan(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	p := r.person()
	if _, err := p.order(stripe.PackProduct, stripe.PackPrice); reason(err) != "plan_needed" {
		t.Errorf("without a plan: %v", err)
	}
	if _, err := p.order(stripe.ProProduct, stripe.PackPrice); reason(err) != "unknown_price" {
		t.Errorf("of another product: %v", err)
	}
	list, err := r.serving[0].ListPlans(p.ctx, &billingv1.ListPlansRequest{})
	r.must(err)
	if packs := list.GetPacks(); len(packs) != 1 || packs[0].GetCredits() != packCredits || packs[0].GetPrice().GetAmount() != 1200 ||
		packs[0].GetPrice().GetCurrency() != "usd" || packs[0].GetPriceId() != stripe.PackPrice {
		t.Errorf("sold are %v", packs)
	}
	p.subscribe()
	p.buyPack(stripe.CardWorks)
	p.is("active", "pro", 5000+packCredits)
	// Returning to the site asks for what the webhook has applied already.
	again := p.buyPack(stripe.CardWorks)
	for range 2 {
		if pack := p.sync(again); pack != "given" {
			t.Errorf("it is %q", pack)
		}
	}
	p.is("active", "pro", 5000+2*packCredits)
	r.settled()
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 3 {
		t.Errorf("%d grants for three payments", n)
	}
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		t.Errorf("%d events were parked", n)
	}
	entries, err := r.serving[0].ListCreditEntries(p.ctx, &billingv1.ListCreditEntriesRequest{})
	r.must(err)
	if e := entries.GetEntries()[0]; e.GetDescription() != "Extra credits" || e.GetPaid().GetAmount() != 1200 {
		t.Errorf("the history says %v", e)
	}

	// The plan's credits end with the month and go first; those of the packs last for a year.
	r.must(r.stripe.Advance(t.Context(), 1, 2*time.Hour))
	r.settled()
	p.is("active", "pro", 5000+2*packCredits)
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1 AND series LIKE 'cs_%' AND ended_at IS NULL AND expires_at > now() + interval '364 days'`, p.id); n != 2 {
		t.Errorf("%d packs last for a year", n)
	}
}

// sync says what the person is told after the return from a checkout.
func (p *person) sync(session string) (pack string) {
	p.Helper()
	resp, err := p.serving[0].SyncCheckoutSession(p.ctx, &billingv1.SyncCheckoutSessionRequest{SessionId: session})
	p.must(err)
	return resp.GetPack()
}

// TestWhatHasBecomeOfAPackIsSaid also where no event tells.
func TestWhatHasBecomeOfAPackIsSaid(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	r.settled()
	r.must(r.stripe.SetDelivery(stripe.Delivery{Drop: 1}))
	page, err := p.order(stripe.PackProduct, stripe.PackPrice)
	r.must(err)
	is := func(when, session, want string) {
		t.Helper()
		if got := p.sync(session); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	is("not paid", page.GetSessionId(), "not_given")
	r.must(r.stripe.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	is("paid", page.GetSessionId(), "given")
	comes, fails := p.buyPack(stripe.DebitWorks), p.buyPack(stripe.DebitFails)
	is("from a bank account", comes, "on_its_way")
	is("from another", fails, "on_its_way")
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	is("arrived", comes, "given")
	is("not arrived", fails, "not_given")
	p.is("active", "pro", 5000+2*packCredits)
}

// TestAPackInATrial is sold as in any other plan.
func TestAPackInATrial(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	p := r.trying()
	p.buyPack(stripe.CardWorks)
	p.is("active", "pro", 1150+packCredits)
}

// TestAPackThatACodeMakesFree gives its credits, too.
func TestAPackThatACodeMakesFree(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	r.add(r.serve("STRIPE_ALLOW_PROMOTION_CODES=true"))
	p := r.person()
	p.subscribe()
	page, err := p.order(stripe.PackProduct, stripe.PackPrice)
	r.must(err)
	r.must(r.stripe.PayCheckoutWith(t.Context(), page.GetSessionId(), stripe.Purchase{Card: stripe.CardWorks, PromotionCode: "FREE"}))
	p.is("active", "pro", 5000+packCredits)
	if pack := p.sync(page.GetSessionId()); pack != "given" {
		t.Errorf("it is %q", pack)
	}
}

// TestNoPackWhileAPaymentIsOverdue, or on its way for a first plan.
func TestNoPackWhileAPaymentIsOverdue(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	late, waiting := r.person(), r.person()
	r.must(r.stripe.FailPayments(t.Context(), late.subscribe(), -1))
	r.month()
	late.is("past_due", "pro", 5000) // the credits last 72 h more
	waiting.byBank(stripe.DebitWorks)
	for p, want := range map[*person]string{late: "payment_overdue", waiting: "payment_processing"} {
		if _, err := p.order(stripe.PackProduct, stripe.PackPrice); reason(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestAPackWhoseEventsAreLost is found by the comparison, and given once.
func TestAPackWhoseEventsAreLost(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	r.settled()
	r.must(r.stripe.SetDelivery(stripe.Delivery{Drop: 1}))
	p.buyPack(stripe.CardWorks)
	for range 2 {
		r.serving[0].stop()
		r.replace(0, r.serve()) // it compares at the start
		p.is("active", "pro", 5000+packCredits)
	}
}

// TestAPackGoesBackWithItsMoney by the rules of plans.
func TestAPackGoesBackWithItsMoney(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	charge := p.chargeOf(p.buyPack(stripe.CardWorks))
	p.is("active", "pro", 5000+packCredits)
	_, err := r.client().V1Refunds.Create(t.Context(), &sdk.RefundCreateParams{Charge: sdk.String(charge), Amount: sdk.Int64(600)})
	r.must(err)
	p.is("active", "pro", 5000+packCredits/2)

	charge = p.chargeOf(p.buyPack(stripe.CardWorks))
	p.is("active", "pro", 5000+packCredits*3/2)
	dispute, err := r.stripe.Dispute(t.Context(), charge)
	r.must(err)
	p.is("active", "pro", 5000+packCredits/2)
	r.must(r.stripe.CloseDispute(t.Context(), dispute, true))
	p.is("active", "pro", 5000+packCredits*3/2)
	r.must(r.stripe.CloseDispute(t.Context(), dispute, false))
	p.is("active", "pro", 5000+packCredits/2) // the plan goes on
}

// TestAPackFromABankAccount is on its way for days, and then there, or not; also without any event.
func TestAPackFromABankAccount(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	came, lost := r.person(), r.person()
	for _, p := range []*person{came, lost} {
		p.subscribe()
	}
	came.buyPack(stripe.DebitWorks)
	lost.buyPack(stripe.DebitFails)
	r.settled()
	for _, p := range []*person{came, lost} {
		p.is("active", "pro", 5000)
		if list := p.packsOnTheirWay(); len(list) != 1 || list[0].GetCredits() != packCredits || list[0].GetSince() == nil {
			t.Errorf("on their way: %v", list)
		}
	}
	r.must(r.stripe.SetDelivery(stripe.Delivery{Drop: 1}))
	r.must(r.stripe.Advance(t.Context(), 0, 5*24*time.Hour))
	r.serving[0].stop()
	r.replace(0, r.serve())
	came.is("active", "pro", 5000+packCredits)
	lost.is("active", "pro", 5000)
	for _, p := range []*person{came, lost} {
		if list := p.packsOnTheirWay(); len(list) != 0 {
			t.Errorf("still on their way: %v", list)
		}
	}
}
