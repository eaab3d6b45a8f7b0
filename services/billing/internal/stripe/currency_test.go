package stripe_test

import (
	"testing"

	"fledge.dev/services/billing/internal/stripe"
)

func TestAmountsAreInHundredthsWhateverTheCurrency(t *testing.T) {
	for _, tt := range []struct {
		amount   int64
		currency string
		want     int64
	}{{2500, "usd", 2500}, {-2500, "eur", -2500}, {2500, "jpy", 250_000}, {2500, "kwd", 250}, {2505, "kwd", 251}, {-2505, "kwd", -251}} {
		if got := stripe.Hundredths(tt.amount, tt.currency); got != tt.want {
			t.Errorf("%d %s: %d, want %d", tt.amount, tt.currency, got, tt.want)
		}
	}
}
