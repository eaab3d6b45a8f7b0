package stack_test

import (
	"net/http"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// hasCredits waits until somebody has that many.
func hasCredits(t *testing.T, site, email string, want float64) {
	t.Helper()
	owner := person.New(site)
	errtest.None(t, owner.SignIn(t.Context(), email))
	var credits struct {
		Data struct {
			Balance float64 `json:"credit_balance"`
		} `json:"data"`
	}
	waittest.Eventually(t, "the credits are there", func() bool {
		errtest.None(t, owner.Call(t.Context(), http.MethodGet, "/api/get-credit-balance", nil, &credits))
		return credits.Data.Balance == want
	})
}

// TestWithAnAccountTheStandInStaysOut: the keys of the account are those that
// billing runs with; its address stands in for Stripe's here.
func TestWithAnAccountTheStandInStaysOut(t *testing.T) {
	opts := stacktest.Options(t, stack.InProcess)
	opts.Stripe = stack.AccountAtStripe([]string{
		"STRIPE_API_URL=http://127.0.0.1:1", "STRIPE_SECRET_KEY=sk_test_theirs", "STRIPE_PUBLISHABLE_KEY=pk_test_theirs",
		"STRIPE_WEBHOOK_SECRETS=whsec_0123456789abcdef", "STRIPE_TEST_PRO_PRODUCT_ID=prod_theirs", "STRIPE_TEST_PRO_PRICE_ID=price_theirs",
	})
	s := stacktest.Start(t, opts)
	if s.URLs().Stripe != "" {
		t.Errorf("the stand-in runs at %s", s.URLs().Stripe)
	}
	var plans struct {
		Data []struct {
			PriceID *string `json:"priceId"`
		} `json:"data"`
	}
	errtest.None(t, person.New(s.URLs().Site).Call(t.Context(), http.MethodGet, "/api/get-plans", nil, &plans))
	if got := plans.Data[0].PriceID; got == nil || *got != "price_theirs" {
		t.Errorf("the price is %v", got)
	}
}
