package api_test

import (
	"net/http"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

// TestRareAnswers requests the answers that no other test of this package causes; their
// meaning is tested in their areas.
func TestRareAnswers(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, path := range []string{"/api/get-latest-downloads", "/api/updates/latest-mac.yml", "/api/updates/beta-mac.yml", "/api/updates/alpha-mac.yml"} {
		g.Get(path, apitest.Header("If-None-Match", "*")).Is(http.StatusNotModified)
	}
	form := apitest.Header("Content-Type", "application/x-www-form-urlencoded")
	g.Post("/api/add-waitlist-user", "email=a%40b.co&source=hero_section", form).Is(http.StatusSeeOther)
	g.Support.Stale = true
	g.Send("PUT /api/update-support-ticket", apitest.Bearer(admin)).Is(http.StatusConflict)
	g.Releases.Fail(fault.New(fault.NotFound, "unknown_preview_link", "This link has ended."))
	g.Get("/api/preview/" + apitest.PreviewToken + "/Fledge-arm64.dmg").Is(http.StatusGone)
}

// TestASecondFactorIsSetUp by a member of staff who has just signed in; real flows of Kratos are
// met in deploy/test/product/signin.
func TestASecondFactorIsSetUp(t *testing.T) {
	g := apitest.Ready(t)
	_, g.Identity.Session.AccessToken = g.Issuer.User("zoe@example.com")
	g.Identity.SecondFactor = &identityv1.GetSecondFactorResponse{Staff: true, Fresh: true, Verified: true}
	g.Kratos.Submit = http.StatusOK
	g.Kratos.Nodes = []string{"totp_secret_key", "totp_qr", "totp_code", "lookup_secret", "lookup_secret_codes"}
	post := func(what, body string) apitest.Answer {
		return g.Post("/api/auth/"+what, body, apitest.FromOurPage, apitest.Cookie("fledge_session=s1"))
	}
	g.Get("/api/auth/second-factor", apitest.FromOurPage, apitest.Cookie("fledge_session=s1")).Is(http.StatusOK)
	post("begin-second-factor", `{}`).Is(http.StatusOK)
	post("confirm-second-factor", `{"flow":"`+apitest.FlowID+`","code":"123 456"}`).Is(http.StatusNoContent)
	post("verify-second-factor", `{"code":"123456"}`).Is(http.StatusNoContent)
	post("create-recovery-codes", `{}`).Is(http.StatusOK, `{"codes":["abcd2345"]}`)
	post("remove-second-factor", `{}`).Is(http.StatusNoContent)
}
