package reconcile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/reconcile"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

// threeSold has three subscriptions of one customer that we have never heard of.
type threeSold struct{}

func (threeSold) EachSubscription(_ context.Context, fn func(stripe.Subscription) error) error {
	for n := 1; n <= 3; n++ {
		if err := fn(stripe.Subscription{ID: fmt.Sprintf("sub_%d", n), CustomerID: "cus_1", Status: "active"}); err != nil {
			return err
		}
	}
	return nil
}

func (threeSold) EachPaidInvoice(context.Context, time.Time, func(stripe.Invoice) error) error {
	return nil
}

func (threeSold) EachPack(context.Context, time.Time, func(stripe.Checkout) error) error {
	return nil
}

func (threeSold) EachEvent(context.Context, []string, time.Time, func(stripe.Event) error) error {
	return nil
}

// subscriptions refuse the first subscription that they are given.
type subscriptions struct {
	refusal error
	asked   []string
}

func (k *subscriptions) Sync(_ context.Context, id string) error {
	if k.asked = append(k.asked, id); len(k.asked) == 1 {
		return k.refusal
	}
	return nil
}

func (*subscriptions) SyncPack(context.Context, string) error { return nil }

// packs are complete at Stripe; each gives its credits when it is applied.
type packs struct {
	threeSold
	subscriptions
	pool *pgxpool.Pool
	sold []string
	// lost are those whose money did not come.
	lost    []string
	applied []string
}

func (p *packs) EachSubscription(context.Context, func(stripe.Subscription) error) error { return nil }

func (p *packs) EachPack(_ context.Context, _ time.Time, fn func(stripe.Checkout) error) error {
	for _, id := range p.sold {
		if err := fn(stripe.Checkout{ID: id}); err != nil {
			return err
		}
	}
	return nil
}

func (p *packs) SyncPack(ctx context.Context, id string) error {
	p.applied = append(p.applied, id)
	if slices.Contains(p.lost, id) {
		return nil
	}
	_, err := p.pool.Exec(ctx, `WITH owner AS (INSERT INTO credit_accounts (user_id, updated_at) VALUES (gen_random_uuid(), now()) RETURNING user_id)
		INSERT INTO credit_grants (user_id, fact, series, replaces, reference, description, amount, remaining, period_start, period_end, expires_at, created_at)
		SELECT user_id, $1, $1, false, $1, 'Extra credits', 100, 100, now(), now() + interval '1 day', now() + interval '1 day', now() FROM owner`, subscription.PackFact(id))
	return err
}

// TestEachPackIsAppliedOnce, be it on its way, complete or both, and counted if it was given.
func TestEachPackIsAppliedOnce(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	if _, err := pool.Exec(t.Context(), `INSERT INTO packs_on_their_way (checkout_id, user_id, credits, since)
		SELECT unnest(ARRAY['cs_old', 'cs_both', 'cs_lost']), gen_random_uuid(), 100, now()`); err != nil {
		t.Fatal(err)
	}
	p := &packs{pool: pool, sold: []string{"cs_both", "cs_new", "cs_lost"}, lost: []string{"cs_lost"}}
	r, err := reconcile.New(pool, p, sameAccount{}, p, nil, clock.System(), time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	result, err := r.Run(t.Context())
	slices.Sort(p.applied)
	if want := []string{"cs_both", "cs_lost", "cs_new", "cs_old"}; err != nil || !slices.Equal(p.applied, want) || result.Repaired != 3 || result.Failed != 0 {
		t.Errorf("applied %q, %+v, %v", p.applied, result, err)
	}
}

// untaxed is a subscription that we know, whose taxes Stripe has switched off.
type untaxed struct {
	threeSold
	status string
}

func (u untaxed) EachSubscription(_ context.Context, fn func(stripe.Subscription) error) error {
	at := time.Unix(0, 0)
	return fn(stripe.Subscription{ID: "sub_tax", CustomerID: "cus_1", Status: u.status, PriceID: "price_pro", PeriodStart: at, PeriodEnd: at, Created: at, TaxStopped: true})
}

// TestASubscriptionWithoutItsTaxesIsACase, until somebody accepts it or it ends.
func TestASubscriptionWithoutItsTaxesIsACase(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	run := func(query string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	run(`WITH owner AS (INSERT INTO customers (user_id, customer_id, created_at) VALUES (gen_random_uuid(), 'cus_1', now()) RETURNING user_id)
		INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at, monthly_amount, period_amount)
		SELECT 'sub_tax', user_id, 'active', 'active', 'pro', 'price_pro', to_timestamp(0), to_timestamp(0), to_timestamp(0), now(), 0, 0 FROM owner`)
	is := func(status string, want int) {
		t.Helper()
		subs := &subscriptions{}
		r, err := reconcile.New(pool, untaxed{status: status}, sameAccount{}, subs, nil, clock.System(), time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		errtest.None(t, err)
		result, err := r.Run(t.Context())
		var waits int
		errtest.None(t, pool.QueryRow(t.Context(), `SELECT count(*) FROM odd_cases WHERE object = 'sub_tax' AND subscription_id = 'sub_tax' AND reason = 'tax_stopped'`).Scan(&waits))
		if err != nil || result.Failed != want || waits != want || len(subs.asked) > 0 {
			t.Errorf("%s: %+v, %v, and %d cases, want %d; asked for %q", status, result, err, waits, want, subs.asked)
		}
	}
	is("active", 1)
	is("active", 1)
	run(`INSERT INTO accepted_cases (object, reason, accepted_at, causes) VALUES ('sub_tax', 'not to be taxed', now(), ARRAY['tax_stopped'])`)
	is("active", 0)
	run(`DELETE FROM accepted_cases`)
	run(`UPDATE subscriptions SET stripe_status = 'canceled', status = 'free'`)
	is("canceled", 0)
}

func (*subscriptions) Ours(_ context.Context, s stripe.Subscription) (stripe.Subscription, error) {
	return s, nil
}

func (*subscriptions) Next(context.Context, stripe.Subscription) (string, time.Time, error) {
	return "", time.Time{}, nil
}

func (*subscriptions) Lost(context.Context, string) (bool, error) { return false, nil }

// TestWhatStripeNeverListsIsNoRepair, such as a subscription with a test clock: it is applied each time all the same.
func TestWhatStripeNeverListsIsNoRepair(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	if _, err := pool.Exec(t.Context(), `WITH owner AS (INSERT INTO customers (user_id, customer_id, created_at) VALUES (gen_random_uuid(), 'cus_1', now()) RETURNING user_id)
		INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at, monthly_amount, period_amount)
		SELECT 'sub_clock', user_id, 'active', 'active', 'pro', 'price_pro', to_timestamp(0), to_timestamp(1), to_timestamp(0), now(), 0, 0 FROM owner`); err != nil {
		t.Fatal(err)
	}
	for _, refusal := range []error{nil, &subscription.Unfit{Reason: subscription.OddSubscription, Object: "sub_clock"}} {
		p := &packs{pool: pool, subscriptions: subscriptions{refusal: refusal}} // it lists no subscription
		r, err := reconcile.New(pool, p, sameAccount{}, p, nil, clock.System(), time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		errtest.None(t, err)
		result, err := r.Run(t.Context())
		if err != nil || !slices.Equal(p.asked, []string{"sub_clock"}) || result.Repaired != 0 || result.Failed != 0 != (refusal != nil) {
			t.Errorf("%v: applied %q, %+v, %v", refusal, p.asked, result, err)
		}
	}
}

// sameAccount is that of the key.
type sameAccount struct{}

func (sameAccount) Confirm(context.Context) (bool, error) { return true, nil }

func TestOneReplicaComparesAtATime(t *testing.T) {
	t.Parallel()
	r, err := reconcile.New(nil, threeSold{}, sameAccount{}, &subscriptions{}, nil, clock.System(), time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	if !r.Tasks()[0].Exclusive {
		t.Error("every replica compares")
	}
}

func TestOneThatFailsKeepsNoOtherFromBeingCompared(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	if _, err := pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES (gen_random_uuid(), 'cus_1', now())`); err != nil {
		t.Fatal(err)
	}
	broken, away := errors.New("broken"), fault.New(fault.Unavailable, "stripe_unavailable", "Away.")
	for _, tc := range []struct {
		refusal, err error
		asked        []string
		failed       int
		// waits is what waits for somebody's decision afterwards.
		waits string
	}{
		{&subscription.Unfit{Reason: subscription.OddSubscription, Object: "sub_1"}, nil, []string{"sub_1", "sub_2", "sub_3"}, 1, "sub_1"},
		{fmt.Errorf("sub_1: %w", away), away, []string{"sub_1"}, 0, "sub_1"},
		{broken, nil, []string{"sub_1", "sub_2", "sub_3"}, 1, ""},
	} {
		var logs bytes.Buffer
		subs := &subscriptions{refusal: tc.refusal}
		r, err := reconcile.New(pool, threeSold{}, sameAccount{}, subs, nil, clock.System(), time.Hour, slog.New(slog.NewTextHandler(&logs, nil)), prometheus.NewRegistry())
		errtest.None(t, err)
		result, err := r.Run(t.Context())
		if !errors.Is(err, tc.err) || !slices.Equal(subs.asked, tc.asked) || result.Failed != tc.failed {
			t.Errorf("%v: %+v, %v; asked for %v", tc.refusal, result, err, subs.asked)
		}
		var waits string
		if err := pool.QueryRow(t.Context(), "SELECT coalesce(string_agg(object, ' '), '') FROM odd_cases").Scan(&waits); err != nil || waits != tc.waits {
			t.Errorf("%v: %q waits, %v; want %q", tc.refusal, waits, err, tc.waits)
		}
		if told := strings.Contains(logs.String(), "cannot be applied"); told != (tc.failed > 0) {
			t.Errorf("%v: the log says %q", tc.refusal, logs.String())
		}
	}
}
