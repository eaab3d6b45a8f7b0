package plan_test

import (
	"slices"
	"testing"

	"fledge.dev/services/billing/internal/plan"
)

// TestWhatAChangeWaitsFor is what is charged, wherever the plans stand in the list.
func TestWhatAChangeWaitsFor(t *testing.T) {
	t.Parallel()
	prices := plan.NewPrices(
		plan.Plan{ID: "pro", Fits: true, PriceMonthly: 2500, PriceYearly: 25000, Offer: plan.Offer{ProductID: "prod_pro", PriceID: "pro", AnnualPriceID: "pro_year"}},
		plan.Plan{ID: "business", Fits: true, PriceMonthly: 5000, Offer: plan.Offer{ProductID: "prod_business", PriceID: "business", AnnualPriceID: "never_read"}},
		plan.Plan{ID: "enterprise", Fits: true, ContactSales: true},
	)
	month := func(amount int64) plan.Paid {
		return plan.Paid{Interval: plan.Month, Count: 1, Monthly: amount, Currency: "usd"}
	}
	for name, tc := range map[string]struct {
		has   string
		paid  plan.Paid
		waits []string
	}{
		"Pro":                                 {"pro", month(2500), nil},
		"Business":                            {"business", month(5000), []string{"pro"}},
		"Pro at more than Business costs now": {"pro", month(6000), []string{"pro", "business"}},
		"Business at less than Pro costs now": {"business", month(2000), nil},
		"Enterprise":                          {"enterprise", month(200000), []string{"pro", "pro_year", "business"}},
		"Enterprise by tiers":                 {"enterprise", month(0), []string{"pro", "business"}},
		"Business in another currency":        {"business", plan.Paid{Interval: plan.Month, Count: 1, Monthly: 2000, Currency: "eur"}, []string{"pro"}},
		"Pro by the year":                     {"pro", plan.Paid{Interval: plan.Year, Count: 1, Monthly: 2083, Currency: "usd"}, []string{"pro", "business"}},
		"Pro by the quarter":                  {"pro", plan.Paid{Interval: plan.Month, Count: 3, Monthly: 2000, Currency: "usd"}, []string{"pro", "business"}},
		"Pro by the week":                     {"pro", plan.Paid{Interval: "week", Count: 1, Monthly: 2500, Currency: "usd"}, nil},
	} {
		if got := prices.Later(tc.has, tc.paid); !slices.Equal(got, tc.waits) {
			t.Errorf("%s waits for a change to %q, want %q", name, got, tc.waits)
		}
	}
}
