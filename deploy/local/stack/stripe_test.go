package stack_test

import (
	"slices"
	"testing"

	"fledge.dev/deploy/local/stack"
)

func TestAnAccountAtStripeIsOneWithAKey(t *testing.T) {
	for name, tc := range map[string]struct{ environ, want []string }{
		"nothing":                   {[]string{"PATH=/bin"}, nil},
		"another program of theirs": {[]string{"STRIPE_CLI_TELEMETRY_OPTOUT=1", "STRIPE_SECRET_KEY="}, nil},
		"a key and what goes with it": {
			[]string{"PATH=/bin", "STRIPE_SECRET_KEY=sk_test_1", "STRIPE_TEST_PRO_PRICE_ID=price_1"},
			[]string{"STRIPE_SECRET_KEY=sk_test_1", "STRIPE_TEST_PRO_PRICE_ID=price_1"},
		},
		"a key in a file":  {[]string{"STRIPE_SECRET_KEY_FILE=/key"}, []string{"STRIPE_SECRET_KEY_FILE=/key"}},
		"half of the keys": {[]string{"STRIPE_PUBLISHABLE_KEY=pk_test_1"}, []string{"STRIPE_PUBLISHABLE_KEY=pk_test_1"}},
	} {
		if got := stack.AccountAtStripe(tc.environ); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
