package api_test

import (
	"net/http"
	"slices"
	"testing"

	"fledge.dev/gateway/internal/apitest"
)

// TestOutages takes one part of the product away and sends every route's sample as
// an admin and as nobody. Routes that can do without go on, the others say 503
// and when to come back; none answers with a failure of ours.
func TestOutages(t *testing.T) {
	needIdentity := []string{
		"GET /api/auth/user", "POST /api/auth/sign-out", "POST /api/auth/hand-off", "POST /api/auth/revoke", "POST /api/auth/token", "GET /api/auth/devices", "POST /api/auth/apple-notification",
		"POST /api/auth/revoke-device", "POST /api/auth/unlink-provider", "POST /api/auth/delete-account", "GET /api/auth/export", "GET /api/is-admin", "GET /api/get-users-with-roles", "POST /api/set-user-roles",
		"GET /api/get-person", "GET /api/get-person-devices", "POST /api/revoke-person-device", "POST /api/sign-out-person", "POST /api/set-person-state",
		"POST /api/delete-person", "POST /api/reset-second-factor", "GET /api/get-person-billing", "POST /api/adjust-credits", "POST /api/set-person-renewal",
		"GET /api/get-finances", "GET /api/export-month-end", "GET /api/get-billing-cases", "POST /api/decide-billing-case",
		// Whether somebody is an admin cannot be asked.
		"GET /api/get-waitlist-users", "GET /api/get-unconfirmed-sign-ups", "POST /api/approve-waitlist-user", "POST /api/bulk-approve-waitlist-users",
		"GET /api/get-mails", "POST /api/change-mails", "GET /api/get-waves", "POST /api/start-wave", "POST /api/change-wave", "GET /api/export-waitlist-users",
		"POST /api/preview-waitlist-import", "POST /api/import-waitlist-users", "GET /api/get-audit-log", "GET /api/get-admin-stats", "GET /api/get-github-releases", "POST /api/toggle-release-availability",
		"POST /api/set-release-rollout", "GET /api/get-download-stats", "GET /api/explain-update", "GET /api/get-version-usage", "POST /api/set-release-required", "POST /api/set-release-channel",
		"GET /api/get-person-channel", "POST /api/set-person-channel", "GET /api/get-preview-links", "POST /api/create-preview-link", "POST /api/revoke-preview-link",
		"GET /api/get-support-tickets", "GET /api/get-support-ticket", "PUT /api/update-support-ticket", "POST /api/bulk-update-support-tickets",
		"GET /api/export-support-tickets",
		"GET /api/get-support-desk", "POST /api/edit-support-ticket", "POST /api/add-support-note", "POST /api/save-canned-answer",
		"POST /api/set-support-notices", "POST /api/view-support-ticket", "POST /api/open-support-ticket-for",
		"POST /api/delete-canned-answer", "GET /api/get-earlier-support-messages",
		"GET /api/health", "POST /api/mail-webhook/:provider",
	}
	needBilling := []string{
		"GET /api/get-plans", "POST /api/create-checkout-session", "POST /api/sync-checkout-session", "POST /api/create-portal-session", "GET /api/stripe-portal",
		"GET /api/get-subscription", "GET /api/get-credit-balance", "GET /api/get-token-balance", "GET /api/get-credit-history", "GET /api/export-credit-history",
		"POST /api/consume-credits", "POST /api/hold-credits", "POST /api/settle-credits", "POST /api/stripe-webhook", "GET /api/auth/export", "GET /api/health",
		"GET /api/get-person-billing", "POST /api/adjust-credits", "POST /api/set-person-renewal",
		"GET /api/get-finances", "GET /api/export-month-end", "GET /api/get-billing-cases", "POST /api/decide-billing-case",
		"POST /api/mail-webhook/:provider",
	}
	needSupport := []string{
		"POST /api/create-support-ticket", "GET /api/get-my-support-tickets", "POST /api/reply-support-ticket", "GET /api/get-support-tickets",
		"GET /api/get-support-ticket", "PUT /api/update-support-ticket", "POST /api/bulk-update-support-tickets", "GET /api/export-support-tickets",
		"GET /api/get-support-desk", "POST /api/edit-support-ticket", "POST /api/add-support-note", "POST /api/save-canned-answer",
		"POST /api/set-support-notices", "POST /api/view-support-ticket", "POST /api/open-support-ticket-for",
		"POST /api/delete-canned-answer", "GET /api/get-earlier-support-messages", "GET /api/get-my-earlier-support-messages",
		"GET /api/auth/export", "GET /api/health", "POST /api/mail-webhook/:provider",
	}
	needReleases := []string{
		"GET /api/get-update-channel", "GET /api/get-latest-downloads", "GET /api/download/:version/:filename", "HEAD /api/download/:version/:filename",
		"GET /api/download/arm64", "HEAD /api/download/arm64", "GET /api/download/x64", "HEAD /api/download/x64", "GET /api/preview/:token/:filename",
		"GET /api/updates/latest-mac.yml", "GET /api/updates/beta-mac.yml", "GET /api/updates/alpha-mac.yml", "GET /api/updates/darwin-:arch/:version",
		"GET /api/get-github-releases", "POST /api/toggle-release-availability", "POST /api/set-release-rollout", "POST /api/set-release-channel", "POST /api/set-release-required",
		"GET /api/get-person-channel", "POST /api/set-person-channel", "GET /api/get-preview-links", "POST /api/create-preview-link", "POST /api/revoke-preview-link",
		"GET /api/get-download-stats", "GET /api/get-version-usage", "GET /api/explain-update", "POST /api/github-webhook", "GET /api/auth/export", "GET /api/health",
	}
	needKratos := []string{
		"POST /api/auth/signin/:provider", "GET /api/auth/kratos/self-service/login/flows", "GET /api/auth/kratos/self-service/registration/flows",
		"GET /api/auth/kratos/self-service/errors", "GET /api/health",
	}
	for name, tt := range map[string]struct {
		takeAway func(*apitest.Gateway)
		need     []string
	}{
		"identity": {func(g *apitest.Gateway) { g.Identity.Leave() }, needIdentity},
		"billing":  {func(g *apitest.Gateway) { g.Billing.Leave() }, needBilling},
		"support":  {func(g *apitest.Gateway) { g.Support.Leave() }, needSupport},
		"releases": {func(g *apitest.Gateway) { g.Releases.Leave() }, needReleases},
		"Kratos":   {func(g *apitest.Gateway) { g.Kratos.Close() }, needKratos},
	} {
		t.Run(name, func(t *testing.T) {
			g := apitest.Ready(t)
			_, admin := g.Issuer.Admin("admin@example.com")
			g.Get("/api/auth/jwks.json").Is(http.StatusOK)
			g.Get("/api/get-waitlist-status", apitest.Bearer(admin)).Is(http.StatusOK) // the keys are known from here on
			tt.takeAway(g)
			for _, route := range g.Served() {
				for caller, o := range map[string]apitest.Option{"admin": apitest.Bearer(admin), "nobody": func(*http.Request) {}} {
					a := g.Send(route, o)
					if a.Status >= 500 && (a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "") {
						t.Errorf("%s as %s: %d, Retry-After %q", route, caller, a.Status, a.Header.Get("Retry-After"))
					}
					if down := a.Status == http.StatusServiceUnavailable; caller == "admin" && down != slices.Contains(tt.need, route) {
						t.Errorf("%s: %d: %s", route, a.Status, a.Body)
					}
				}
			}
		})
	}
}

// TestAColdStartWithoutIdentity: nobody can be told apart, which is not the same
// as being signed out.
func TestAColdStartWithoutIdentity(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Identity.Leave()
	for _, path := range []string{"/api/auth/user", "/api/auth/jwks.json", "/api/get-waitlist-status"} {
		a := g.Get(path, apitest.Bearer(token)).Is(http.StatusServiceUnavailable)
		if a.Header.Get("Retry-After") == "" || a.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: headers %v", path, a.Header)
		}
	}
	a := g.Get("/api/auth/session", apitest.Cookie("fledge_session=s1")).Is(http.StatusServiceUnavailable)
	if a.Header.Get("Set-Cookie") != "" {
		t.Error("an outage changes the hint")
	}
}
