package billing_test

import (
	"strings"
	"testing"

	"fledge.dev/services/billing"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/servicetest"
)

func TestTheDefaultsAreComplete(t *testing.T) {
	t.Parallel()
	_, err := config.Load[billing.Config](servicetest.Environment(map[string]string{
		"DATABASE_URL": "postgres://billing@127.0.0.1:5432/billing", "IDENTITY_ADDR": "127.0.0.1:9000",
		"SITE_ORIGIN": "https://fledge.example", "INTERNAL_TOKEN": servicetest.InternalToken,
	}))
	errtest.None(t, err)
}

func TestABadConfigurationNamesEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := config.Load[billing.Config]([]string{
		"SITE_ORIGIN=nowhere", "CREDIT_LAPSE_INTERVAL=0s", "STRIPE_PUBLISHABLE_KEY=sk_test_1", "STRIPE_SECRET_KEY=sk_test_1", "STRIPE_LIVE_PRO_PRICE_ID=price_1",
		"FREE_MONTHLY_CREDITS=-1", "STRIPE_EVENT_RETENTION=743h", "PARKED_EVENT_RETENTION=0s", "CREDIT_KEY_RETENTION=24h",
	})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, key := range []string{
		"DATABASE_URL", "IDENTITY_ADDR", "INTERNAL_TOKEN", "SITE_ORIGIN", "CREDIT_LAPSE_INTERVAL", "STRIPE_PUBLISHABLE_KEY", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRETS", "STRIPE_LIVE_PRO_PRODUCT_ID",
		"FREE_MONTHLY_CREDITS", "STRIPE_EVENT_RETENTION", "PARKED_EVENT_RETENTION", "CREDIT_KEY_RETENTION",
	} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("%s is not named in: %v", key, err)
		}
	}
}
