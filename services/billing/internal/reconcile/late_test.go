package reconcile_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/reconcile"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

// listing is a Stripe that lists one subscription, young invoices of somebody and of an erased account, and the payments of
// those and of an old one.
type listing struct {
	threeSold
	sold stripe.Subscription
}

func (l listing) EachSubscription(_ context.Context, fn func(stripe.Subscription) error) error {
	return fn(l.sold)
}

func (listing) EachPaidInvoice(_ context.Context, _ time.Time, fn func(stripe.Invoice) error) error {
	return errors.Join(fn(stripe.Invoice{ID: "in_young"}), fn(stripe.Invoice{ID: "in_left", CustomerID: "cus_2", SubscriptionID: "sub_2"}),
		fn(stripe.Invoice{ID: "in_left_too", CustomerID: "cus_2", SubscriptionID: "sub_2"}))
}

func (listing) EachEvent(_ context.Context, types []string, _ time.Time, fn func(stripe.Event) error) error {
	for _, object := range []string{"in_young", "in_left", "in_left_too", "in_old"} {
		if !slices.Contains(types, "invoice.paid") {
			continue
		}
		if err := fn(stripe.Event{ID: "evt_" + object, Type: "invoice.paid", Object: object}); err != nil {
			return err
		}
	}
	return nil
}

// changing subscriptions are known to change to a plan at a time.
type changing struct {
	subscriptions
	plan string
	at   time.Time
	held bool
	// waits says that its first payment is on its way, and costs is what Stripe lists.
	waits bool
	costs int64
}

func (*changing) Ours(_ context.Context, s stripe.Subscription) (stripe.Subscription, error) {
	return s, nil
}

func (c *changing) Next(context.Context, stripe.Subscription) (string, time.Time, error) {
	return c.plan, c.at, nil
}

// compared runs one comparison of what is listed over a database that has the same subscription, which
// changes to Business at the end of its period if that is known.
func compared(t *testing.T, changes bool, subs *changing) (reconcile.Result, *pgxpool.Pool) {
	t.Helper()
	url := pgtest.New(t, "billing", store.Migrate)
	errtest.None(t, webhook.Migrate(t.Context(), url))
	pool := pgtest.Open(t, url)
	sold := stripe.Subscription{ID: "sub_1", CustomerID: "cus_1", Status: "active", PriceID: "price_1", PeriodStart: start, PeriodEnd: end, NextPriceID: "price_2", NextAt: end, Held: subs.held, Monthly: cmp.Or(subs.costs, 2500), PeriodAmount: cmp.Or(subs.costs, 2500)}
	_, err := pool.Exec(t.Context(), `WITH owner AS (INSERT INTO customers (user_id, customer_id, created_at) VALUES (gen_random_uuid(), 'cus_1', now()) RETURNING user_id)
		INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, monthly_amount, period_amount, next_plan_id, next_at, created_at, updated_at)
		SELECT 'sub_1', user_id, 'active', CASE WHEN @waits THEN 'processing' ELSE 'active' END, 'pro', 'price_1', @start, @end::timestamptz, 2500, 2500, CASE WHEN @changes THEN 'business' END, CASE WHEN @changes THEN @end::timestamptz END, @start, @start FROM owner`,
		pgx.NamedArgs{"start": start, "end": end, "changes": changes, "waits": subs.waits})
	errtest.None(t, err)
	_, err = pool.Exec(t.Context(), `WITH left_us AS (INSERT INTO customers (user_id, customer_id, created_at) VALUES (gen_random_uuid(), 'cus_2', now()) RETURNING user_id)
		INSERT INTO account_states (user_id, state, since) SELECT user_id, 'erased', now() FROM left_us`)
	errtest.None(t, err)
	log, reg := slog.New(slog.DiscardHandler), prometheus.NewRegistry()
	queue, err := webhook.NewQueue(pool, reg, log)
	errtest.None(t, err)
	inbox := webhook.NewInbox(pool, nil, queue, clock.System(), webhook.Config{Deadline: time.Minute}, log)
	r, err := reconcile.New(pool, listing{sold: sold}, sameAccount{}, subs, inbox, clock.System(), time.Hour, log, reg)
	errtest.None(t, err)
	result, err := r.Run(t.Context())
	errtest.None(t, err)
	return result, pool
}

var (
	start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	end   = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
)

// TestOnlyAChangeOfPlanIsADifference: one of the price alone is repaired by nothing.
func TestOnlyAChangeOfPlanIsADifference(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		known    bool
		at       changing
		repaired bool
	}{
		"of the price alone":  {false, changing{}, false},
		"that is known":       {true, changing{plan: "business", at: end}, false},
		"that is not known":   {false, changing{plan: "business", at: end}, true},
		"to another plan":     {true, changing{plan: "enterprise", at: end}, true},
		"at another time":     {true, changing{plan: "business", at: start}, true},
		"that was taken back": {true, changing{}, true},
		"of who has to pay":   {true, changing{plan: "business", at: end, held: true}, true},
		"before it is paid":   {true, changing{plan: "business", at: end, held: true, waits: true}, false},
		"of what it costs":    {true, changing{plan: "business", at: end, costs: 2900}, true},
	} {
		subs := &tc.at
		result, _ := compared(t, tc.known, subs)
		if repaired := len(subs.asked) > 0; repaired != tc.repaired {
			t.Errorf("a change %s: %+v, applied %v", name, result, subs.asked)
		}
	}
}

// TestALatePaymentWhoseEventWasLostIsFound, once, and those of an erased account, whose invoices are compared with nothing;
// that of an invoice which was compared is not fetched.
func TestALatePaymentWhoseEventWasLostIsFound(t *testing.T) {
	t.Parallel()
	result, pool := compared(t, false, &changing{})
	var fetched string
	if err := pool.QueryRow(t.Context(), "SELECT string_agg(object || ' ' || state, ',' ORDER BY object) FROM stripe_events").Scan(&fetched); err != nil || fetched != "in_left pending,in_left_too pending,in_old pending" || result.Repaired != 3 {
		t.Errorf("fetched %q, %v, %+v", fetched, err, result)
	}
}
