package api

import (
	"testing"
	"time"

	"fledge.dev/services/billing/internal/subscription"
)

// TestAnOverduePaymentIsInHundredths, in whatever unit Stripe counts its currency.
func TestAnOverduePaymentIsInHundredths(t *testing.T) {
	for currency, want := range map[string]int64{"usd": 2500, "jpy": 250_000, "kwd": 250} {
		due := &subscription.Due{Amount: 2500, Currency: currency, Since: time.Unix(1, 0)}
		if got := encodeSubscription(subscription.Current{Due: due}).GetDue().GetAmount(); got != want {
			t.Errorf("2500 of Stripe's %s are %d, want %d", currency, got, want)
		}
	}
}
