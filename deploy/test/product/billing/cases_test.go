package billing

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/platform/waittest"
)

// TestAnOddInvoiceAlarmsOnce, until somebody accepts it, and then never again.
func TestAnOddInvoiceAlarmsOnce(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	p := r.person()
	id := p.subscribe()
	s, err := r.client().V1Subscriptions.Retrieve(t.Context(), id, nil)
	r.must(err)
	quantity := func(n int64) {
		r.update(id, &sdk.SubscriptionUpdateParams{
			Items:             []*sdk.SubscriptionUpdateItemParams{{ID: sdk.String(s.Items.Data[0].ID), Quantity: sdk.Int64(n)}},
			ProrationBehavior: sdk.String("none"),
		})
	}
	quantity(2)
	r.month()
	r.settled()
	quantity(1)
	for range 3 {
		r.month()
		r.settled()
	}
	p.is("active", "pro", 5000)
	parked := func() string {
		return r.text(`SELECT coalesce(string_agg(DISTINCT object || ' ' || reason, ', '), '') FROM stripe_events WHERE state = 'parked'`)
	}
	odd, reason, _ := strings.Cut(parked(), " ")
	if !strings.HasPrefix(odd, "in_") || reason != "odd_quantity" {
		t.Fatalf("parked: %q, want the one invoice", parked())
	}
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 4 {
		t.Errorf("%d grants for four months that were in order", n)
	}
	for _, args := range [][]string{{}, {odd}, {odd, ""}, {"the invoice", "refunded"}} {
		if _, err := r.command("accept", args...); err == nil {
			t.Errorf("%q makes sense", args)
		}
	}
	if out, err := r.command("accept", odd, "refunded in the dashboard"); err != nil || !strings.Contains(out, "evt_") {
		t.Fatalf("accepting: %q, %v", out, err)
	}
	if out, err := r.command("accept", odd, "again"); err != nil || !strings.HasPrefix(out, "known") {
		t.Errorf("accepting again: %q, %v", out, err)
	}
	if out, err := r.command("accept", odd, "again", reason); err != nil || !strings.HasPrefix(out, "known") {
		t.Errorf("accepting the same reason again: %q, %v", out, err)
	}
	if out, err := r.command("accept", odd, "again", "unknown_price"); err == nil {
		t.Errorf("accepting what was never wrong: %q", out)
	}
	if got, want := r.recorded(), []string{"billing_case.accepted " + odd}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	r.settled()
	if got := parked(); got != "" {
		t.Errorf("still parked: %s", got)
	}
	r.hears("invoice.paid", odd)
	r.month()
	r.nothingParked()
	again := r.serve()
	unfit := func() float64 { return again.metric(t, "billing_reconcile_unfit") }
	r.settled()
	if n := unfit(); n != 0 {
		t.Errorf("the reconciliation counts %v", n)
	}
}

// TestMoneyOfSomethingElse in the same account at Stripe parks nothing. What a customer of ours pays for is looked at once,
// for sales may have made it.
func TestMoneyOfSomethingElse(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.PutPrice(t.Context(), stripe.Price{ID: "price_storage", Product: "prod_storage", Amount: 900, Currency: "usd", Interval: "month"}))
	customer, err := r.client().V1Customers.Create(t.Context(), &sdk.CustomerCreateParams{Email: sdk.String("somebody@fledge.test")})
	r.must(err)
	stranger, err := r.stripe.Subscribe(t.Context(), customer.ID, "price_storage", 1, stripe.CardWorks)
	r.must(err)
	r.update(stranger, &sdk.SubscriptionUpdateParams{Metadata: map[string]string{"user_id": "4711"}}) // of that product
	other, err := r.stripe.Subscribe(t.Context(), customer.ID, "price_storage", 1, stripe.CardWorks)
	r.must(err)
	r.update(other, &sdk.SubscriptionUpdateParams{Metadata: map[string]string{"user_id": uuid.NewString()}})
	p := r.person()
	p.subscribe()
	theirs, err := r.stripe.Subscribe(t.Context(), r.text(`SELECT customer_id FROM customers WHERE user_id = $1`, p.id), "price_storage", 1, stripe.CardWorks)
	r.must(err)
	r.month()
	r.nothingParked()
	p.is("active", "pro", 5000)
	if n := r.count(`SELECT count(*) FROM subscriptions`); n != 1 {
		t.Errorf("%d subscriptions are kept", n)
	}
	if n := r.serving[0].metric(t, "billing_stripe_events_applied_total"); n == 0 {
		t.Error("nothing was counted")
	}
	compared := func() float64 {
		again := r.serve()
		waittest.Eventually(t, "it has compared", func() bool {
			return again.metricOf(t, "periodic_last_success_timestamp_seconds", "stripe_reconcile") > 0
		})
		return again.metric(t, "billing_reconcile_unfit")
	}
	if n, found := compared(), r.text(`SELECT string_agg(object || ' ' || reason, ', ') FROM odd_cases`); n == 0 || found != theirs+" unknown_price" {
		t.Errorf("the reconciliation counts %v, and %q waits", n, found)
	}
	if _, err := r.command("ignore", theirs, "Storage"); err != nil {
		t.Error(err)
	}
	if n := compared(); n != 0 {
		t.Errorf("after it was ignored, the reconciliation counts %v", n)
	}
	r.nothingParked()
}

// TestAPurchaseThatTheDatabaseHasForgotten after a restore: nobody is charged twice.
func TestAPurchaseThatTheDatabaseHasForgotten(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	p := r.person()
	p.subscribe()
	r.settled()
	r.serving[0].stop()
	for _, table := range []string{"credit_entries", "credit_grants", "credit_keys", "credit_accounts", "subscriptions", "customers", "stripe_events"} {
		_, err := r.pool.Exec(t.Context(), `SET session_replication_role = replica; DELETE FROM `+table)
		r.must(err)
	}
	r.replace(0, r.serve())
	p.is("active", "pro", 5000)
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "already_subscribed" {
		t.Errorf("an order after the restore: %v", err)
	}
	r.nothingParked()
}
