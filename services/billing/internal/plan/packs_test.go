package plan_test

import (
	"strings"
	"testing"

	"fledge.dev/services/billing/internal/plan"
)

func TestPacksAreReadAndWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "price_b=50, price_a=20,": "price_a=20,price_b=50"} {
		var packs plan.Packs
		if err := packs.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := packs.MarshalText(); string(got) != want || err != nil {
			t.Errorf("%q is written as %q: %v", text, got, err)
		}
	}
	for _, text := range []string{"price_a", "price_a=", "price_a=0", "price_a=-1", "price_a=1.5", "price_a=1000001", "prod_a=20", "price_a=20,price_a=30"} {
		var packs plan.Packs
		if err := packs.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: %v", text, packs)
		}
	}
	cfg := plan.Config{PublishableKey: "pk_test_1", Test: offers("t"), Live: offers("l")}
	cfg.Test.Packs = plan.Packs{cfg.Test.Pro.PriceID: 20}
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "STRIPE_TEST_PACKS") {
		t.Errorf("a plan's price as a pack's: %v", err)
	}
}

func TestAPackIsSoldOnceItsPriceIsKnown(t *testing.T) {
	t.Parallel()
	catalog := newCatalogOf(t, plan.Config{PublishableKey: "pk_test_1", Test: plan.Offers{Packs: plan.Packs{"price_b": 50, "price_a": 20}}})
	sold := func(want ...plan.Pack) {
		t.Helper()
		got, err := catalog.Packs(t.Context())
		if err != nil || len(got) != len(want) {
			t.Fatalf("sold are %v, want %v: %v", got, want, err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("sold is %v, want %v", got[i], want[i])
			}
		}
	}
	sold()
	a := plan.Pack{ProductID: "prod_1", PriceID: "price_a", Credits: 2000, Amount: 1200, Currency: "usd"}
	b := plan.Pack{ProductID: "prod_1", PriceID: "price_b", Credits: 5000, Amount: 2800, Currency: "usd"}
	other := plan.Pack{ProductID: "prod_1", PriceID: "price_other", Amount: 1, Currency: "usd"}
	for _, p := range []plan.Pack{b, a, other} {
		for _, want := range []bool{true, false} {
			if changed, err := catalog.PackCharged(t.Context(), p); changed != want || err != nil {
				t.Errorf("%s is new: %t, %v", p.PriceID, changed, err)
			}
		}
	}
	sold(a, b)
	if err := catalog.PackUnfit(t.Context(), "price_a"); err != nil {
		t.Error(err)
	}
	sold(b)
}
