package identity_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

func TestFromCookieToSignOut(t *testing.T) {
	r := newRig(t)
	cookie := r.kratos.signIn("Ann@Example.com", true)
	s := r.session(cookie)
	u := s.GetUser()
	if u.GetEmail() != "ann@example.com" || u.GetProvider() != "google" || !slices.Equal(u.GetIdentities(), []string{"apple", "google"}) {
		t.Errorf("user %v", u)
	}
	if in := s.GetExpiresIn(); in < 590 || in > 600 {
		t.Errorf("expires in %d s", in)
	}
	own, err := r.GetUser(r.as(s), &identityv1.GetUserRequest{})
	if err != nil || own.GetUser().GetId() != u.GetId() {
		t.Errorf("own record: %v, %v", own, err)
	}
	refreshed, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: s.GetRefreshToken()})
	errtest.None(t, err)
	if _, err := r.SignOut(r.as(s), &identityv1.SignOutRequest{Cookie: cookie}); err != nil {
		t.Fatal(err)
	}
	_, err = r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: refreshed.GetSession().GetRefreshToken()})
	if !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("refreshing after sign-out: %v", err)
	}
	_, err = r.CreateSession(t.Context(), &identityv1.CreateSessionRequest{Cookie: cookie})
	if !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("the cookie after sign-out: %v", err)
	}
}

func TestKratosSeesItsOwnCookieOnly(t *testing.T) {
	r := newRig(t)
	r.session(r.kratos.signIn("ann@example.com", true))
	for _, h := range r.kratos.headers {
		if c := h.Get("Cookie"); strings.Contains(c, "theme") || strings.Contains(c, "csrf") {
			t.Errorf("Kratos was sent %q", c)
		}
	}
	before := r.kratos.calls.Load()
	for _, cookie := range []string{"", "theme=dark", "fledge_session=", "fledge_session=" + strings.Repeat("a", 5000)} {
		_, err := r.CreateSession(t.Context(), &identityv1.CreateSessionRequest{Cookie: cookie})
		if !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%.40q: %v", cookie, err)
		}
	}
	if n := r.kratos.calls.Load() - before; n != 0 {
		t.Errorf("Kratos was asked %d times about nothing", n)
	}
}

func TestUnverifiedAddressIsNobody(t *testing.T) {
	r := newRig(t)
	_, err := r.CreateSession(t.Context(), &identityv1.CreateSessionRequest{Cookie: r.kratos.signIn("victim@example.com", false)})
	if !errors.Is(err, fault.Unauthenticated) {
		t.Fatalf("got %v", err)
	}
}

func TestRolesAreCheckedAtTheSource(t *testing.T) {
	r := newRig(t)
	admin, user := r.session(r.kratos.signIn("boss@fledge.test", true)), r.session(r.kratos.signIn("ann@example.com", true))
	for s, want := range map[*identityv1.Session]bool{admin: true, user: false} {
		resp, err := r.IsAdmin(r.as(s), &identityv1.IsAdminRequest{})
		if err != nil || resp.GetIsAdmin() != want {
			t.Errorf("%s is admin: %v, %v", s.GetUser().GetEmail(), resp, err)
		}
		access, err := r.CheckAccess(t.Context(), &identityv1.CheckAccessRequest{UserId: s.GetUser().GetId(), SessionId: r.principal(s).SessionID})
		if err != nil || !access.GetSignedIn() || !access.GetActive() || slices.Contains(access.GetRoles(), identityv1.Role_ROLE_ADMIN) != want {
			t.Errorf("%s has access %v, %v", s.GetUser().GetEmail(), access, err)
		}
	}
	if _, err := r.SignOut(r.as(admin), &identityv1.SignOutRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.IsAdmin(r.as(admin), &identityv1.IsAdminRequest{}); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("after the sign-out: %v", err)
	}
	if _, err := r.CheckAccess(t.Context(), &identityv1.CheckAccessRequest{UserId: "1 OR 1=1"}); !errors.Is(err, fault.Invalid) {
		t.Errorf("no UUID: %v", err)
	}
	if _, err := r.IsAdmin(t.Context(), &identityv1.IsAdminRequest{}); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("nobody: %v", err)
	}
}

func TestFirstRolesAreAnnounced(t *testing.T) {
	r := newRig(t)
	id := r.session(r.kratos.signIn("admin@fledge.test", true)).GetUser().GetId()
	conn, err := nats.Connect(r.nats.URL())
	errtest.None(t, err)
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	errtest.None(t, err)
	var announced *jetstream.RawStreamMsg
	waittest.Eventually(t, "the event", func() bool {
		stream, err := js.Stream(t.Context(), "FLEDGE_IDENTITY")
		if err != nil {
			return false
		}
		announced, err = stream.GetLastMsgForSubject(t.Context(), "fledge.identity.v1.user.roles_changed")
		return err == nil
	})
	if got := announced.Header.Get("Fledge-Subject"); got != id {
		t.Errorf("announced %s, want %s", got, id)
	}
}

func TestPublishedKeysVerifyTokens(t *testing.T) {
	r := newRig(t)
	s := r.session(r.kratos.signIn("ann@example.com", true))
	resp, err := r.GetJWKS(t.Context(), &identityv1.GetJWKSRequest{})
	errtest.None(t, err)
	if strings.Contains(string(resp.GetJwks()), `"d"`) {
		t.Fatal("the private key is published")
	}
	p, err := authn.NewVerifier(origin, authn.NewKeys(source(resp.GetJwks()), clock.System()), clock.System()).Verify(t.Context(), s.GetAccessToken())
	if err != nil || p.UserID != s.GetUser().GetId() {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestKratosDownIsUnavailableAndTheBreakerSparesIt(t *testing.T) {
	r := newRig(t)
	cookie := r.kratos.signIn("ann@example.com", true)
	r.kratos.status.Store(503)
	for range 20 {
		_, err := r.CreateSession(t.Context(), &identityv1.CreateSessionRequest{Cookie: cookie})
		if !errors.Is(err, fault.Unavailable) {
			t.Fatalf("got %v", err)
		}
		if fault.Of(err).Retry <= 0 {
			t.Fatal("no hint when to try again")
		}
	}
	if n := r.kratos.calls.Load(); n > 6 {
		t.Errorf("%d calls went to a Kratos that is down", n)
	}
	r.kratos.status.Store(0)
	waittest.Seen(t, "it recovers", func() (bool, string) {
		_, err := r.CreateSession(t.Context(), &identityv1.CreateSessionRequest{Cookie: cookie})
		return err == nil, fmt.Sprint(err)
	})
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	good := environ("postgres://localhost/x", "nats://localhost:4222", "http://localhost:4433")
	if _, err := config.Load[identity.Config](good); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"HOOK_KEY=changeme", "KEY_ENCRYPTION_KEY=changeme", "AUDIT_LOG_RETENTION=24h", "INTERNAL_TOKEN=short", "SITE_ORIGIN=localhost", "SITE_ORIGIN=http://localhost/path", "SITE_ORIGIN=https://u@example.com",
		"KRATOS_ADMIN_URL=", "KRATOS_PUBLIC_URL=kratos:4433", "HOOK_ADDR=8090", "BOOTSTRAP_ADMIN_EMAILS=admin", "DATABASE_URL=",
	} {
		key, _, _ := strings.Cut(bad, "=")
		if _, err := config.Load[identity.Config](append(slices.Clone(good), bad)); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func source(doc []byte) authn.KeySource {
	return func(context.Context) ([]byte, error) { return doc, nil }
}
