package plan_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

func newCatalog(t *testing.T, key string) *plan.Catalog {
	t.Helper()
	return newCatalogOf(t, plan.Config{PublishableKey: key, Test: offers("t"), Live: offers("l")})
}

func newCatalogOf(t *testing.T, cfg plan.Config) *plan.Catalog {
	t.Helper()
	pool := pgtest.Pool(t, "billing_plan", store.Migrate)
	return plan.NewCatalog(pool, cfg, 10*time.Second)
}

func TestThePlansAreTheThreeThatAreSold(t *testing.T) {
	t.Parallel()
	plans, err := newCatalog(t, "pk_live_1").List(t.Context())
	if err != nil || len(plans) != 3 {
		t.Fatalf("%d plans, %v", len(plans), err)
	}
	for i, want := range []struct {
		id, name       string
		price, credits int64
		sales          bool
		offer          plan.Offer
	}{
		{"pro", "Pro", 2500, 5000, false, plan.Offer{ProductID: "prod_pro_l", PriceID: "price_pro_l"}},
		{"business", "Business", 5000, 10000, false, plan.Offer{ProductID: "prod_business_l", PriceID: "price_business_l"}},
		{"enterprise", "Enterprise", 0, 0, true, plan.Offer{}},
	} {
		p := plans[i]
		if p.ID != want.id || p.Name != want.name || p.PriceMonthly != want.price || p.MonthlyCredits != want.credits ||
			p.ContactSales != want.sales || p.Offer != want.offer || p.Description == "" {
			t.Errorf("plan %d is %+v, want %+v", i, p, want)
		}
	}
	texts := func(p plan.Plan) (list []string) {
		for _, f := range p.Features {
			list = append(list, f.Text)
		}
		return list
	}
	if got := texts(plans[0]); !slices.Equal(got, []string{"Swift UI support", "AI Design System", "Priority Support"}) {
		t.Errorf("Pro has %q", got)
	}
	if len(texts(plans[1])) == 0 || len(texts(plans[2])) != 5 {
		t.Errorf("Business has %q, Enterprise %q", texts(plans[1]), texts(plans[2]))
	}
}

func TestTheSiteIsTestedWithThePlansThatAreSold(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../web/src/testing/plans.json")
	errtest.None(t, err)
	var shown []struct {
		ID             string         `json:"id"`
		Name           string         `json:"name"`
		Description    string         `json:"description"`
		MonthlyCredits int64          `json:"monthly_credits"`
		PriceMonthly   int64          `json:"price_monthly"`
		Features       []plan.Feature `json:"features"`
		ContactSales   bool           `json:"contactSales"`
	}
	errtest.None(t, json.Unmarshal(text, &shown))
	sold, err := newCatalog(t, "").List(t.Context())
	if err != nil || len(sold) != len(shown) {
		t.Fatalf("%d plans are sold, %d shown: %v", len(sold), len(shown), err)
	}
	for i, s := range shown {
		want := plan.Plan{
			ID: s.ID, Name: s.Name, Description: s.Description, MonthlyCredits: 100 * s.MonthlyCredits,
			PriceMonthly: 100 * s.PriceMonthly, Features: s.Features, ContactSales: s.ContactSales, PriceFits: true, YearlyFits: true,
		}
		if !reflect.DeepEqual(sold[i], want) {
			t.Errorf("sold is %+v, shown %+v", sold[i], want)
		}
	}
}

func TestAProductDecidesThePlanInItsOwnModeOnly(t *testing.T) {
	t.Parallel()
	type sold struct{ price, product, plan string }
	for key, list := range map[string][]sold{
		"pk_test_1": {
			{"price_pro_t", "prod_pro_t", "pro"}, {"price_business_t", "prod_business_t", "business"}, {"price_of_before", "prod_pro_t", "pro"},
			{"price_pro_t", "", "pro"}, {"price_business_t", "prod_pro_t", "business"}, {"price_pro_l", "prod_pro_l", ""}, {"price_other", "prod_other", ""}, {"", "", ""},
		},
		"pk_live_1": {{"price_of_before", "prod_pro_l", "pro"}, {"price_pro_t", "prod_pro_t", ""}},
		"":          {{"price_pro_l", "prod_pro_l", ""}, {"price_pro_t", "prod_pro_t", ""}, {"", "", ""}},
	} {
		prices, err := newCatalog(t, key).Prices(t.Context())
		errtest.None(t, err)
		for _, s := range list {
			if got, ok := prices.Of(s.price, s.product); got.ID != s.plan || ok != (s.plan != "") {
				t.Errorf("%v with %q: %q, %t", s, key, got.ID, ok)
			}
		}
		if _, _, ok := prices.Offered("price_of_before"); ok {
			t.Errorf("%q: a price of before is offered", key)
		}
	}
	catalog := newCatalog(t, "")
	if got, ok, err := catalog.ByID(t.Context(), "business"); !ok || err != nil || got.Name != "Business" || got.Offer != (plan.Offer{}) {
		t.Errorf("ByID = %+v, %t, %v", got, ok, err)
	}
	if _, ok, err := catalog.ByID(t.Context(), "gold"); ok || err != nil {
		t.Errorf("an unknown plan: %t, %v", ok, err)
	}
}

// TestAPriceThatWasAgreedOn sells its plan for its own credits, whatever its product is.
func TestAPriceThatWasAgreedOn(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t, "pk_live_1")
	start := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	month, year := start.AddDate(0, 0, 28), start.AddDate(1, 0, 0)
	for _, credits := range []int64{150000, 200000} {
		errtest.None(t, catalog.Agree(t.Context(), "price_acme", "enterprise", credits, start))
	}
	if err := catalog.Agree(t.Context(), "price_acme", "gold", 1, start); !errors.Is(err, plan.ErrNoPlan) {
		t.Errorf("for a plan that there is not: %v", err)
	}
	prices, err := catalog.Prices(t.Context())
	errtest.None(t, err)
	acme, ok := prices.Of("price_acme", "prod_acme")
	if !ok || acme.ID != "enterprise" || acme.Credits(start, month) != 200000 || acme.Credits(start, year) != 200000 {
		t.Errorf("%+v, %t", acme, ok)
	}
	pro, _ := prices.Of("price_yearly", "prod_pro_l")
	if m, y := pro.Credits(start, month), pro.Credits(start, year); m != 5000 || y != 60000 {
		t.Errorf("a month of Pro gives %d, a year %d", m, y)
	}
	forgotten, err := catalog.Forget(t.Context(), "price_acme")
	again, err2 := catalog.Forget(t.Context(), "price_acme")
	prices, err3 := catalog.Prices(t.Context())
	if _, ok := prices.Of("price_acme", "prod_acme"); ok || !forgotten || again || errors.Join(err, err2, err3) != nil {
		t.Errorf("forgotten %t, then %t, still known %t: %v", forgotten, again, ok, errors.Join(err, err2, err3))
	}
}

// TestAMonthIsOneHoweverLongItIs: Stripe ends a period on the day of the month on which the subscription began, or on the
// last day of a month that has no such day.
func TestAMonthIsOneHoweverLongItIs(t *testing.T) {
	t.Parallel()
	prices, err := newCatalog(t, "pk_test_1").Prices(t.Context())
	errtest.None(t, err)
	pro, _ := prices.Of("price_pro_t", "prod_pro_t")
	for _, tc := range []struct {
		start, end string
		months     int64
	}{
		{"2027-01-29", "2027-02-28", 1}, {"2027-01-30", "2027-02-28", 1}, {"2027-01-31", "2027-02-28", 1}, {"2027-02-28", "2027-03-31", 1},
		{"2028-01-31", "2028-02-29", 1}, {"2028-02-29", "2028-03-31", 1}, {"2028-02-29", "2028-03-29", 1}, {"2027-04-30", "2027-05-31", 1},
		{"2026-12-31", "2027-02-28", 2}, {"2026-12-31", "2027-03-31", 3}, {"2027-08-31", "2028-02-29", 6}, {"2027-02-28", "2027-08-31", 6},
		{"2028-02-29", "2029-02-28", 12}, {"2027-02-28", "2028-02-29", 12}, {"2028-02-29", "2031-02-28", 36},
	} {
		start, err := time.Parse(time.DateOnly, tc.start)
		end, err2 := time.Parse(time.DateOnly, tc.end)
		errtest.None(t, errors.Join(err, err2))
		if got := pro.Credits(start, end); got != 5000*tc.months {
			t.Errorf("from %s to %s it gives %d", tc.start, tc.end, got)
		}
	}
}
