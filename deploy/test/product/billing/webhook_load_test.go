package billing

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/waittest"

	"fledge.dev/deploy/standins/stripe"
)

// bought is people with a subscription each. What Stripe has to tell stays with it.
func (r *rig) bought(n int) (subscriptions []string) {
	r.Helper()
	for range n {
		p := r.person()
		page, err := p.order(stripe.ProProduct, stripe.ProPrice)
		r.must(err)
		r.must(r.stripe.PayCheckout(r.Context(), page.GetSessionId(), stripe.CardWorks))
		checkout, err := r.client().V1CheckoutSessions.Retrieve(r.Context(), page.GetSessionId(), nil)
		r.must(err)
		subscriptions = append(subscriptions, checkout.Subscription.ID)
	}
	return subscriptions
}

// histories gives each subscription a different history, over two months. Upgrades happen right
// after the purchase, and get the whole difference.
func (r *rig) histories(subscriptions []string) {
	r.Helper()
	for i, id := range subscriptions {
		switch i % 5 {
		case 1:
			r.plan(id, stripe.BusinessPrice)
		case 2:
			r.update(id, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
		case 3:
			r.must(r.stripe.FailPayments(r.Context(), id, 1))
		case 4:
			r.plan(id, stripe.BusinessPrice)
			r.plan(id, stripe.ProPrice)
		}
	}
	r.month()
	r.must(r.stripe.Advance(r.Context(), 0, 8*24*time.Hour))
}

// equal fails unless all that Stripe has is what we have, with each period granted
// once.
func (r *rig) equal() {
	r.Helper()
	paid := map[string]int{}
	for i, err := range r.client().V1Invoices.List(r.Context(), &sdk.InvoiceListParams{Status: sdk.String("paid")}).All(r.Context()) {
		r.must(err)
		if i.BillingReason != "subscription_update" {
			paid[i.Parent.SubscriptionDetails.Subscription.ID]++
		}
	}
	for s, err := range r.client().V1Subscriptions.List(r.Context(), &sdk.SubscriptionListParams{Status: sdk.String("all")}).All(r.Context()) {
		r.must(err)
		item := s.Items.Data[0]
		want := fmt.Sprintf("%s %s %d", s.Status, item.Price.ID, item.CurrentPeriodEnd)
		got := r.text(`SELECT format('%s %s %s', stripe_status, price_id, extract(epoch FROM period_end)::bigint) FROM subscriptions WHERE id = $1`, s.ID)
		if got != want {
			r.Errorf("%s is %q, want %q", s.ID, got, want)
		}
		if n := r.count(`SELECT count(*) FROM credit_grants WHERE series = $1 AND fact LIKE '%/base'`, s.ID); n != paid[s.ID] {
			r.Errorf("%s has %d grants for %d paid periods", s.ID, n, paid[s.ID])
		}
	}
	for what, query := range map[string]string{
		"doubled grants":         `SELECT count(*) FROM (SELECT 1 FROM credit_grants GROUP BY series, period_start, split_part(fact, '/', 3) HAVING count(*) > 1) d`,
		"negative balances":      `SELECT count(*) FROM credit_accounts WHERE balance < 0 OR held < 0`,
		"entries that differ":    `SELECT count(*) FROM credit_accounts a WHERE balance <> (SELECT sum(amount) FROM credit_entries e WHERE e.user_id = a.user_id)`,
		"parked events":          `SELECT count(*) FROM stripe_events WHERE state = 'parked'`,
		"wrong numbers of rises": `SELECT count(*) FROM credit_grants WHERE fact LIKE '%/upgrade:%' AND amount <> 5000`,
	} {
		if n := r.count(query); n != 0 {
			r.Errorf("%d %s", n, what)
		}
	}
}

// TestALoadOfWebhooks delivers webhooks out of order and several times, to two instances
// of which one is stopped in between.
func TestALoadOfWebhooks(t *testing.T) {
	if testing.Short() {
		t.Skip("delivers some hundred events in seven copies to two replicas, which takes minutes: `make test-long`")
	}
	t.Parallel()
	r := start(t, 2)
	r.must(r.stripe.SetDelivery(stripe.Delivery{Held: true, Shuffled: true, Copies: 7, Parallel: 16, Seed: 1}))
	r.histories(r.bought(20))
	r.must(r.stripe.SetDelivery(stripe.Delivery{Shuffled: true, Copies: 7, Parallel: 16, Seed: 1}))
	waittest.Eventually(t, "half an outage's worth of events", func() bool { return r.stripe.Deliveries().Delivered > 60 })
	r.serving[1].stop()
	r.replace(1, r.serve())
	r.settled()
	r.equal()
}

func TestLostWebhooksAreMadeUpFor(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.SetDelivery(stripe.Delivery{Drop: 1}))
	waittest.Eventually(t, "the reconciliation of the start is over", func() bool {
		return r.serving[0].metricOf(t, "periodic_last_success_timestamp_seconds", "stripe_reconcile") > 0
	})
	ids := r.bought(5)
	r.histories(ids)
	if n := r.count(`SELECT count(*) FROM credit_grants`); n != 0 {
		t.Fatalf("%d grants without any event", n)
	}
	r.serving[0].stop() // the reconciliation runs at the start
	r.replace(0, r.serve())
	waittest.Eventually(t, "all is repaired", func() bool {
		return r.count(`SELECT count(*) FROM credit_grants WHERE fact LIKE '%/base'`) == 9 && r.count(`SELECT count(*) FROM subscriptions`) == 5
	})
	r.equal()
}

// deliver signs a body as Stripe does.
func (r *rig) deliver(body, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	_, err := r.serving[0].ReceiveStripeEvent(r.Context(), &billingv1.ReceiveStripeEventRequest{
		Payload: []byte(body), Signature: fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil))),
	})
	return reason(err)
}

func TestWhatCannotBeAppliedIsParkedWithoutCredits(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	now := time.Now()
	event := func(id, kind, object string, live bool) string {
		return fmt.Sprintf(`{"id":%q,"object":"event","type":%q,"livemode":%t,"created":%d,"data":{"object":{"id":%q}}}`, id, kind, live, now.Unix(), object)
	}
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_other", Product: "prod_other", Amount: 100, Currency: "usd", Interval: "month"}))
	stranger, err := r.client().V1Customers.Create(t.Context(), &sdk.CustomerCreateParams{Metadata: map[string]string{"user_id": r.person().id.String()}})
	r.must(err)
	foreign, err := r.stripe.Subscribe(t.Context(), stranger.ID, stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	p := r.person()
	_, err = p.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	customer := r.text(`SELECT customer_id FROM customers WHERE user_id = $1`, p.id)
	other, err := r.stripe.Subscribe(t.Context(), customer, "price_other", 1, stripe.CardWorks)
	r.must(err)
	odd, err := r.stripe.Subscribe(t.Context(), customer, "price_other", 1, stripe.CardWorks)
	r.must(err)
	r.update(odd, &sdk.SubscriptionUpdateParams{Metadata: map[string]string{"user_id": p.id.String()}})
	many, err := r.stripe.Subscribe(t.Context(), customer, stripe.ProPrice, 3, stripe.CardWorks)
	r.must(err)
	twice, err := r.client().V1Subscriptions.Retrieve(t.Context(), many, nil)
	r.must(err)
	r.settled()
	for id, tc := range map[string]struct {
		object string
		live   bool
		want   string
	}{
		"evt_forged":  {"sub_forged", false, "parked not_at_stripe"},
		"evt_foreign": {foreign, false, "parked unknown_customer"},
		"evt_other":   {other, false, "ignored "},
		"evt_odd":     {odd, false, "parked unknown_price"},
		"evt_many":    {twice.LatestInvoice.ID, false, "parked odd_quantity"},
		"evt_itself":  {many, false, "applied "},
		"evt_live":    {many, true, "wrong_mode "},
		"evt_nothing": {"", false, "ignored "},
	} {
		kind := "customer.subscription.updated"
		if strings.HasPrefix(tc.object, "in_") {
			kind = "invoice.paid"
		}
		if got := r.deliver(event(id, kind, tc.object, tc.live), stripe.WebhookSecret, now); got != "" {
			t.Errorf("%s: %s", id, got)
		}
		r.settled()
		if got := r.text(`SELECT state || ' ' || reason FROM stripe_events WHERE id = $1`, id); got != tc.want {
			t.Errorf("%s is %q, want %q", id, got, tc.want)
		}
	}
	body := event("evt_signed", "invoice.paid", "in_1", false)
	for what, got := range map[string]string{
		"":                  r.deliver(body, stripe.OldSecret, now),
		"invalid_signature": r.deliver(body, "whsec_another", now),
		"thin_event":        r.deliver(`{"id":"evt_test_1","object":"v2.core.event","type":"v1.invoice.paid","created":"2026-03-01T00:00:00Z"}`, stripe.WebhookSecret, now),
		"invalid_event":     r.deliver("{}", stripe.WebhookSecret, now),
		"event_too_large":   r.deliver(body+string(bytes.Repeat([]byte{' '}, 1<<20)), stripe.WebhookSecret, now),
	} {
		if got != what {
			t.Errorf("got %q, want %q", got, what)
		}
	}
	if got := r.deliver(body, stripe.WebhookSecret, now.Add(-310*time.Second)); got != "invalid_signature" {
		t.Errorf("an old delivery: %q", got)
	}
	if n := r.count(`SELECT count(*) FROM credit_grants`); n != 0 {
		t.Errorf("%d grants", n)
	}
}

// TestNothingIsAskedBeforeTheAnswer: Stripe waits for the answer, so it asks nobody.
func TestNothingIsAskedBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.closeStripe()
	var running sync.WaitGroup
	for n := range 100 {
		running.Go(func() {
			body := fmt.Sprintf(`{"id":"evt_%d","object":"event","type":"invoice.paid","livemode":false,"created":1,"data":{"object":{"id":"in_%d"}}}`, n%50, n)
			if got := r.deliver(body, stripe.WebhookSecret, time.Now()); got != "" {
				t.Error(got)
			}
		})
	}
	running.Wait()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE state = 'pending'`); n != 50 {
		t.Errorf("%d events wait for Stripe, want 50", n)
	}
}
