package identity_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/fault"
)

func TestSignOut(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	for body, everywhere := range map[string]bool{`{}`: false, `{"scope":"device"}`: false, `{"scope":null}`: false, `{"scope":"all"}`: true} {
		a := g.Post("/api/auth/sign-out", body, apitest.Cookie("fledge_session=s1"), apitest.Bearer(token)).Is(http.StatusNoContent)
		req, caller := g.Identity.Last()
		asked := req.(*identityv1.SignOutRequest)
		if asked.GetCookie() != "fledge_session=s1" || asked.GetEverywhere() != everywhere || caller.UserID != id {
			t.Errorf("%s: identity was asked %v as %v", body, req, caller)
		}
		forgetsTheCookies(a)
	}
	// The cookie alone is enough, and a bearer that has run out does no harm.
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		forgetsTheCookies(g.Post("/api/auth/sign-out", body, apitest.Cookie("fledge_session=s1"), apitest.Bearer("x.y.z")).Is(http.StatusNoContent))
		if _, caller := g.Identity.Last(); caller.UserID != "" {
			t.Errorf("a bad bearer spoke for %v", caller)
		}
	}
	// And so is the bearer of an app, which has no cookies.
	g.Post("/api/auth/sign-out", `{"scope":"all"}`, apitest.Bearer(token)).Is(http.StatusNoContent)
	if req, caller := g.Identity.Last(); req.(*identityv1.SignOutRequest).GetCookie() != "" || caller.UserID != id {
		t.Errorf("identity was asked %v as %v", req, caller)
	}
}

// TestSignOutOfTheOthersLeavesThisBrowser: its cookies stay, and nobody is asked for but the bearer's account.
func TestSignOutOfTheOthersLeavesThisBrowser(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	for _, headers := range [][]apitest.Option{
		{apitest.Cookie("fledge_session=s1"), apitest.Bearer(token)},
		{apitest.Bearer(token)},
	} {
		a := g.Post("/api/auth/sign-out", `{"scope":"others"}`, headers...).Is(http.StatusNoContent)
		req, caller := g.Identity.Last()
		asked := req.(*identityv1.SignOutRequest)
		if !asked.GetOthers() || asked.GetEverywhere() || caller.UserID != id || (asked.GetCookie() == "fledge_session=s1") != (len(headers) == 2) {
			t.Errorf("identity was asked %v as %v", req, caller)
		}
		if cookies := a.Header.Values("Set-Cookie"); len(cookies) != 0 {
			t.Errorf("cookies %q", cookies)
		}
	}
	before := g.Identity.Count()
	g.Post("/api/auth/sign-out", `{"scope":"others"}`, apitest.Cookie("fledge_session=s1")).Fails(http.StatusUnauthorized, "no_session")
	g.Post("/api/auth/sign-out", `{"scope":"others"}`, apitest.Cookie("fledge_session=s1"), apitest.Bearer("x.y.z")).Is(http.StatusUnauthorized)
	g.Post("/api/auth/sign-out", `{"scope":"some"}`, apitest.Bearer(token)).Is(http.StatusBadRequest)
	if g.Identity.Count() != before {
		t.Error("identity was asked")
	}
}

// TestOnHTTPSTheCookieIsTheHostsOwn: a sibling host can plant any cookie but one of this prefix.
func TestOnHTTPSTheCookieIsTheHostsOwn(t *testing.T) {
	g := apitest.Ready(t, func(c *api.Config) { c.Site = &url.URL{Scheme: "https", Host: "fledge.example"} })
	g.Get("/api/auth/session", apitest.Cookie("fledge_session=planted")).Fails(http.StatusUnauthorized, "no_session")
	g.Get("/api/auth/session", apitest.Cookie("fledge_session=planted; __Host-fledge_session=s1")).Is(http.StatusOK)
	if req, _ := g.Identity.Last(); req.(*identityv1.CreateSessionRequest).GetCookie() != "__Host-fledge_session=s1" {
		t.Errorf("identity was asked %v", req)
	}
	a := g.Post("/api/auth/sign-out", `{}`, apitest.Cookie("__Host-fledge_session=s1")).Is(http.StatusNoContent)
	if got := strings.Join(a.Header.Values("Set-Cookie"), "\n"); !strings.Contains(got, "__Host-fledge_session=; Path=/; Max-Age=0; HttpOnly; Secure") || strings.Contains(got, "Domain") {
		t.Errorf("cookies %q", got)
	}
}

// TestSignOutEndsEachSessionOfTheBrowser: a sibling host can plant a second cookie of the name.
func TestSignOutEndsEachSessionOfTheBrowser(t *testing.T) {
	g := apitest.Ready(t)
	before := g.Identity.Count()
	forgetsTheCookies(g.Post("/api/auth/sign-out", `{}`, apitest.Cookie("fledge_session=planted; theme=dark; fledge_session=s1; fledge_session=")).Is(http.StatusNoContent))
	if req, _ := g.Identity.Last(); g.Identity.Count() != before+2 || req.(*identityv1.SignOutRequest).GetCookie() != "fledge_session=s1" {
		t.Errorf("%d calls, the last %v", g.Identity.Count()-before, req)
	}
	g.Get("/api/auth/session", apitest.Cookie("fledge_session=planted; fledge_session=s1")).Fails(http.StatusUnauthorized, "no_session")
	g.Post("/api/auth/sign-out", `{}`, apitest.Cookie(strings.Repeat("fledge_session=x; ", 5))).Fails(http.StatusBadRequest, "too_many_cookies")
	for _, lasting := range []string{"planted", "s1"} { // whichever it is, the answer is not that all have ended
		g.Identity.Lasting = "fledge_session=" + lasting
		before := g.Identity.Count()
		g.Post("/api/auth/sign-out", `{}`, apitest.Cookie("fledge_session=planted; fledge_session=s1")).Fails(http.StatusServiceUnavailable, "down")
		if n := g.Identity.Count() - before; n != 2 {
			t.Errorf("%s lasts: %d sessions were to end, want 2", lasting, n)
		}
	}
	g.Identity.Fail(fault.New(fault.Unavailable, "down", "Later."))
	g.Post("/api/auth/sign-out", `{}`, apitest.Cookie("fledge_session=planted; fledge_session=s1")).Fails(http.StatusServiceUnavailable, "down")
}

func forgetsTheCookies(a apitest.Answer) {
	a.T.Helper()
	for _, name := range []string{"fledge_session", "fledge_hint"} {
		if !strings.Contains(strings.Join(a.Header.Values("Set-Cookie"), "\n"), name+"=; Path=/; Max-Age=0") {
			a.T.Errorf("%s stays: %q", name, a.Header.Values("Set-Cookie"))
		}
	}
}

func TestSignOutRefuses(t *testing.T) {
	g := apitest.Ready(t)
	for body, code := range map[string]string{
		`{"scope":""}`: "invalid_scope", `{"scope":"ALL"}`: "invalid_scope", `{"scope":"all "}`: "invalid_scope", `{"scope":"everywhere"}`: "invalid_scope",
		`{"scope":true}`: "invalid_type", `{"scope":["all"]}`: "invalid_type", `{"all":true}`: "unknown_field", `{"scope":"all","user_id":"x"}`: "unknown_field",
	} {
		a := g.Post("/api/auth/sign-out", body, apitest.Cookie("fledge_session=s1")).Fails(http.StatusBadRequest, code)
		if a.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: a refused request changes the cookies", body)
		}
	}
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
}

// TestSignOutNeverClaimsWhatItDidNotDo: a bearer alone that does not count ends
// nothing, so the answer is not that all is well.
func TestSignOutNeverClaimsWhatItDidNotDo(t *testing.T) {
	g := apitest.Ready(t)
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		for _, authorization := range []string{"Bearer x.y.z", "Bearer ", "Basic dTpw"} {
			forgetsTheCookies(g.Post("/api/auth/sign-out", body, apitest.Header("Authorization", authorization)).Is(http.StatusUnauthorized))
		}
	}
	if g.Identity.Count() != 0 {
		t.Error("identity was asked to sign nobody out")
	}
	g.Post("/api/auth/sign-out", `{}`).Is(http.StatusNoContent) // nothing was claimed, and nothing is left
}

// TestSignOutWithoutKeys: a bearer that cannot be verified may be anybody's. What
// the cookie stands for ends, the rest has to be tried again.
func TestSignOutWithoutKeys(t *testing.T) {
	g := apitest.Ready(t)
	g.Identity.Keyless.Store(true)
	_, token := g.Issuer.User("user@example.com")
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		before := g.Identity.Count()
		a := g.Post("/api/auth/sign-out", body, apitest.Bearer(token)).Is(http.StatusServiceUnavailable)
		forgetsTheCookies(a)
		if a.Header.Get("Retry-After") == "" || g.Identity.Count() != before {
			t.Errorf("%s: headers %v, %d calls", body, a.Header, g.Identity.Count()-before)
		}
		forgetsTheCookies(g.Post("/api/auth/sign-out", body, apitest.Bearer(token), apitest.Cookie("fledge_session=s1")).Is(http.StatusServiceUnavailable))
		if req, caller := g.Identity.Last(); req.(*identityv1.SignOutRequest).GetCookie() != "fledge_session=s1" || caller.UserID != "" {
			t.Errorf("%s: identity was asked %v as %v", body, req, caller)
		}
	}
}

// TestSignOutWhileIdentityIsAway: the browser forgets its cookies at once, and
// hears that the rest has to be tried again.
func TestSignOutWhileIdentityIsAway(t *testing.T) {
	g := apitest.Ready(t)
	g.Identity.Fail(fault.New(fault.Unavailable, "down", "Later."))
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		a := g.Post("/api/auth/sign-out", body, apitest.Cookie("fledge_session=s1")).Fails(http.StatusServiceUnavailable, "down")
		forgetsTheCookies(a)
		if a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

func TestCookieRoutesServeOnlyOurOwnSite(t *testing.T) {
	g := apitest.Ready(t)
	for name, tt := range map[string]struct {
		options []apitest.Option
		passes  bool
	}{
		"our page":                   {[]apitest.Option{apitest.Header("Sec-Fetch-Site", "same-origin")}, true},
		"no browser":                 {nil, true},
		"an older browser, our page": {[]apitest.Option{apitest.Header("Origin", "http://localhost:8080")}, true},
		"another site":               {[]apitest.Option{apitest.Header("Sec-Fetch-Site", "cross-site")}, false},
		"a sibling site":             {[]apitest.Option{apitest.Header("Sec-Fetch-Site", "same-site")}, false},
		"an older browser elsewhere": {[]apitest.Option{apitest.Header("Origin", "https://evil.example")}, false},
		"our host, another scheme":   {[]apitest.Option{apitest.Header("Origin", "https://localhost:8080"), apitest.Header("Host", "localhost:8080")}, false},
		"our host, another port":     {[]apitest.Option{apitest.Header("Origin", "http://localhost")}, false},
		"a sandboxed frame":          {[]apitest.Option{apitest.Header("Origin", "null")}, false},
		"a look-alike":               {[]apitest.Option{apitest.Header("Origin", "http://localhost:8080.evil.example")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			with := append(tt.options, apitest.Cookie("fledge_session=s1"))
			before := g.Identity.Count()
			read, write := g.Get("/api/auth/session", with...), g.Post("/api/auth/sign-out", `{"scope":"all"}`, with...)
			if tt.passes {
				read.Is(http.StatusOK)
				write.Is(http.StatusNoContent)
				return
			}
			for _, a := range []apitest.Answer{read, write} {
				a.Fails(http.StatusForbidden, "foreign_site")
				if a.Header.Get("Set-Cookie") != "" {
					t.Error("another site changes the cookies")
				}
			}
			if g.Identity.Count() != before {
				t.Error("another site's request reached identity")
			}
		})
	}
}

// TestACookieOpensNoOtherRoute: what signs a device out or hands the session over
// asks for a bearer, which no other site can make the browser send.
func TestACookieOpensNoOtherRoute(t *testing.T) {
	g := apitest.Ready(t)
	for _, route := range g.Served() {
		opens := route == "GET /api/auth/session" || strings.HasSuffix(route, "-second-factor") && route != "POST /api/reset-second-factor" ||
			slices.Contains([]string{"GET /api/auth/second-factor", "POST /api/auth/create-recovery-codes"}, route)
		if apitest.Samples[route].Who[authntest.Nobody] != http.StatusUnauthorized || opens {
			continue
		}
		for _, site := range []string{"cross-site", "same-origin"} {
			g.Send(route, apitest.Cookie("fledge_session=s1; fledge_hint=Z"), apitest.Header("Sec-Fetch-Site", site)).Is(http.StatusUnauthorized)
		}
	}
	if effects := g.Effects(); len(effects) > 0 {
		t.Errorf("a cookie had effects: %v", effects)
	}
}
