package api_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/errtest"
)

func TestEveryAnswerHasTheHeadersOfSecurity(t *testing.T) {
	g := apitest.Ready(t)
	for _, a := range []apitest.Answer{g.Get("/api/get-plans"), g.Get("/api/auth/user"), g.Get("/api/nothing"), g.Do("DELETE", "/api/health")} {
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Resource-Policy": "same-origin", "Server": "",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if !strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Error("no content security policy")
		}
		if got := a.Header.Get("Strict-Transport-Security"); got != "" {
			t.Errorf("a site on http is asked for over https: %s", got)
		}
	}
	secure := apitest.Start(t, func(c *api.Config) { c.Site = &url.URL{Scheme: "https", Host: "fledge.example"} })
	for _, path := range []string{"/api/docs", "/api/get-plans", "/api/nothing"} {
		if got := secure.Get(path).Header.Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
			t.Errorf("%s: Strict-Transport-Security %q", path, got)
		}
	}
	alone := apitest.Start(t, func(c *api.Config) {
		c.Site, c.HSTSSubdomains = &url.URL{Scheme: "https", Host: "fledge.example"}, false
	})
	if got := alone.Get("/api/docs").Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("the site's host alone: Strict-Transport-Security %q", got)
	}
}

// TestTheDescriptionHasTheHeadersOfAPage: the same ones that the front door gives to pages.
func TestTheDescriptionHasTheHeadersOfAPage(t *testing.T) {
	frontDoor, err := os.ReadFile("../../../deploy/caddy/Caddyfile")
	errtest.None(t, err)
	pages := apitest.Start(t).Get("/api/docs").Is(http.StatusOK).Header
	for _, name := range []string{"Cross-Origin-Opener-Policy", "Permissions-Policy"} {
		_, rest, _ := strings.Cut(string(frontDoor), "\t\t"+name+" ")
		want, _, _ := strings.Cut(rest, "\n")
		if got := pages.Get(name); got == "" || got != strings.Trim(want, `"`) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
