package plan_test

import (
	"slices"
	"testing"

	"fledge.dev/services/billing/internal/plan"
)

// TestWhatAChangeWaitsFor is what is charged, wherever the plans stand in the list.
func TestWhatAChangeWaitsFor(t *testing.T) {
	t.Parallel()
	prices := plan.NewPrices([]plan.Plan{
		{ID: "pro", PriceFits: true, YearlyFits: true, PriceMonthly: 2500, PriceYearly: 25000, Offer: plan.Offer{ProductID: "prod_pro", PriceID: "pro", AnnualPriceID: "pro_year"}},
		{ID: "business", PriceFits: true, YearlyFits: true, PriceMonthly: 5000, Offer: plan.Offer{ProductID: "prod_business", PriceID: "business", AnnualPriceID: "never_read"}},
		{ID: "enterprise", PriceFits: true, ContactSales: true},
	})
	month := func(amount int64) plan.Paid {
		return plan.Paid{Interval: plan.Month, Count: 1, Amount: amount, Currency: "usd"}
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
		"Business in another currency":        {"business", plan.Paid{Interval: plan.Month, Count: 1, Amount: 2000, Currency: "eur"}, []string{"pro"}},
		"Pro by the year":                     {"pro", plan.Paid{Interval: plan.Year, Count: 1, Amount: 25000, Currency: "usd"}, []string{"pro", "business"}},
		"Pro by the quarter":                  {"pro", plan.Paid{Interval: plan.Month, Count: 3, Amount: 6000, Currency: "usd"}, []string{"pro", "business"}},
		"Pro by the week":                     {"pro", plan.Paid{Interval: "week", Count: 1, Amount: 2500, Currency: "usd"}, nil},
		"Pro by the week at more each time":   {"pro", plan.Paid{Interval: "week", Count: 1, Amount: 5000, Currency: "usd"}, []string{"pro"}},
		"Pro at the same by the year":         {"pro", plan.Paid{Interval: plan.Year, Count: 1, Amount: 23000, Currency: "usd"}, []string{"pro", "business"}},
	} {
		if got := prices.Later(tc.has, tc.paid); !slices.Equal(got, tc.waits) {
			t.Errorf("%s waits for a change to %q, want %q", name, got, tc.waits)
		}
	}
}

// TestAnOrderForWhatSomebodyHas is one at the same plan and the same term.
func TestAnOrderForWhatSomebodyHas(t *testing.T) {
	t.Parallel()
	monthly := plan.Plan{ID: "pro", PriceFits: true, YearlyFits: true, PriceMonthly: 2500, Offer: plan.Offer{ProductID: "prod_pro", PriceID: "pro"}}
	both := monthly
	both.PriceYearly, both.Offer.AnnualPriceID = 25000, "pro_year"
	unfit := both
	unfit.YearlyFits = false
	every := func(count int64, interval string) plan.Paid { return plan.PaidEach(interval, count, 1, "usd") }
	for name, tc := range map[string]struct {
		sold     plan.Plan
		has      plan.Paid
		interval string
		// same is without and with an end that is set.
		same, ending bool
	}{
		"a month":                       {both, every(1, "month"), plan.Month, true, true},
		"a month, and a year":           {both, every(1, "month"), plan.Year, false, false},
		"a year, and a month":           {both, every(1, "year"), plan.Month, false, false},
		"twelve months, and a year":     {both, every(12, "month"), plan.Year, true, true},
		"a quarter":                     {both, every(3, "month"), plan.Month, false, true},
		"a quarter, by the month alone": {monthly, every(3, "month"), plan.Month, false, true},
		"a year, by the month alone":    {monthly, every(1, "year"), plan.Month, true, true},
		"a year that is sold no more":   {unfit, every(1, "year"), plan.Month, true, true},
		"a week":                        {both, every(1, "week"), plan.Month, false, true},
	} {
		if got := [2]bool{tc.sold.Same(tc.has, tc.interval, false), tc.sold.Same(tc.has, tc.interval, true)}; got != [2]bool{tc.same, tc.ending} {
			t.Errorf("%s: %v", name, got)
		}
	}
}
