package billing

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/billing"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// command runs one of billing's commands as an operator would.
func (r *rig) command(name string, args ...string) (string, error) {
	r.Helper()
	var out bytes.Buffer
	for _, c := range billing.Commands() {
		if c.Name == name {
			err := c.Run(r.Context(), service.Call{
				Args: args, Environ: r.environ, Out: &out,
				Runtime: service.NewRuntime("billing", "dev", obs.NewLogger(&bytes.Buffer{}, "billing", slog.LevelError)),
			})
			return out.String(), err
		}
	}
	r.Fatalf("no command %q", name)
	return "", nil
}

func (r *rig) nothingParked() {
	r.Helper()
	r.settled()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'parked'`); n != 0 {
		r.Errorf("%d events were parked, of %s", n, r.text(`SELECT string_agg(DISTINCT reason, ', ') FROM stripe_events WHERE state = 'parked'`))
	}
}

// TestARaisedPriceServesWhoPaysTheOld for a year: they renew, are late, pay, change their plan
// and leave; who buys now pays the new price, and people are shown it.
func TestARaisedPriceServesWhoPaysTheOld(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	old, newcomer := r.person(), r.person()
	id := old.subscribe()
	const raised = "price_pro_29"
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: raised, Product: stripe.ProProduct, Amount: 2900, Currency: "usd", Interval: "month"}))
	before := r.serving[0]
	r.replace(0, r.serve("STRIPE_TEST_PRO_PRICE_ID="+raised))
	before.stop()
	waittest.Eventually(t, "people are shown what Stripe charges", func() bool {
		plans, err := r.serving[0].ListPlans(t.Context(), &billingv1.ListPlansRequest{})
		return err == nil && plans.GetPlans()[0].GetPriceMonthly() == 2900
	})

	page, err := newcomer.order(stripe.ProProduct, raised)
	r.must(err)
	r.must(r.stripe.PayCheckout(t.Context(), page.GetSessionId(), stripe.CardWorks))
	newcomer.is("active", "pro", 5000)
	if _, err := old.order(stripe.ProProduct, raised); reason(err) != "already_subscribed" {
		t.Errorf("their own plan, at the new price: %v", err)
	}
	for range 12 {
		r.month()
	}
	r.settled()
	old.is("active", "pro", 5000)
	for _, p := range []*person{old, newcomer} {
		if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 13 {
			t.Errorf("%d grants in 13 months", n)
		}
	}

	r.must(r.stripe.FailPayments(t.Context(), id, 1))
	r.month()
	old.is("past_due", "pro", 5000)
	owes := func() *billingv1.PaymentDue {
		s, err := r.serving[0].GetSubscription(old.ctx, &billingv1.GetSubscriptionRequest{})
		r.must(err)
		return s.GetSubscription().GetDue()
	}
	if due := owes(); due.GetAmount() != 2500 || due.GetCurrency() != "usd" || due.GetSince() == nil {
		t.Errorf("owes %v, want the month's 25 dollars", due)
	}
	if _, err := old.order(stripe.ProProduct, raised); reason(err) != "payment_overdue" {
		t.Errorf("an order while a payment is overdue: %v", err)
	}
	r.must(r.stripe.Advance(t.Context(), 0, 4*24*time.Hour)) // collected with the next attempt
	old.is("active", "pro", 5000)
	if due := owes(); due != nil {
		t.Errorf("still owes %v", due)
	}
	r.plan(id, stripe.BusinessPrice)
	r.settled()
	old.is("active", "business", 5000+int64(r.count(`SELECT amount FROM credit_grants WHERE user_id = $1 AND fact LIKE '%upgrade:business'`, old.id)))
	r.update(id, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	r.settled()
	if s := r.text(`SELECT status FROM subscriptions WHERE id = $1`, id); s != "cancelled" {
		t.Errorf("is %s after it was cancelled", s)
	}
	r.nothingParked()
}

// TestWhatElseStandsOnARenewal takes nobody's credits away.
func TestWhatElseStandsOnARenewal(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	for n, added := range []map[string]int64{
		{"With our apologies": -500}, {"Onboarding": 20000}, {"Free for a month": -2500}, {"With our apologies": -4000, "Training": 100},
	} {
		for what, amount := range added {
			r.must(r.stripe.AddItem(t.Context(), id, amount, what))
		}
		r.month()
		r.settled()
		p.is("active", "pro", 5000)
		if grants := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); grants != n+2 {
			t.Errorf("%v: %d grants after %d payments", added, grants, n+2)
		}
	}
	r.nothingParked()
}

// subscribesAt has sales subscribe the person at Stripe.
func (p *person) subscribesAt(price string) (subscription string) {
	p.Helper()
	customer, err := p.client().V1Customers.Create(p.Context(), &sdk.CustomerCreateParams{Email: sdk.String(p.email)})
	p.must(err)
	_, err = p.pool.Exec(p.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, $2, now())`, p.id, customer.ID)
	p.must(err)
	subscription, err = p.stripe.Subscribe(p.Context(), customer.ID, price, 1, stripe.CardWorks)
	p.must(err)
	return subscription
}

// TestAPlanThatSalesHasSold: its price is none that the settings name.
func TestAPlanThatSalesHasSold(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	const agreed = "price_acme"
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: agreed, Product: "prod_acme", Amount: 200000, Currency: "usd", Interval: "month"}))
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_once", Product: "prod_acme", Amount: 200000, Currency: "usd"}))
	for says, args := range map[string][]string{
		"no price":    {"price_nobody", "enterprise", "2000"},
		"paid once":   {"price_once", "enterprise", "2000"},
		"no plan":     {agreed, "gold", "2000"},
		"no number":   {agreed, "enterprise", "many"},
		"name the":    {agreed},
		"on the list": {agreed, "none"},
	} {
		if _, err := r.command("set-price", args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", args, err, says)
		}
	}
	if _, err := r.command("set-price", agreed, "enterprise", "2000"); err != nil {
		t.Fatal(err)
	}
	if got, want := r.recorded(), []string{"price.agreed " + agreed}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	p.subscribesAt(agreed)
	p.is("active", "enterprise", 200000)
	r.month()
	r.settled()
	p.is("active", "enterprise", 200000)
	r.nothingParked()
	if _, err := r.command("set-price", agreed, "none"); err != nil {
		t.Fatal(err)
	}
	if got, want := r.recorded(), []string{"price.agreed " + agreed, "price.dropped " + agreed}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

// recorded are what operators have done, and to what.
func (r *rig) recorded() (list []string) {
	r.Helper()
	for _, action := range audittest.Actions(r.T, r.pool) {
		if action.GetActorEmail() == "operator" {
			list = append(list, action.GetAction()+" "+action.GetSubject())
		}
	}
	return list
}
