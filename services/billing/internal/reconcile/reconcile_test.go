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
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/reconcile"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
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

func (threeSold) EachEvent(context.Context, []string, time.Time, func(stripe.Event) error) error {
	return nil
}

func (threeSold) Price(context.Context, string) (stripe.Price, error) {
	return stripe.Price{}, stripe.ErrGone
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

func (*subscriptions) Lost(context.Context, string) (bool, error) { return false, nil }

// sameAccount is that of the key.
type sameAccount struct{}

func (sameAccount) Confirm(context.Context) (bool, error) { return true, nil }

// catalog offers the Pro plan, and nothing else.
func catalog(pool *pgxpool.Pool) *plan.Catalog {
	pro := plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}
	return plan.NewCatalog(pool, plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{Pro: pro}}, time.Minute)
}

// priced answers with one price, whatever is asked.
type priced struct {
	threeSold
	price stripe.Price
	err   error
}

func (p priced) Price(context.Context, string) (stripe.Price, error) { return p.price, p.err }

func TestAPriceThatDoesNotFitIsTold(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing", store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	shown, ok, err := catalog(pool).ByID(t.Context(), "pro")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	right := stripe.Price{
		ID: "price_pro", ProductID: "prod_pro", Amount: shown.PriceMonthly, Currency: "usd", Interval: "month", IntervalCount: 1, Active: true,
	}
	for name, tc := range map[string]struct {
		change func(*stripe.Price)
		err    error
		want   float64
	}{
		"the same":        {func(*stripe.Price) {}, nil, 0},
		"for nothing":     {func(p *stripe.Price) { p.Amount = 0 }, nil, 1},
		"in euros":        {func(p *stripe.Price) { p.Currency = "eur" }, nil, 1},
		"each year":       {func(p *stripe.Price) { p.Interval = "year" }, nil, 1},
		"each quarter":    {func(p *stripe.Price) { p.IntervalCount = 3 }, nil, 1},
		"once":            {func(p *stripe.Price) { p.Interval, p.IntervalCount = "", 0 }, nil, 1},
		"archived":        {func(p *stripe.Price) { p.Active = false }, nil, 1},
		"another product": {func(p *stripe.Price) { p.ProductID = "prod_business" }, nil, 1},
		"no such price":   {func(p *stripe.Price) { *p = stripe.Price{} }, stripe.ErrGone, 1},
	} {
		price := right
		tc.change(&price)
		var logs bytes.Buffer
		metrics := prometheus.NewRegistry()
		r, err := reconcile.New(pool, priced{price: price, err: tc.err}, sameAccount{}, catalog(pool), &subscriptions{}, nil, clock.System(), time.Hour,
			slog.New(slog.NewTextHandler(&logs, nil)), metrics)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Prices(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := fmt.Sprintf("# HELP billing_price_differences Prices that did not fit what they are to sell when Stripe was last asked: archived, of another product, interval or currency, or none.\n"+
			"# TYPE billing_price_differences gauge\nbilling_price_differences %v\n", tc.want)
		if err := testutil.GatherAndCompare(metrics, strings.NewReader(want), "billing_price_differences"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if told := strings.Contains(logs.String(), "plan=pro price=price_pro"); told != (tc.want > 0) {
			t.Errorf("%s: the log says %q", name, logs.String())
		}
	}
}

// TestPeopleAreShownWhatStripeCharges once a price was raised.
func TestPeopleAreShownWhatStripeCharges(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing", store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if err := catalog(pool).Agree(t.Context(), "price_agreed", "enterprise", 200000, time.Now()); err != nil {
		t.Fatal(err)
	}
	raised := stripe.Price{ID: "price_pro", ProductID: "prod_pro", Amount: 2900, Currency: "usd", Interval: "month", IntervalCount: 1, Active: true}
	r, err := reconcile.New(pool, priced{price: raised}, sameAccount{}, catalog(pool), &subscriptions{}, nil, clock.System(), time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Prices(t.Context()); err != nil {
			t.Fatal(err)
		}
		if pro, _, err := catalog(pool).ByID(t.Context(), "pro"); err != nil || pro.PriceMonthly != 2900 {
			t.Errorf("people are shown %d, %v; Stripe charges 2900", pro.PriceMonthly, err)
		}
	}
}

func TestOneReplicaComparesAtATime(t *testing.T) {
	t.Parallel()
	r, err := reconcile.New(nil, threeSold{}, sameAccount{}, nil, &subscriptions{}, nil, clock.System(), time.Hour, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Tasks()[0].Exclusive {
		t.Error("every replica compares")
	}
}

func TestOneThatFailsKeepsNoOtherFromBeingCompared(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing", store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES (gen_random_uuid(), 'cus_1', now())`); err != nil {
		t.Fatal(err)
	}
	broken, away := errors.New("broken"), fault.New(fault.Unavailable, "stripe_unavailable", "Away.")
	for _, tc := range []struct {
		refusal, err error
		asked        []string
		failed       int
	}{
		{&subscription.Unfit{Reason: subscription.OddSubscription, Object: "sub_1"}, nil, []string{"sub_1", "sub_2", "sub_3"}, 1},
		{broken, nil, []string{"sub_1", "sub_2", "sub_3"}, 1},
		{fmt.Errorf("sub_1: %w", away), away, []string{"sub_1"}, 0},
	} {
		var logs bytes.Buffer
		subs := &subscriptions{refusal: tc.refusal}
		r, err := reconcile.New(pool, threeSold{}, sameAccount{}, catalog(pool), subs, nil, clock.System(), time.Hour, slog.New(slog.NewTextHandler(&logs, nil)), prometheus.NewRegistry())
		if err != nil {
			t.Fatal(err)
		}
		result, err := r.Run(t.Context())
		if !errors.Is(err, tc.err) || !slices.Equal(subs.asked, tc.asked) || result.Failed != tc.failed {
			t.Errorf("%v: %+v, %v; asked for %v", tc.refusal, result, err, subs.asked)
		}
		if told := strings.Contains(logs.String(), "cannot be applied"); told != (tc.failed > 0) {
			t.Errorf("%v: the log says %q", tc.refusal, logs.String())
		}
	}
}
