package stripe_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/proxytest"
)

func TestStripeIsAskedThroughTheProxyOfTheEnvironment(t *testing.T) {
	asked := proxytest.Asked(t, func() {
		client, err := stripe.New(stripe.Config{SecretKey: testKey}, prometheus.NewRegistry())
		errtest.None(t, err)
		if _, err := client.Price(t.Context(), "price_1"); !errors.Is(err, fault.Unavailable) {
			t.Errorf("got %v", err)
		}
	})
	if want := []string{"api.stripe.com:443"}; !slices.Equal(asked, want) {
		t.Errorf("a proxy was asked for %v, want %v", asked, want)
	}
}
