package plan_test

import (
	"strings"
	"testing"

	"fledge.dev/services/billing/internal/plan"
)

func offers(set string) plan.Offers {
	return plan.Offers{
		Pro:      plan.Offer{ProductID: "prod_pro_" + set, PriceID: "price_pro_" + set},
		Business: plan.Offer{ProductID: "prod_business_" + set, PriceID: "price_business_" + set},
	}
}

func TestThePublishableKeyChoosesTheMode(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]plan.Mode{"": plan.Demo, "pk_test_1": plan.Test, "pk_live_1": plan.Live} {
		cfg := plan.Config{PublishableKey: key, Test: offers("t"), Live: offers("l")}
		if got := cfg.Mode(); got != want {
			t.Errorf("%q: %s, want %s", key, got, want)
		}
		if err := cfg.Validate(); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestBadIDsAreNamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*plan.Config)
		want   string
	}{
		"a secret key":         {func(c *plan.Config) { c.PublishableKey = "sk_test_1" }, "STRIPE_PUBLISHABLE_KEY"},
		"nonsense":             {func(c *plan.Config) { c.PublishableKey = "changeme" }, "STRIPE_PUBLISHABLE_KEY"},
		"a price as a product": {func(c *plan.Config) { c.Test.Pro.ProductID = "price_1" }, "STRIPE_TEST_PRO_PRODUCT_ID"},
		"no product":           {func(c *plan.Config) { c.Live.Business.ProductID = "" }, "STRIPE_LIVE_BUSINESS_PRODUCT_ID"},
		"no price":             {func(c *plan.Config) { c.Live.Pro.PriceID = "" }, "STRIPE_LIVE_PRO_PRICE_ID"},
		"one price for two":    {func(c *plan.Config) { c.Test.Business.PriceID = c.Test.Pro.PriceID }, "are the same"},
		"one product for two":  {func(c *plan.Config) { c.Live.Business.ProductID = c.Live.Pro.ProductID }, "STRIPE_LIVE_BUSINESS_PRODUCT_ID are the same"},
		"no annual price":      {func(c *plan.Config) { c.Test.Pro.AnnualPriceID = "prod_1" }, "STRIPE_TEST_PRO_ANNUAL_PRICE_ID"},
		"nothing but a year":   {func(c *plan.Config) { c.Test.Pro = plan.Offer{AnnualPriceID: "price_1"} }, "STRIPE_TEST_PRO_PRODUCT_ID"},
		"a year as a month":    {func(c *plan.Config) { c.Test.Pro.AnnualPriceID = c.Test.Pro.PriceID }, "are the same"},
		"live price in test":   {func(c *plan.Config) { c.Test.Pro.PriceID = c.Live.Pro.PriceID }, "are the same"},
	} {
		cfg := plan.Config{PublishableKey: "pk_test_1", Test: offers("t"), Live: offers("l")}
		tc.change(&cfg)
		err := cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s named", name, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), "sk_test_1") {
			t.Errorf("%s: the error repeats the key", name)
		}
	}
}
