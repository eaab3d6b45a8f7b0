package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func aSession() *identityv1.Session {
	return &identityv1.Session{
		AccessToken: "at", RefreshToken: "rt", ExpiresAt: timestamppb.New(time.Unix(1_800_000_000, 0)), ExpiresIn: 600,
		User: &identityv1.User{Id: anyID, Email: "zoe@example.com", Provider: "google", Identities: []string{"apple", "google"}},
	}
}

const userJSON = `{"id":"` + anyID + `","email":"zoe@example.com","app_metadata":{"provider":"google"},
	"identities":[{"provider":"apple"},{"provider":"google"}],"factors":[]}`

func TestSession(t *testing.T) {
	g := ready(t)
	a := g.get("/api/auth/session", cookie("theme=dark; fledge_session=s1; csrf_token_x=y"), from("203.0.113.9"), header("User-Agent", "UA/1"))
	a.is(http.StatusOK, `{"access_token":"at","refresh_token":"rt","expires_in":600,"expires_at":1800000000,"token_type":"bearer","user":`+userJSON+`}`)
	if got := a.header.Values("Set-Cookie"); len(got) != 1 || got[0] != "fledge_hint=Z; Path=/; Max-Age=2592000; SameSite=Lax" {
		t.Errorf("cookies: %q", got)
	}
	if a.header.Get("Cache-Control") != "no-store" {
		t.Error("the answer may be kept")
	}
	req, caller := g.identity.last()
	r := req.(*identityv1.CreateSessionRequest)
	if r.GetCookie() != "fledge_session=s1" || r.GetIpAddress() != "203.0.113.9" || r.GetUserAgent() != "UA/1" || caller.UserID != "" {
		t.Errorf("identity was asked %v as %v", r, caller)
	}
}

func TestSessionWithoutOneAsksNobodyAndClearsTheHint(t *testing.T) {
	g := ready(t)
	for _, value := range []string{"", "fledge_session=", "other=x", "fledge_session=a; fledge_session=b"} {
		a := g.get("/api/auth/session", cookie(value)).fails(http.StatusUnauthorized, "no_session")
		if got := a.header.Get("Set-Cookie"); !strings.HasPrefix(got, "fledge_hint=; Path=/; Max-Age=0") {
			t.Errorf("cookie %q", got)
		}
	}
	if g.identity.count() != 0 {
		t.Error("identity was asked")
	}
}

func TestSessionThatEnded(t *testing.T) {
	g := ready(t)
	g.identity.fail(fault.New(fault.Unauthenticated, "no_session", "Please sign in."))
	a := g.get("/api/auth/session", cookie("fledge_session=old")).fails(http.StatusUnauthorized, "no_session")
	if !strings.Contains(a.header.Get("Set-Cookie"), "Max-Age=0") {
		t.Error("the hint stays")
	}
	// An outage is not a sign-out: the hint must survive it.
	g.identity.fail(fault.New(fault.Unavailable, "kratos_unavailable", "Later."))
	a = g.get("/api/auth/session", cookie("fledge_session=old")).fails(http.StatusServiceUnavailable, "kratos_unavailable")
	if a.header.Get("Set-Cookie") != "" || a.header.Get("Retry-After") == "" {
		t.Errorf("headers: %v", a.header)
	}
}

func TestHintIsOneHarmlessLetter(t *testing.T) {
	g := ready(t)
	for email, want := range map[string]string{"9a@b.co": "9", "é@b.co": "U", ";x@b.co": "U", "": "U", "\"q\"@b.co": "U"} {
		g.identity.session = aSession()
		g.identity.session.User.Email = email
		a := g.get("/api/auth/session", cookie("fledge_session=s1"))
		if got := a.header.Get("Set-Cookie"); !strings.HasPrefix(got, "fledge_hint="+want+";") {
			t.Errorf("%q: %q", email, got)
		}
	}
}

func TestUserAndAdminRole(t *testing.T) {
	g := ready(t)
	_, user := g.issuer.User("zoe@example.com")
	_, admin := g.issuer.Admin("admin@example.com")
	g.get("/api/auth/user", bearer(user)).is(http.StatusOK, userJSON)
	g.get("/api/is-admin", bearer(user)).is(http.StatusOK, `{"isAdmin":false}`)
	g.get("/api/is-admin", bearer(admin)).is(http.StatusOK, `{"isAdmin":true}`)
}

func TestKeysOutliveIdentity(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	g.get("/api/get-waitlist-status", bearer(token)).is(http.StatusOK)
	before := g.get("/api/auth/jwks.json").is(http.StatusOK)
	if before.header.Get("Cache-Control") != "public, max-age=600" {
		t.Error(before.header.Get("Cache-Control"))
	}
	g.identity.fail(fault.New(fault.Unavailable, "down", "Later."))
	during := g.get("/api/auth/jwks.json").is(http.StatusOK, string(before.body))
	if during.header.Get("Cache-Control") != "public, max-age=10" {
		t.Errorf("a set that may be old: %s", during.header.Get("Cache-Control"))
	}
	g.get("/api/get-waitlist-status", bearer(token)).is(http.StatusOK)
	// Whether somebody is an admin cannot be asked, so nobody is let in as one.
	_, admin := g.issuer.Admin("admin@example.com")
	g.get("/api/is-admin", bearer(admin)).is(http.StatusServiceUnavailable)
}
