package api_test

import (
	"net/http"
	"strings"
	"testing"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/fault"
)

func TestSignOut(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	for body, everywhere := range map[string]bool{`{}`: false, `{"scope":"device"}`: false, `{"scope":null}`: false, `{"scope":"all"}`: true} {
		a := g.post("/api/auth/sign-out", body, cookie("fledge_session=s1"), bearer(token)).is(http.StatusNoContent)
		req, caller := g.identity.last()
		asked := req.(*identityv1.SignOutRequest)
		if asked.GetCookie() != "fledge_session=s1" || asked.GetEverywhere() != everywhere || caller.UserID != id {
			t.Errorf("%s: identity was asked %v as %v", body, req, caller)
		}
		a.forgetsTheCookies()
	}
	// The cookie alone is enough, and a bearer that has run out does no harm.
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		g.post("/api/auth/sign-out", body, cookie("fledge_session=s1"), bearer("x.y.z")).is(http.StatusNoContent).forgetsTheCookies()
		if _, caller := g.identity.last(); caller.UserID != "" {
			t.Errorf("a bad bearer spoke for %v", caller)
		}
	}
	// And so is the bearer of an app, which has no cookies.
	g.post("/api/auth/sign-out", `{"scope":"all"}`, bearer(token)).is(http.StatusNoContent)
	if req, caller := g.identity.last(); req.(*identityv1.SignOutRequest).GetCookie() != "" || caller.UserID != id {
		t.Errorf("identity was asked %v as %v", req, caller)
	}
}

func (a answer) forgetsTheCookies() {
	a.t.Helper()
	for _, name := range []string{"fledge_session", "fledge_hint"} {
		if !strings.Contains(strings.Join(a.header.Values("Set-Cookie"), "\n"), name+"=; Path=/; Max-Age=0") {
			a.t.Errorf("%s stays: %q", name, a.header.Values("Set-Cookie"))
		}
	}
}

func TestSignOutRefuses(t *testing.T) {
	g := ready(t)
	for body, code := range map[string]string{
		`{"scope":""}`: "invalid_scope", `{"scope":"ALL"}`: "invalid_scope", `{"scope":"all "}`: "invalid_scope", `{"scope":"everywhere"}`: "invalid_scope",
		`{"scope":true}`: "invalid_type", `{"scope":["all"]}`: "invalid_type", `{"all":true}`: "unknown_field", `{"scope":"all","user_id":"x"}`: "unknown_field",
	} {
		a := g.post("/api/auth/sign-out", body, cookie("fledge_session=s1")).fails(http.StatusBadRequest, code)
		if a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: a refused request changes the cookies", body)
		}
	}
	if g.identity.count() != 0 {
		t.Error("a refused request reached identity")
	}
}

// TestSignOutNeverClaimsWhatItDidNotDo: a bearer alone that does not count ends
// nothing, so the answer is not that all is well.
func TestSignOutNeverClaimsWhatItDidNotDo(t *testing.T) {
	g := ready(t)
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		for _, authorization := range []string{"Bearer x.y.z", "Bearer ", "Basic dTpw"} {
			g.post("/api/auth/sign-out", body, header("Authorization", authorization)).is(http.StatusUnauthorized).forgetsTheCookies()
		}
	}
	if g.identity.count() != 0 {
		t.Error("identity was asked to sign nobody out")
	}
	g.post("/api/auth/sign-out", `{}`).is(http.StatusNoContent) // nothing was claimed, and nothing is left
}

// TestSignOutWithoutKeys: a bearer that cannot be verified may be anybody's. What
// the cookie stands for ends, the rest has to be tried again.
func TestSignOutWithoutKeys(t *testing.T) {
	g := ready(t)
	g.identity.keyless.Store(true)
	_, token := g.issuer.User("user@example.com")
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		before := g.identity.count()
		a := g.post("/api/auth/sign-out", body, bearer(token)).is(http.StatusServiceUnavailable)
		a.forgetsTheCookies()
		if a.header.Get("Retry-After") == "" || g.identity.count() != before {
			t.Errorf("%s: headers %v, %d calls", body, a.header, g.identity.count()-before)
		}
		g.post("/api/auth/sign-out", body, bearer(token), cookie("fledge_session=s1")).is(http.StatusServiceUnavailable).forgetsTheCookies()
		if req, caller := g.identity.last(); req.(*identityv1.SignOutRequest).GetCookie() != "fledge_session=s1" || caller.UserID != "" {
			t.Errorf("%s: identity was asked %v as %v", body, req, caller)
		}
	}
}

// TestSignOutWhileIdentityIsAway: the browser forgets its cookies at once, and
// hears that the rest has to be tried again.
func TestSignOutWhileIdentityIsAway(t *testing.T) {
	g := ready(t)
	g.identity.fail(fault.New(fault.Unavailable, "down", "Later."))
	for _, body := range []string{`{}`, `{"scope":"all"}`} {
		a := g.post("/api/auth/sign-out", body, cookie("fledge_session=s1")).fails(http.StatusServiceUnavailable, "down")
		a.forgetsTheCookies()
		if a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

func TestCookieRoutesServeOnlyOurOwnSite(t *testing.T) {
	g := ready(t)
	for name, tt := range map[string]struct {
		options []option
		passes  bool
	}{
		"our page":                   {[]option{header("Sec-Fetch-Site", "same-origin")}, true},
		"no browser":                 {nil, true},
		"an older browser, our page": {[]option{header("Origin", "http://localhost:8080")}, true},
		"another site":               {[]option{header("Sec-Fetch-Site", "cross-site")}, false},
		"a sibling site":             {[]option{header("Sec-Fetch-Site", "same-site")}, false},
		"an older browser elsewhere": {[]option{header("Origin", "https://evil.example")}, false},
		"a sandboxed frame":          {[]option{header("Origin", "null")}, false},
		"a look-alike":               {[]option{header("Origin", "http://localhost:8080.evil.example")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			with := append(tt.options, cookie("fledge_session=s1"))
			before := g.identity.count()
			read, write := g.get("/api/auth/session", with...), g.post("/api/auth/sign-out", `{"scope":"all"}`, with...)
			if tt.passes {
				read.is(http.StatusOK)
				write.is(http.StatusNoContent)
				return
			}
			for _, a := range []answer{read, write} {
				a.fails(http.StatusForbidden, "foreign_site")
				if a.header.Get("Set-Cookie") != "" {
					t.Error("another site changes the cookies")
				}
			}
			if g.identity.count() != before {
				t.Error("another site's request reached identity")
			}
		})
	}
}

// TestACookieOpensNoOtherRoute: what signs a device out or hands the session over
// asks for a bearer, which no other site can make the browser send.
func TestACookieOpensNoOtherRoute(t *testing.T) {
	g := ready(t)
	for _, route := range g.served() {
		if samples[route].who[authntest.Nobody] != http.StatusUnauthorized || route == "GET /api/auth/session" {
			continue
		}
		for _, site := range []string{"cross-site", "same-origin"} {
			g.send(route, cookie("fledge_session=s1; fledge_hint=Z"), header("Sec-Fetch-Site", site)).is(http.StatusUnauthorized)
		}
	}
	if effects := g.effects(); len(effects) > 0 {
		t.Errorf("a cookie had effects: %v", effects)
	}
}
