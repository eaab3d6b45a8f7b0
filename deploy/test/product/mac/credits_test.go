package mac

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"fledge.dev/deploy/mac"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// credits is a person's month on the Mac: from nothing, over a plan, to the
// credits that work costs.
func (p product) credits(t *testing.T) {
	browser, client := p.browser(t, "maker@fledge.test"), p.mac(t, "")
	p.signIn(t, client, browser)
	if plan, err := client.Subscription(t.Context()); err != nil || plan != nil {
		t.Errorf("before any: %+v, %v", plan, err)
	}
	if credits, err := client.Credits(t.Context()); err != nil || credits != nil {
		t.Errorf("before any: %+v, %v", credits, err)
	}
	p.refused(t, client, 1, http.StatusConflict, "insufficient_credits")

	urls := p.stack.URLs()
	errtest.None(t, stacktest.Buy(t.Context(), browser, urls.Site, urls.Stripe))
	waittest.Eventually(t, "the credits are there", func() bool {
		credits, err := client.Credits(t.Context())
		errtest.None(t, err)
		return credits != nil && *credits == mac.Credits{Granted: 5000, Balance: 5000}
	})
	plan, err := client.Subscription(t.Context())
	if err != nil || plan == nil || plan.Status != "active" || plan.Plan.Name != "Pro" || plan.Plan.MonthlyCredits != 5000 || plan.PeriodEnd.Before(time.Now()) {
		t.Fatalf("%+v, %v", plan, err)
	}

	has := func(what string, want mac.Credits) func(mac.Credits, error) {
		return func(got mac.Credits, err error) {
			t.Helper()
			if err != nil || got != want {
				t.Errorf("%s: %+v, %v, want %+v", what, got, err, want)
			}
		}
	}
	has("a spend", mac.Credits{Granted: 5000, Used: 29, Balance: 4971})(client.Spend(t.Context(), 29, "Generated screen"))
	has("the same again is another", mac.Credits{Granted: 5000, Used: 58, Balance: 4942})(client.Spend(t.Context(), 29, "Generated screen"))
	p.refused(t, client, 4943, http.StatusConflict, "insufficient_credits")

	hold, err := client.Hold(t.Context(), 4942, "Generated app")
	if want := (mac.Credits{Granted: 5000, Used: 58, Held: 4942}); err != nil || hold.Credits != want {
		t.Fatalf("%+v, %v", hold, err)
	}
	p.refused(t, client, 1, http.StatusConflict, "insufficient_credits")
	for range 2 {
		has("a generation that failed", mac.Credits{Granted: 5000, Used: 58, Balance: 4942})(client.Settle(t.Context(), hold.ID, 0))
	}
	if hold, err = client.Hold(t.Context(), 500, "Generated app"); err != nil {
		t.Fatal(err)
	}
	has("one that did not", mac.Credits{Granted: 5000, Used: 258, Balance: 4742})(client.Settle(t.Context(), hold.ID, 200))
}

func (p product) refused(t *testing.T, client *mac.Client, amount mac.Amount, status int, code string) {
	t.Helper()
	var problem *mac.Problem
	if _, err := client.Spend(t.Context(), amount, "too much"); !errors.As(err, &problem) || problem.Status != status || problem.Code != code {
		t.Errorf("spending %s: %v", amount, err)
	}
}
