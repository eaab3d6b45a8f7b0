package billing

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/services/billing"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/servicetest"
)

// TestADemoSellsNothingAndSaysSo: without any key all of the site works, and nobody
// asks Stripe.
func TestADemoSellsNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	r := start(t, 0)
	f := r.front(r.serve("STRIPE_SECRET_KEY=", "STRIPE_PUBLISHABLE_KEY=", "STRIPE_WEBHOOK_SECRETS=", "STRIPE_API_URL="))
	p := r.person()
	if status, answer := f.portal(p); status != http.StatusOK || answer["url"] != nil || answer["message"] != "This is a demo: there is no subscription to manage." {
		t.Errorf("the portal: %d %v", status, answer)
	}
	if status, answer := f.checkout(p); status != http.StatusServiceUnavailable || answer["code"] != "billing_not_configured" {
		t.Errorf("the checkout: %d %v", status, answer)
	}
	if status, answer := f.ask(p, "/api/sync-checkout-session", `{"sessionId":"cs_test_1"}`); status != http.StatusNotFound || answer["code"] != "checkout_not_found" {
		t.Errorf("a return: %d %v", status, answer)
	}
	_, listed := f.ask(p, "/api/get-plans", "")
	plans, _ := listed["data"].([]any)
	for _, raw := range plans {
		if plan := raw.(map[string]any); plan["productId"] != nil || plan["priceId"] != nil {
			t.Errorf("%v can be bought", plan)
		}
	}
	if len(plans) != 3 {
		t.Errorf("%d plans", len(plans))
	}
	for _, path := range []string{"/api/get-subscription", "/api/get-credit-balance", "/api/get-token-balance"} {
		if status, answer := f.ask(p, path, ""); status != http.StatusOK || answer["data"] != nil {
			t.Errorf("%s: %d %v", path, status, answer)
		}
	}
	if n := r.stripe.CountCalls(""); n != 0 {
		t.Errorf("Stripe was asked %d times", n)
	}
}

// TestKeysOfTwoModesDoNotStart: money is real or it is not.
func TestKeysOfTwoModesDoNotStart(t *testing.T) {
	t.Parallel()
	environ := []string{
		"DATABASE_URL=postgres://localhost/x", "IDENTITY_ADDR=127.0.0.1:1", "SITE_ORIGIN=https://fledge.test", "INTERNAL_TOKEN=" + servicetest.InternalToken,
		"STRIPE_WEBHOOK_SECRETS=" + stripe.WebhookSecret, "MAIL_FROM=hello@fledge.test", "MAIL_REPLY_TO=support@fledge.test",
	}
	for keys, refusal := range map[string]string{
		"pk_test_1 sk_test_1 ":                    "",
		"pk_live_1 sk_live_1 ":                    "",
		"pk_live_1 rk_live_1 ":                    "",
		"pk_live_1 sk_test_1 ":                    "is a test key, but STRIPE_PUBLISHABLE_KEY chooses live mode",
		"pk_test_1 sk_live_1 ":                    "is a live key, but STRIPE_PUBLISHABLE_KEY chooses test mode",
		"pk_test_1  ":                             "STRIPE_SECRET_KEY: missing",
		" sk_test_1 ":                             "chooses demo mode",
		"sk_test_1 sk_test_1 ":                    "begins with neither pk_test_ nor pk_live_",
		"pk_live_1 sk_live_1 http://127.0.0.1:84": "refused with a live key",
	} {
		set := strings.Split(keys, " ")
		_, err := config.Load[billing.Config](append([]string{
			"STRIPE_PUBLISHABLE_KEY=" + set[0], "STRIPE_SECRET_KEY=" + set[1], "STRIPE_API_URL=" + set[2],
		}, environ...))
		if (err == nil) != (refusal == "") || err != nil && !strings.Contains(err.Error(), refusal) {
			t.Errorf("%q: %v, want %q", keys, err, refusal)
		}
	}
}

// TestWhoIsPausedOrOverdueIsSentToThePortal instead of buying a second subscription.
func TestWhoIsPausedOrOverdueIsSentToThePortal(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f, p := r.front(r.serving[0]), r.person()
	id := p.subscribe()
	r.must(r.stripe.Pause(t.Context(), id))
	p.is("paused", "pro", 5000)
	if status, answer := f.checkout(p); status != http.StatusConflict || answer["code"] != "subscription_paused" || !strings.Contains(answer["error"].(string), "'Invoices'") {
		t.Errorf("paused: %d %v", status, answer)
	}
	r.must(r.stripe.Resume(t.Context(), id))
	p.is("active", "pro", 5000)
	if status, answer := f.checkout(p); status != http.StatusConflict || answer["code"] != "already_subscribed" {
		t.Errorf("active: %d %v", status, answer)
	}
	r.must(r.stripe.FailPayments(t.Context(), id, -1))
	r.month()
	p.is("past_due", "pro", 5000)
	if status, answer := f.checkout(p); status != http.StatusConflict || answer["code"] != "payment_overdue" || !strings.Contains(answer["error"].(string), "'Update Payment Method' in your profile, or 'Invoices'") {
		t.Errorf("overdue: %d %v", status, answer)
	}
}
