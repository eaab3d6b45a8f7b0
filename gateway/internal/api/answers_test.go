package api_test

import (
	"net/http"
	"testing"

	"fledge.dev/gateway/internal/apitest"
)

// TestRareAnswers requests the answers that no other test of this package causes; their
// meaning is tested in their areas.
func TestRareAnswers(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, path := range []string{"/api/get-latest-downloads", "/api/updates/latest-mac.yml"} {
		g.Get(path, apitest.Header("If-None-Match", "*")).Is(http.StatusNotModified)
	}
	form := apitest.Header("Content-Type", "application/x-www-form-urlencoded")
	g.Post("/api/add-waitlist-user", "email=a%40b.co&source=hero_section", form).Is(http.StatusSeeOther)
	g.Support.Stale = true
	g.Send("PUT /api/update-support-ticket", apitest.Bearer(admin)).Is(http.StatusConflict)
}
