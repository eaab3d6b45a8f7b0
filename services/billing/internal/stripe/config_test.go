package stripe_test

import (
	"strings"
	"testing"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/config"
)

const (
	testKey   = "sk_test_notASecret"          // not-a-secret
	secret    = "whsec_0123456789abcdef"      // not-a-secret
	oldSecret = "whsec_old0123456789abcdef"   // not-a-secret
	foreign   = "whsec_other0123456789abcdef" // not-a-secret
)

func TestTheSDKSpeaksTheVersionThatWasReadUpOn(t *testing.T) {
	t.Parallel()
	if sdk.APIVersion != "2026-03-25.dahlia" {
		t.Errorf("the SDK speaks %s: read its changes before it is raised", sdk.APIVersion)
	}
}

func TestKeysAreCheckedAgainstEachOther(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		key, secrets, url string
		chosen            plan.Mode
		want              string
	}{
		"demo":                           {"", "", "", plan.Demo, ""},
		"test":                           {testKey, secret, "", plan.Test, ""},
		"restricted, rotating, local":    {"rk_test_1", secret + ", " + oldSecret, "http://127.0.0.1:1", plan.Test, ""},
		"live":                           {"sk_live_1", secret, "", plan.Live, ""},
		"no secret key":                  {"", "", "", plan.Test, "STRIPE_SECRET_KEY"},
		"webhooks without a key":         {"", secret, "", plan.Demo, "STRIPE_WEBHOOK_SECRETS"},
		"no publishable key":             {testKey, secret, "", plan.Demo, "STRIPE_SECRET_KEY"},
		"test key for live":              {testKey, secret, "", plan.Live, "STRIPE_SECRET_KEY"},
		"live key for test":              {"sk_live_1", secret, "", plan.Test, "STRIPE_SECRET_KEY"},
		"a publishable key":              {"pk_test_1", secret, "", plan.Test, "STRIPE_SECRET_KEY"},
		"a placeholder":                  {"changeme", secret, "", plan.Test, "STRIPE_SECRET_KEY"},
		"no webhook secret":              {testKey, "", "", plan.Test, "STRIPE_WEBHOOK_SECRETS"},
		"three webhook secrets":          {testKey, secret + "," + oldSecret + "," + foreign, "", plan.Test, "STRIPE_WEBHOOK_SECRETS"},
		"a short webhook secret":         {testKey, "whsec_1", "", plan.Test, "STRIPE_WEBHOOK_SECRETS"},
		"a placeholder of a secret":      {testKey, "changemechangemechangeme", "", plan.Test, "STRIPE_WEBHOOK_SECRETS"},
		"another address, real money":    {"sk_live_1", secret, "https://api.example", plan.Live, "STRIPE_API_URL"},
		"an address with a path":         {testKey, secret, "http://127.0.0.1:1/v1", plan.Test, "STRIPE_API_URL"},
		"an address of another protocol": {testKey, secret, "ftp://127.0.0.1", plan.Test, "STRIPE_API_URL"},
		"an address with a password":     {testKey, secret, "http://a:b@127.0.0.1", plan.Test, "STRIPE_API_URL"},
	} {
		err := stripe.Config{SecretKey: config.Secret(tc.key), WebhookSecrets: config.Secret(tc.secrets), APIURL: tc.url}.Validate(tc.chosen)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q named", name, err, tc.want)
		}
		if err != nil && (tc.key != "" && strings.Contains(err.Error(), tc.key) || strings.Contains(err.Error(), secret)) {
			t.Errorf("%s: the error repeats a secret", name)
		}
	}
}

func TestATrialIsNoLongerThanStripeHasThem(t *testing.T) {
	t.Parallel()
	for days, fits := range map[int64]bool{-1: false, 0: true, 14: true, 730: true, 731: false} {
		err := stripe.Config{TrialDays: days}.Validate(plan.Demo)
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "STRIPE_TRIAL_DAYS") {
			t.Errorf("%d days: %v", days, err)
		}
	}
}
