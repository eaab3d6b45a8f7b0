package identity_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func TestSession(t *testing.T) {
	g := apitest.Ready(t)
	a := g.Get("/api/auth/session", apitest.Cookie("theme=dark; fledge_session=s1; csrf_token_x=y"), apitest.From("203.0.113.9"), apitest.Header("User-Agent", "UA/1"))
	a.Is(http.StatusOK, `{"access_token":"at","refresh_token":"rt","expires_in":600,"expires_at":1800000000,"token_type":"bearer","user":`+apitest.UserJSON+`}`)
	if got := a.Header.Values("Set-Cookie"); len(got) != 1 || got[0] != "fledge_hint=Z; Path=/; Max-Age=2592000; SameSite=Lax" {
		t.Errorf("cookies: %q", got)
	}
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Error("the answer may be kept")
	}
	req, caller := g.Identity.Last()
	r := req.(*identityv1.CreateSessionRequest)
	if r.GetCookie() != "fledge_session=s1" || r.GetIpAddress() != "203.0.113.9" || r.GetUserAgent() != "UA/1" || caller.UserID != "" {
		t.Errorf("identity was asked %v as %v", r, caller)
	}
}

func TestSessionThatTookADeletionBack(t *testing.T) {
	g := apitest.Ready(t)
	g.Identity.DeletionTakenBack = true
	g.Get("/api/auth/session", apitest.Cookie("fledge_session=s1")).
		Is(http.StatusOK, strings.TrimSuffix(apitest.SessionJSON, "}")+`,"deletionTakenBack":true}`)
}

func TestSessionWithoutOneAsksNobodyAndClearsTheHint(t *testing.T) {
	g := apitest.Ready(t)
	for _, value := range []string{"", "fledge_session=", "other=x", "fledge_session=a; fledge_session=b"} {
		a := g.Get("/api/auth/session", apitest.Cookie(value)).Fails(http.StatusUnauthorized, "no_session")
		if got := a.Header.Get("Set-Cookie"); !strings.HasPrefix(got, "fledge_hint=; Path=/; Max-Age=0") {
			t.Errorf("cookie %q", got)
		}
	}
	if g.Identity.Count() != 0 {
		t.Error("identity was asked")
	}
}

func TestSessionThatEnded(t *testing.T) {
	g := apitest.Ready(t)
	g.Identity.Fail(fault.New(fault.Unauthenticated, "no_session", "Please sign in."))
	a := g.Get("/api/auth/session", apitest.Cookie("fledge_session=old")).Fails(http.StatusUnauthorized, "no_session")
	if !strings.Contains(a.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Error("the hint stays")
	}
	// An outage is not a sign-out: the hint must survive it.
	g.Identity.Fail(fault.New(fault.Unavailable, "kratos_unavailable", "Later."))
	a = g.Get("/api/auth/session", apitest.Cookie("fledge_session=old")).Fails(http.StatusServiceUnavailable, "kratos_unavailable")
	if a.Header.Get("Set-Cookie") != "" || a.Header.Get("Retry-After") == "" {
		t.Errorf("headers: %v", a.Header)
	}
}

func TestHintIsOneHarmlessLetter(t *testing.T) {
	g := apitest.Ready(t)
	for email, want := range map[string]string{"9a@b.co": "9", "é@b.co": "U", ";x@b.co": "U", "": "U", "\"q\"@b.co": "U"} {
		g.Identity.Session = apitest.ASession()
		g.Identity.Session.User.Email = email
		a := g.Get("/api/auth/session", apitest.Cookie("fledge_session=s1"))
		if got := a.Header.Get("Set-Cookie"); !strings.HasPrefix(got, "fledge_hint="+want+";") {
			t.Errorf("%q: %q", email, got)
		}
	}
}

func TestUserAndAdminRole(t *testing.T) {
	g := apitest.Ready(t)
	_, user := g.Issuer.User("zoe@example.com")
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Get("/api/auth/user", apitest.Bearer(user)).Is(http.StatusOK, apitest.UserJSON)
	g.Get("/api/is-admin", apitest.Bearer(user)).Is(http.StatusOK, `{"isAdmin":false,"isModerator":false}`)
	g.Get("/api/is-admin", apitest.Bearer(admin)).Is(http.StatusOK, `{"isAdmin":true,"isModerator":false}`)
}

func TestKeysOutliveIdentity(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Get("/api/get-waitlist-status", apitest.Bearer(token)).Is(http.StatusOK)
	before := g.Get("/api/auth/jwks.json").Is(http.StatusOK)
	if before.Header.Get("Cache-Control") != "public, max-age=600" {
		t.Error(before.Header.Get("Cache-Control"))
	}
	g.Identity.Fail(fault.New(fault.Unavailable, "down", "Later."))
	during := g.Get("/api/auth/jwks.json").Is(http.StatusOK, string(before.Body))
	if during.Header.Get("Cache-Control") != "public, max-age=10" {
		t.Errorf("a set that may be old: %s", during.Header.Get("Cache-Control"))
	}
	g.Get("/api/get-waitlist-status", apitest.Bearer(token)).Is(http.StatusOK)
	// Whether somebody is an admin cannot be asked, so nobody is let in as one.
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Get("/api/is-admin", apitest.Bearer(admin)).Is(http.StatusServiceUnavailable)
}
