package billing

import (
	"net/url"
	"regexp"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

// TestADisabledAccountIsNotRenewed, and is once it is enabled again. Who had cancelled before
// has done it for good.
func TestADisabledAccountIsNotRenewed(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	barred, back, own := r.person(), r.person(), r.person()
	for _, p := range []*person{barred, back, own} {
		p.subscribe()
	}
	r.update(own.text(`SELECT id FROM subscriptions WHERE user_id = $1`, own.id), &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	own.is("cancelled", "pro", 5000)
	open := barred.openPage(barred.customer())
	for range 2 {
		for _, p := range []*person{barred, back, own} {
			p.becomes(disabled, time.Now())
			p.is("cancelled", "pro", 5000)
		}
	}
	if err := r.stripe.PayCheckout(t.Context(), open, stripe.CardWorks); err == nil {
		t.Error("the other tab could pay")
	}
	for range 2 {
		back.becomes(enabled, time.Now())
		back.is("active", "pro", 5000)
		own.becomes(enabled, time.Now())
	}
	r.settled()
	own.is("cancelled", "pro", 5000)
	paid := r.charged()
	r.month()
	r.settled()
	back.is("active", "pro", 5000)
	barred.is("", "", 5000) // until the period's grace is over
	own.is("", "", 5000)
	if got := r.charged() - paid; got != 1 {
		t.Errorf("%d renewals, want one", got)
	}
}

// TestADisabledAccountWhoseEndIsFarAwayIsNotRenewed: the end that staff have set lies two renewals ahead. It holds again once the
// account is enabled.
func TestADisabledAccountWhoseEndIsFarAwayIsNotRenewed(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	barred, back, allowed := r.person(), r.person(), r.person()
	end, at := time.Now().AddDate(0, 0, 75).Unix(), time.Now()
	ids := map[*person]string{}
	for _, p := range []*person{barred, back, allowed} {
		ids[p] = p.subscribe()
		r.update(ids[p], &sdk.SubscriptionUpdateParams{CancelAt: sdk.Int64(end)})
		p.is("cancelled", "pro", 5000)
		for range 2 {
			p.becomes(disabled, at)
			r.settled()
		}
		if s := p.subscription(ids[p]); !s.CancelAtPeriodEnd {
			t.Fatalf("disabled, it ends %d", s.CancelAt)
		}
	}
	back.becomes(enabled, at.Add(time.Second))
	allowed.renews(true)
	r.settled()
	for _, p := range []*person{back, allowed} {
		if s := p.subscription(ids[p]); s.CancelAtPeriodEnd || s.CancelAt != end || s.Metadata["renewal_stopped"] != "" {
			t.Errorf("it ends %d, with the period: %t; want %d; marked %v", s.CancelAt, s.CancelAtPeriodEnd, end, s.Metadata)
		}
	}
	paid := r.charged()
	for range 2 {
		r.month()
		r.settled()
	}
	if got := r.charged() - paid; got != 4 {
		t.Errorf("%d renewals, want two of each of the others", got)
	}
}

// downgrades has the person choose Pro for the next period, after Business.
func (p *person) downgrades(subscription string) {
	p.Helper()
	p.plan(subscription, stripe.BusinessPrice)
	portal, err := p.serving[0].CreatePortalSession(p.ctx, &billingv1.CreatePortalSessionRequest{ReturnUrl: profile})
	p.must(err)
	p.press(portal.GetUrl()+"/change", url.Values{"subscription": {subscription}, "price": {stripe.ProPrice}})
	if p.subscription(subscription).Schedule == nil {
		p.Fatal("no downgrade waits")
	}
}

// TestADowngradeThatWaitsKeepsNoRenewalGoing, although Stripe sets no end of a subscription
// that has one.
func TestADowngradeThatWaitsKeepsNoRenewalGoing(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.downgrades(p.subscribe())
	p.becomes(disabled, time.Now())
	p.is("cancelled", "business", 10000)
}

// TestADisabledAccountReachesThePortal by Stripe's own page, which asks nobody here.
func TestADisabledAccountReachesThePortal(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	p.becomes(disabled, time.Now())
	p.is("cancelled", "pro", 5000)
	var page string
	waittest.Eventually(t, "Stripe has told its page", func() bool {
		got, err := r.serving[0].GetPortalSignIn(t.Context(), &billingv1.GetPortalSignInRequest{})
		page = got.GetUrl()
		return err == nil
	})
	links := func(email string) string {
		_, answer := r.post(page, url.Values{"email": {email}})
		return regexp.MustCompile(`/p/session/\w+`).FindString(answer)
	}
	if link := links("nobody@example.test"); link != "" {
		t.Errorf("a stranger's address leads to %s", link)
	}
	link := links(p.email)
	if link == "" {
		t.Fatal("no way into the portal")
	}
	r.press(r.stripe.URL()+link+"/keep", url.Values{"subscription": {p.text(`SELECT id FROM subscriptions WHERE user_id = $1`, p.id)}})
	r.settled()
	p.is("cancelled", "pro", 5000) // it does not renew, whatever was pressed there
}

// TestTheLastWordOnAnAccountCounts, in whatever order the events come.
func TestTheLastWordOnAnAccountCounts(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	id := p.subscribe()
	now := time.Now()
	p.becomes(enabled, now.Add(time.Second))
	p.becomes(disabled, now)
	r.settled()
	p.is("active", "pro", 5000)
	p.becomes(disabled, now.Add(3*time.Second))
	p.becomes(enabled, now.Add(2*time.Second))
	r.settled()
	p.is("cancelled", "pro", 5000)
	p.leaves()
	p.becomes(enabled, now.Add(4*time.Second))
	p.isOver()
	if s := p.subscription(id); s.Status != sdk.SubscriptionStatusCanceled {
		t.Errorf("the subscription is %s", s.Status)
	}
}

// TestWhatADisabledAccountBuysInAnOldPageIsNotRenewed, although the page was opened after
// billing had closed what there was.
func TestWhatADisabledAccountBuysInAnOldPageIsNotRenewed(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	_, err := p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	p.becomes(disabled, time.Now())
	r.must(r.stripe.PayCheckout(t.Context(), p.openPage(p.customer()), stripe.CardWorks))
	p.is("cancelled", "pro", 5000)
	p.becomes(enabled, time.Now())
	p.is("active", "pro", 5000)
}

// renews is an admin's word on the plan of a disabled account, given twice.
func (p *person) renews(word bool) {
	p.Helper()
	for range 2 {
		p.must(p.setRenewal(word))
	}
}

func (p *person) setRenewal(word bool) error {
	_, token := p.issuer.Admin("admin@fledge.test")
	_, err := p.serving[0].SetRenewal(authn.WithPrincipal(p.Context(), authn.Principal{Bearer: token}),
		&billingv1.SetRenewalRequest{UserId: p.id.String(), Renews: word, Reason: "because"})
	return err
}

// TestAnAdminLetsADisabledAccountRenew, until it is enabled. What its owner has cancelled stays so.
func TestAnAdminLetsADisabledAccountRenew(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	p, own := r.person(), r.person()
	for _, each := range []*person{p, own} {
		each.subscribe()
	}
	if err := p.setRenewal(true); fault.Of(err).Reason != "account_not_disabled" {
		t.Errorf("of an active account: %v", err)
	}
	r.update(own.text(`SELECT id FROM subscriptions WHERE user_id = $1`, own.id), &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	own.is("cancelled", "pro", 5000)
	at := time.Now()
	for _, each := range []*person{p, own} {
		each.becomes(disabled, at)
		each.is("cancelled", "pro", 5000)
		each.renews(true)
		each.becomes(disabled, at) // the same again
	}
	p.is("active", "pro", 5000)
	own.is("cancelled", "pro", 5000)
	paid := r.charged()
	r.month()
	r.settled()
	p.is("active", "pro", 5000)
	if got := r.charged() - paid; got != 1 {
		t.Errorf("%d renewals, want one", got)
	}
	p.renews(false)
	p.is("cancelled", "pro", 5000)
	p.renews(true)
	p.is("active", "pro", 5000)
	if n := p.count(`SELECT count(*) FROM outbox WHERE type = 'fledge.billing.v1.staff.action' AND subject = $1::text`, p.id); n != 3 {
		t.Errorf("%d records of three changes", n)
	}
	// A word is about this time only.
	p.becomes(enabled, at.Add(time.Second))
	p.becomes(disabled, at.Add(2*time.Second))
	p.is("cancelled", "pro", 5000)
}

// TestAnAdminsWordIsKeptBesideTheVersionBefore, which knows no such word and has each renewal of a disabled account
// stopped. The owner's own word is another matter.
func TestAnAdminsWordIsKeptBesideTheVersionBefore(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	p := r.person()
	id := p.subscribe()
	p.becomes(disabled, time.Now())
	p.renews(true)
	p.is("active", "pro", 5000)
	stopped := p.serving[0].metric(t, "billing_stripe_events_applied_total") + p.serving[1].metric(t, "billing_stripe_events_applied_total")
	r.update(id, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true), Metadata: map[string]string{"renewal_stopped": "account_disabled"}})
	r.settled()
	if p.serving[0].metric(t, "billing_stripe_events_applied_total")+p.serving[1].metric(t, "billing_stripe_events_applied_total") == stopped {
		t.Fatal("nothing was told")
	}
	if s := p.subscription(id); s.CancelAtPeriodEnd || s.Metadata["renewal_stopped"] != "" {
		t.Errorf("ends at %v, metadata %v", s.CancelAtPeriodEnd, s.Metadata)
	}
	p.is("active", "pro", 5000)
	r.update(id, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	r.settled()
	p.is("cancelled", "pro", 5000)
}

// TestADisabledAccountWhoseCollectionIsPaused neither renews nor is collected from, whichever came first, and goes on when both
// are over.
func TestADisabledAccountWhoseCollectionIsPaused(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	first, then, back := r.person(), r.person(), r.person()
	ids := map[*person]string{}
	for _, p := range []*person{first, then, back} {
		ids[p] = p.subscribe()
	}
	r.must(r.stripe.HoldPayments(t.Context(), ids[first], true))
	first.is("paused", "pro", 5000)
	for _, p := range []*person{first, then, back} {
		p.becomes(disabled, time.Now())
	}
	for _, p := range []*person{then, back} {
		r.must(r.stripe.HoldPayments(t.Context(), ids[p], true))
		r.settled()
	}
	for _, p := range []*person{first, then, back} {
		p.is("cancelled", "pro", 5000)
	}
	back.becomes(enabled, time.Now())
	back.is("paused", "pro", 5000)
	r.must(r.stripe.HoldPayments(t.Context(), ids[back], false))
	back.is("active", "pro", 5000)
	paid := r.charged()
	r.month()
	r.settled()
	back.is("active", "pro", 5000)
	for _, p := range []*person{first, then} {
		if got := p.has(); got != nil {
			t.Errorf("renewed: %v", got)
		}
	}
	if got := r.charged() - paid; got != 1 {
		t.Errorf("%d renewals, want one", got)
	}
	r.nothingParked()
}
