package identity_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/route"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/brand"
)

func TestProviderCallback(t *testing.T) {
	g := apitest.Start(t)
	a := g.Get(apitest.CallbackPath+"google?code=c%2B1&state=s&scope=a+b&state=s2", apitest.Header("Sec-Fetch-Site", "cross-site"),
		apitest.Header("X-Forwarded-For", "203.0.113.9"), apitest.Header("X-Kratos-Authenticated-Identity-Id", apitest.AnyID), apitest.Header("Authorization", "Bearer x"),
		apitest.Cookie("theme=dark; ory_kratos_continuity=k1")).Is(http.StatusSeeOther)
	if a.Header.Get("Location") != "http://localhost:8080/profile" || !strings.Contains(a.Header.Get("Set-Cookie"), brand.SessionCookie+"=s1") {
		t.Errorf("headers %v", a.Header)
	}
	requests, _ := g.Kratos.Seen()
	r := requests[0]
	if r.URL.Path != "/self-service/methods/oidc/callback/google" || r.URL.RawQuery != "code=c%2B1&state=s&scope=a+b&state=s2" {
		t.Errorf("Kratos got %s", r.URL)
	}
	if h := r.Header; h.Get("Cookie") != "ory_kratos_continuity=k1" || h.Get("Authorization") != "" || h.Get("X-Kratos-Authenticated-Identity-Id") != "" || h.Get("X-Forwarded-For") != "203.0.113.9" {
		t.Errorf("Kratos was told %v", h)
	}
	if log := g.Log.String(); strings.Contains(log, "c%2B1") || strings.Contains(log, "state=") {
		t.Error("the log holds the provider's code")
	}
}

// TestASignInEndsTheSessionOfBefore, which a browser has until then, and goes on if that cannot be ended.
func TestASignInEndsTheSessionOfBefore(t *testing.T) {
	g := apitest.Start(t)
	comesBack := func(session string) {
		t.Helper()
		g.Get(apitest.CallbackPath+"google?code=x&state=y", apitest.Cookie(apitest.Begun+session)).Is(http.StatusSeeOther)
	}
	comesBack("")
	comesBack("; fledge_session=old; fledge_session=planted") // nobody knows which
	if got, _ := g.Identity.Last(); got != nil {
		t.Fatalf("identity was asked %v", got)
	}
	comesBack("; fledge_session=old")
	got, by := g.Identity.Last()
	if r, _ := got.(*identityv1.SignOutRequest); r.GetReplaced() != "fledge_session=old" || r.GetCookie() != "" || r.GetReplacedBy() != "fledge_session=s1" || r.GetEverywhere() || by.UserID != "" {
		t.Errorf("identity was asked %v", got)
	}
	g.Identity.Fail(apitest.ErrAway)
	comesBack("; fledge_session=old")
}

func TestAppleFormCallback(t *testing.T) {
	g := apitest.Start(t)
	form := apitest.Header("Content-Type", "application/x-www-form-urlencoded")
	// At the first sign-in Apple says who the person is, too, which leaves no trace.
	a := g.Post(apitest.CallbackPath+"apple", "state=y&code=x&user=%7B%22email%22%3A%22ann%40example.com%22%7D", form, apitest.Header("Origin", "https://appleid.apple.com"), apitest.Header("Sec-Fetch-Site", "cross-site")).Is(http.StatusFound)
	if location := a.Header.Get("Location"); location != "http://localhost:8080"+apitest.CallbackPath+"apple?code=x&state=y" {
		t.Errorf("leads to %s", location)
	}
	if _, bodies := g.Kratos.Seen(); bodies[0] != "code=x&state=y" {
		t.Errorf("Kratos got %q", bodies[0])
	}
	// What is no form of Apple's, or too long, leads to the page for sign-ins that failed.
	for _, a := range []apitest.Answer{g.Post(apitest.CallbackPath+"apple", `{"code":"x"}`), g.Post(apitest.CallbackPath+"apple", strings.Repeat("x", 64<<10+1), form)} {
		if location := a.Is(http.StatusSeeOther).Header.Get("Location"); location != "/auth/error" {
			t.Errorf("a bad form leads to %q", location)
		}
	}
	if requests, _ := g.Kratos.Seen(); len(requests) != 1 {
		t.Errorf("Kratos was asked %d times", len(requests))
	}
	g.Post(apitest.CallbackPath+"google", "code=x", form).Fails(http.StatusMethodNotAllowed, "method_not_allowed")
}

// TestStrangersLeaveNothingAtKratos: Kratos keeps a row of each callback that it refuses.
func TestStrangersLeaveNothingAtKratos(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.Rates[route.SignIn] = limits.Rate{PerMinute: 0.001, Burst: 3} })
	form := apitest.Header("Content-Type", "application/x-www-form-urlencoded")
	begun := apitest.Cookie(apitest.Begun)
	leads := func(a apitest.Answer) {
		t.Helper()
		if a.Is(http.StatusSeeOther); !strings.HasSuffix(a.Header.Get("Location"), "/auth/error?error_code=sign_in_interrupted") || a.Header.Get("Set-Cookie") != "" {
			t.Errorf("leads to %q", a.Header.Get("Location"))
		}
	}
	for _, provider := range []string{"google", "apple"} {
		path := apitest.CallbackPath + provider
		leads(g.Get(path+"?code=x&state=y", apitest.From("203.0.113.1")))
		leads(g.Get(path+"?code=x&state=y", apitest.Cookie("ory_kratos_continuity="), apitest.From("203.0.113.2")))
		leads(g.Get(path+"?code=x", begun, apitest.From("203.0.113.3")))
		leads(g.Get(path+"?code=x&state=", begun, apitest.From("203.0.113.4")))
	}
	leads(g.Post(apitest.CallbackPath+"apple", "code=x", form))
	leads(g.Post(apitest.CallbackPath+"apple", "code=x&state=", form))
	if requests, _ := g.Kratos.Seen(); len(requests) > 0 {
		t.Errorf("Kratos was asked %s", requests[0].URL)
	}
	// Whoever has begun a sign-in has the rate of sign-ins for coming back.
	for range 10 {
		g.Get(apitest.CallbackPath+"google?code=x&state=y", begun, apitest.From("203.0.113.5")).Is(http.StatusSeeOther)
	}
	if requests, _ := g.Kratos.Seen(); len(requests) != 3 {
		t.Errorf("Kratos was asked %d times", len(requests))
	}
}

func TestCallbackLeadsNowhereElse(t *testing.T) {
	g := apitest.Start(t)
	for _, location := range []string{"https://evil.example/", "//evil.example", "http://127.0.0.1:4434/admin/identities", "http://localhost:8080@evil.example/", "", `/\evil.example`, `\\evil.example`, `/a\..\\evil.example`} {
		g.Kratos.Location = location
		a := g.Get(apitest.CallbackPath+"google?code=x&state=y", apitest.Cookie(apitest.Begun)).Is(http.StatusSeeOther)
		if a.Header.Get("Location") != "http://localhost:8080/auth/error" || a.Header.Get("Set-Cookie") != "" {
			t.Errorf("%q leads to %q", location, a.Header.Get("Location"))
		}
	}
}
