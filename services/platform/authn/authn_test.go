package authn_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
)

func TestVerifyAcceptsOurTokens(t *testing.T) {
	issuer := authntest.New(t, nil)
	id, token := issuer.User("ann@example.com")

	p, err := issuer.Verifier().Verify(t.Context(), token)

	if err != nil || p.UserID != id || p.Email != "ann@example.com" || p.SessionID == "" || p.Bearer != token {
		t.Fatalf("got %+v, %v", p, err)
	}
}

func TestARememberedTokenStillExpires(t *testing.T) {
	clk := clock.NewFake(time.Now())
	issuer := authntest.New(t, clk)
	_, token := issuer.User("ann@example.com")
	verifier := issuer.Verifier()
	if _, err := verifier.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	clk.Advance(11 * time.Minute)
	if _, err := verifier.Verify(t.Context(), token); !errors.Is(err, fault.Unauthenticated) {
		t.Fatalf("got %v", err)
	}
}

// TestAVerifierAMinuteOff takes tokens for as long as they are good.
func TestAVerifierAMinuteOff(t *testing.T) {
	for _, off := range []time.Duration{-time.Minute, time.Minute} {
		now := time.Now()
		here, there := clock.NewFake(now), clock.NewFake(now.Add(off))
		issuer := authntest.New(t, here)
		_, token := issuer.User("ann@example.com")
		for _, age := range []time.Duration{0, 10*time.Minute - time.Second} {
			there.Advance(age)
			// Each by a verifier that does not remember it.
			verifier := authn.NewVerifier(authntest.Origin, authn.NewKeys(issuer.JWKS, there), there)
			if _, err := verifier.Verify(t.Context(), token); err != nil {
				t.Errorf("%s off, after %s: %v", off, age, err)
			}
		}
	}
}

func TestParseBearerAcceptsOneForm(t *testing.T) {
	for _, good := range []string{"Bearer abc", "bearer abc", "BEARER abc"} {
		if token, ok, err := authn.ParseBearer([]string{good}); token != "abc" || !ok || err != nil {
			t.Errorf("%q: %q, %v, %v", good, token, ok, err)
		}
	}
	if _, ok, err := authn.ParseBearer(nil); ok || err != nil {
		t.Errorf("absent: %t %v", ok, err)
	}
	for _, bad := range [][]string{{"bearer"}, {"Bearer\tabc"}, {"\u212aearer abc"}, {"Bearer  abc"}, {"Bearer "}, {"Basic abc"}, {"abc"}, {"Bearer a b"}, {"Bearer a", "Bearer b"}, {""}} {
		if _, _, err := authn.ParseBearer(bad); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

func TestGuardMatrix(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, user := issuer.User("user@example.com")
	_, moderator := issuer.Moderator("moderator@example.com")
	_, admin := issuer.Admin("admin@example.com")
	offID, off := issuer.Admin("off@example.com")
	issuer.Disable(offID)
	goneID, gone := issuer.Admin("gone@example.com")
	issuer.SignOut(goneID)
	policy := authn.Policy{"/public": authn.Public, "/user": authn.User, "/staff": authn.Staff, "/admin": authn.Admin, "/internal": authn.Internal}
	guard := authn.NewGuard(policy, issuer.Verifier(), issuer, config.Secret("s3cret"))

	ok := fault.Kind("")
	for _, tc := range []struct {
		caller                                         string
		authorization, internal                        []string
		public, user, staff, admin, internalM, unknown fault.Kind
	}{
		{"anonymous", nil, nil, ok, fault.Unauthenticated, fault.Unauthenticated, fault.Unauthenticated, fault.NotFound, fault.NotFound},
		{"bad token", []string{"Bearer x"}, nil, fault.Unauthenticated, fault.Unauthenticated, fault.Unauthenticated, fault.Unauthenticated, fault.NotFound, fault.NotFound},
		{"user", []string{"Bearer " + user}, nil, ok, ok, fault.Forbidden, fault.Forbidden, fault.NotFound, fault.NotFound},
		{"moderator", []string{"Bearer " + moderator}, nil, ok, ok, ok, fault.Forbidden, fault.NotFound, fault.NotFound},
		{"admin", []string{"Bearer " + admin}, nil, ok, ok, ok, ok, fault.NotFound, fault.NotFound},
		{"disabled admin", []string{"Bearer " + off}, nil, ok, ok, fault.Forbidden, fault.Forbidden, fault.NotFound, fault.NotFound},
		{"signed-out admin", []string{"Bearer " + gone}, nil, ok, ok, fault.Unauthenticated, fault.Unauthenticated, fault.NotFound, fault.NotFound},
		{"service", nil, []string{"s3cret"}, ok, fault.Unauthenticated, fault.Unauthenticated, fault.Unauthenticated, ok, fault.NotFound},
		{"wrong service", nil, []string{"guess"}, ok, fault.Unauthenticated, fault.Unauthenticated, fault.Unauthenticated, fault.NotFound, fault.NotFound},
	} {
		for method, want := range map[string]fault.Kind{"/public": tc.public, "/user": tc.user, "/staff": tc.staff, "/admin": tc.admin, "/internal": tc.internalM, "/unknown": tc.unknown} {
			_, err := guard.Admit(t.Context(), method, tc.authorization, tc.internal)
			if (want == ok && err != nil) || (want != ok && !errors.Is(err, want)) {
				t.Errorf("%s calls %s: got %v, want %q", tc.caller, method, err, want)
			}
		}
	}
}

// TestTheLogAloneIsToldOfAnotherInternalToken: whoever calls learns nothing.
func TestTheLogAloneIsToldOfAnotherInternalToken(t *testing.T) {
	issuer := authntest.New(t, nil)
	guard := authn.NewGuard(authn.Policy{"/internal": authn.Internal}, issuer.Verifier(), issuer, config.Secret("new,old"))
	_, other := guard.Admit(t.Context(), "/internal", nil, []string{"newest"})
	_, none := guard.Admit(t.Context(), "/internal", nil, nil)
	if !strings.Contains(other.Error(), "INTERNAL_TOKEN") || strings.Contains(other.Error(), "newest") || strings.Contains(none.Error(), "INTERNAL_TOKEN") {
		t.Errorf("the log has %q, and %q of a stranger", other, none)
	}
	if told, want := fault.Of(other), fault.Of(none); told.Message != want.Message || told.Reason != want.Reason {
		t.Errorf("told %v, and a stranger %v", told, want)
	}
}

func TestStaffNeedABrowserAndALateSignIn(t *testing.T) {
	clk := clock.NewFake(time.Now())
	issuer := authntest.New(t, clk)
	policy := authn.Policy{"/user": authn.User, "/active": authn.Active, "/staff": authn.Staff, "/admin": authn.Admin, "/fresh": authn.FreshAdmin}
	guard := authn.NewGuard(policy, issuer.Verifier(), issuer, "")
	mac, browser := uuid.NewString(), uuid.NewString()
	for _, admin := range []string{mac, browser} {
		issuer.SetAdmin(admin, true)
		issuer.SignedInAgo(admin, 0)
	}
	issuer.UseMac(mac)
	start := clk.Now()
	const staff, fresh = "staff_sign_in_required", "fresh_sign_in_required"
	for _, tc := range []struct {
		who         string
		age         time.Duration
		admin, late string
	}{
		{mac, 0, staff, staff},
		{browser, 15 * time.Minute, "", ""},
		{browser, 15*time.Minute + time.Second, "", fresh},
		{browser, 12 * time.Hour, "", fresh},
		{browser, 12*time.Hour + time.Second, staff, staff},
	} {
		clk.Advance(start.Add(tc.age).Sub(clk.Now()))
		token := []string{"Bearer " + issuer.Token(tc.who, "admin@example.com", nil)}
		for method, want := range map[string]string{"/user": "", "/active": "", "/staff": tc.admin, "/admin": tc.admin, "/fresh": tc.late} {
			_, err := guard.Admit(t.Context(), method, token, nil)
			if want == "" && err != nil || want != "" && (fault.Of(err).Reason != want || !errors.Is(err, fault.Forbidden)) {
				t.Errorf("%s, %s after the sign-in: got %v, want %q", method, tc.age, err, want)
			}
		}
	}
	// Whoever is no admin learns nothing of ages.
	userID, user := issuer.User("user@example.com")
	issuer.SignedInAgo(userID, 13*time.Hour)
	if _, err := guard.Admit(t.Context(), "/fresh", []string{"Bearer " + user}, nil); !errors.Is(err, authn.ErrForbidden) {
		t.Errorf("a user: %v", err)
	}
}

type brokenChecker struct{}

func (brokenChecker) CheckAccess(context.Context, authn.Principal) (authn.Rights, error) {
	return authn.Rights{SignedIn: true, Active: true, Admin: true}, errors.New("identity is down")
}

func TestGuardFailsClosed(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, admin := issuer.Admin("admin@example.com")
	guard := authn.NewGuard(authn.Policy{"/admin": authn.Admin}, issuer.Verifier(), brokenChecker{}, "")
	if _, err := guard.Admit(t.Context(), "/admin", []string{"Bearer " + admin}, nil); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("got %v", err)
	}
}
