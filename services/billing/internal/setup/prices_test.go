package setup_test

import (
	"bytes"
	"context"
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
	"fledge.dev/services/billing/internal/setup"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

// catalog offers the Pro plan, and nothing else.
func catalog(pool *pgxpool.Pool) *plan.Catalog {
	pro := plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}
	return plan.NewCatalog(pool, plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{Pro: pro}}, time.Minute)
}

// priced answers with one price, whatever is asked.
type priced struct {
	setup.Stripe
	price    stripe.Price
	err      error
	archived bool // its product
}

func (p priced) Product(context.Context, string) (stripe.Product, error) {
	return stripe.Product{Active: !p.archived}, nil
}

func (p priced) Price(context.Context, string) (stripe.Price, error) { return p.price, p.err }

const archivedProduct = "an archived product"

func TestAPriceThatDoesNotFitIsTold(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
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
		"by usage":        {func(p *stripe.Price) { p.Metered = true }, nil, 1},
		"archived":        {func(p *stripe.Price) { p.Active = false }, nil, 1},
		"another product": {func(p *stripe.Price) { p.ProductID = "prod_business" }, nil, 1},
		"no such price":   {func(p *stripe.Price) { *p = stripe.Price{} }, stripe.ErrGone, 1},
		archivedProduct:   {func(*stripe.Price) {}, nil, 1},
	} {
		price := right
		tc.change(&price)
		var logs bytes.Buffer
		metrics := prometheus.NewRegistry()
		r, err := setup.New(priced{price: price, err: tc.err, archived: name == archivedProduct}, nil, catalog(pool), clock.System(), setup.Config{Every: time.Hour}, slog.New(slog.NewTextHandler(&logs, nil)), metrics)
		errtest.None(t, err)
		if _, err := r.Prices(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := fmt.Sprintf("# HELP billing_price_differences Prices that did not fit what they are to sell when Stripe was last asked: archived, of another product, interval or currency, or none.\n"+
			"# TYPE billing_price_differences gauge\nbilling_price_differences %v\n", tc.want)
		if err := testutil.GatherAndCompare(metrics, strings.NewReader(want), "billing_price_differences"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if pro, _, err := catalog(pool).ByID(t.Context(), "pro"); err != nil || (pro.OnSale() == plan.Offer{}) != (tc.want > 0) || pro.PriceMonthly != shown.PriceMonthly {
			t.Errorf("%s: on sale at %v for %d, %v", name, pro.OnSale(), pro.PriceMonthly, err)
		}
		if told := strings.Contains(logs.String(), "plan=pro price=price_pro"); told != (tc.want > 0) {
			t.Errorf("%s: the log says %q", name, logs.String())
		}
	}
}

// TestPeopleAreShownWhatStripeCharges once a price was raised.
func TestPeopleAreShownWhatStripeCharges(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	errtest.None(t, catalog(pool).Agree(t.Context(), "price_agreed", "enterprise", 200000, time.Now()))
	raised := stripe.Price{ID: "price_pro", ProductID: "prod_pro", Amount: 2900, Currency: "usd", Interval: "month", IntervalCount: 1, Active: true}
	r, err := setup.New(priced{price: raised}, nil, catalog(pool), clock.System(), setup.Config{Every: time.Hour}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	for range 2 {
		if _, err := r.Prices(t.Context()); err != nil {
			t.Fatal(err)
		}
		if pro, _, err := catalog(pool).ByID(t.Context(), "pro"); err != nil || pro.PriceMonthly != 2900 {
			t.Errorf("people are shown %d, %v; Stripe charges 2900", pro.PriceMonthly, err)
		}
	}
}

// TestAPriceByTheYearIsComparedToo, and is no price by the month.
func TestAPriceByTheYearIsComparedToo(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	plans := plan.NewCatalog(pool, plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{
		Pro: plan.Offer{ProductID: "prod_pro", PriceID: "price_pro", AnnualPriceID: "price_pro_year"},
	}}, time.Minute)
	for _, step := range []struct {
		interval, bad string
		onSale        plan.Offer
	}{
		{"year", "price_pro", plan.Offer{}},
		// What those pay who have it by the year stays known.
		{"month", "price_pro_year", plan.Offer{ProductID: "prod_pro", PriceID: "price_pro"}},
	} {
		interval, bad := step.interval, step.bad
		price := stripe.Price{ID: "x", ProductID: "prod_pro", Amount: 25000, Currency: "usd", Interval: interval, IntervalCount: 1, Active: true}
		c, err := setup.New(priced{price: price}, nil, plans, clock.System(), setup.Config{Every: time.Hour}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		errtest.None(t, err)
		said, err := c.Prices(t.Context())
		if err != nil || len(said) != 1 || !strings.Contains(said[0], bad+", which does not fit") {
			t.Errorf("all by the %s: %q, %v", interval, said, err)
		}
		if pro, _, err := plans.ByID(t.Context(), "pro"); err != nil || pro.PriceYearly != 25000 || pro.OnSale() != step.onSale {
			t.Errorf("all by the %s: %d a year, on sale is %v, %v", interval, pro.PriceYearly, pro.OnSale(), err)
		}
	}
}

// TestAKeyThatMayNotReadPricesIsADifference, and the plans are sold as before.
func TestAKeyThatMayNotReadPricesIsADifference(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	c, err := setup.New(priced{err: stripe.Refused.Wrap(stripe.ErrRefused)}, nil, catalog(pool), clock.System(), setup.Config{Every: time.Hour}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	said, err := c.Prices(t.Context())
	if err != nil || len(said) != 1 || !strings.Contains(said[0], "may not read prices") || !slices.Equal(c.Found(), said) {
		t.Errorf("%q, and kept %q, %v", said, c.Found(), err)
	}
	if pro, _, err := catalog(pool).ByID(t.Context(), "pro"); err != nil || pro.OnSale().PriceID != "price_pro" {
		t.Errorf("on sale at %v, %v", pro.OnSale(), err)
	}
}

// TestAPackIsSoldAtWhatStripeCharges once, and not at all at a price that nobody can pay once.
func TestAPackIsSoldAtWhatStripeCharges(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, "billing", store.Migrate)
	plans := plan.NewCatalog(pool, plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{Packs: plan.Packs{"price_pack": 20}}}, time.Minute)
	right := stripe.Price{ID: "price_pack", ProductID: "prod_pack", Amount: 1200, Currency: "eur", Active: true}
	for _, step := range []struct {
		name   string
		change func(*stripe.Price)
		err    error
		want   string // what is told; nothing of a pack that is sold
	}{
		{"never asked for before", func(p *stripe.Price) { *p = stripe.Price{} }, stripe.ErrGone, "Stripe has no such price"},
		{"right", func(*stripe.Price) {}, nil, ""},
		{"raised", func(p *stripe.Price) { p.Amount = 1500 }, nil, ""},
		{"archived", func(p *stripe.Price) { p.Active = false }, nil, "archived"},
		{"each month", func(p *stripe.Price) { p.Interval, p.IntervalCount = "month", 1 }, nil, "paid each month, not once"},
		{"by tiers", func(p *stripe.Price) { p.Amount = 0 }, nil, "no single amount"},
		{"right again", func(*stripe.Price) {}, nil, ""},
	} {
		price := right
		step.change(&price)
		c, err := setup.New(priced{price: price, err: step.err}, nil, plans, clock.System(), setup.Config{Every: time.Hour}, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		errtest.None(t, err)
		said, err := c.Prices(t.Context())
		if told := strings.Join(said, " "); err != nil || (step.want == "") != (told == "") || !strings.Contains(told, step.want) {
			t.Errorf("%s: %q, %v", step.name, said, err)
		}
		sold, err := plans.Packs(t.Context())
		want := plan.Pack{ProductID: "prod_pack", PriceID: "price_pack", Credits: 2000, Amount: price.Amount, Currency: "eur"}
		if err != nil || len(sold) > 1 || (len(sold) == 1) != (step.want == "") || len(sold) == 1 && sold[0] != want {
			t.Errorf("%s: sold are %+v, %v", step.name, sold, err)
		}
	}
}
