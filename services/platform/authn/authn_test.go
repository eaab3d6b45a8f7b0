package authn_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

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

func TestVerifyRefusesEverythingElse(t *testing.T) {
	issuer := authntest.New(t, nil)
	id, good := issuer.User("ann@example.com")
	spoilt := func(change func(*authn.Claims, map[string]any)) string {
		return issuer.Token(id, "ann@example.com", change)
	}
	hour := jwt.NewNumericDate(time.Now().Add(time.Hour))
	parts := strings.Split(good, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt"}`))
	_, foreign := authntest.New(t, nil).User("ann@example.com")

	for name, token := range map[string]string{
		"empty":         "",
		"not a token":   "abc",
		"no signature":  parts[0] + "." + parts[1] + ".",
		"alg none":      none + "." + parts[1] + ".",
		"foreign key":   foreign,
		"other payload": parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"x"}`)) + "." + parts[2],
		"expired": spoilt(func(c *authn.Claims, _ map[string]any) {
			c.ExpiresAt = jwt.NewNumericDate(time.Now().Add(-time.Minute))
		}),
		"no expiry":       spoilt(func(c *authn.Claims, _ map[string]any) { c.ExpiresAt = nil }),
		"issued later":    spoilt(func(c *authn.Claims, _ map[string]any) { c.IssuedAt = hour }),
		"not yet valid":   spoilt(func(c *authn.Claims, _ map[string]any) { c.NotBefore = hour }),
		"other issuer":    spoilt(func(c *authn.Claims, _ map[string]any) { c.Issuer = "https://evil.example" }),
		"other audience":  spoilt(func(c *authn.Claims, _ map[string]any) { c.Audience = jwt.ClaimStrings{"other"} }),
		"other type":      spoilt(func(_ *authn.Claims, h map[string]any) { h["typ"] = "JWT" }),
		"unknown key":     spoilt(func(_ *authn.Claims, h map[string]any) { h["kid"] = "nope" }),
		"subject no UUID": spoilt(func(c *authn.Claims, _ map[string]any) { c.Subject = "1 OR 1=1" }),
		"oversized":       good + strings.Repeat("A", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := issuer.Verifier().Verify(t.Context(), token); !errors.Is(err, fault.Unauthenticated) {
				t.Fatalf("got %v", err)
			}
		})
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

func TestParseBearerAcceptsOneForm(t *testing.T) {
	if token, ok, err := authn.ParseBearer([]string{"Bearer abc"}); token != "abc" || !ok || err != nil {
		t.Errorf("got %q %t %v", token, ok, err)
	}
	if _, ok, err := authn.ParseBearer(nil); ok || err != nil {
		t.Errorf("absent: %t %v", ok, err)
	}
	for _, bad := range [][]string{{"bearer abc"}, {"Bearer  abc"}, {"Bearer "}, {"Basic abc"}, {"abc"}, {"Bearer a b"}, {"Bearer a", "Bearer b"}, {""}} {
		if _, _, err := authn.ParseBearer(bad); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

func TestKeysAreFetchedOnceAndServeOnWhileTheSourceIsDown(t *testing.T) {
	clk := clock.NewFake(time.Now())
	issuer := authntest.New(t, clk)
	var fetches atomic.Int64
	var down atomic.Bool
	keys := authn.NewKeys(func(ctx context.Context) ([]byte, error) {
		fetches.Add(1)
		if down.Load() {
			return nil, errors.New("down")
		}
		return issuer.JWKS(ctx)
	}, clk)
	verifier := authn.NewVerifier(authntest.Origin, keys, clk)

	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, token := issuer.User("ann@example.com")
			if _, err := verifier.Verify(context.Background(), token); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := fetches.Load(); n != 1 {
		t.Errorf("%d fetches for a fresh cache", n)
	}

	down.Store(true)
	clk.Advance(time.Hour)
	_, token := issuer.User("bob@example.com")
	if _, err := verifier.Verify(t.Context(), token); err != nil {
		t.Errorf("source down: %v", err)
	}

	before := fetches.Load()
	for range 100 {
		_, _ = keys.Find(t.Context(), "unknown")
	}
	if n := fetches.Load() - before; n > 1 {
		t.Errorf("%d fetches for unknown keys within 10 s", n)
	}
}

func TestNoKeysAtAllIsAnOutageNotABadToken(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	keys := authn.NewKeys(func(context.Context) ([]byte, error) { return nil, errors.New("down") }, clock.System())
	if _, err := authn.NewVerifier(authntest.Origin, keys, clock.System()).Verify(t.Context(), token); !errors.Is(err, fault.Unavailable) {
		t.Fatalf("got %v", err)
	}
}

func TestGuardMatrix(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, user := issuer.User("user@example.com")
	_, admin := issuer.Admin("admin@example.com")
	offID, off := issuer.Admin("off@example.com")
	issuer.Disable(offID)
	goneID, gone := issuer.Admin("gone@example.com")
	issuer.SignOut(goneID)
	policy := authn.Policy{"/public": authn.Public, "/user": authn.User, "/admin": authn.Admin, "/internal": authn.Internal}
	guard := authn.NewGuard(policy, issuer.Verifier(), issuer, config.Secret("s3cret"))

	ok := fault.Kind("")
	for _, tc := range []struct {
		caller                                  string
		authorization, internal                 []string
		public, user, admin, internalM, unknown fault.Kind
	}{
		{"anonymous", nil, nil, ok, fault.Unauthenticated, fault.Unauthenticated, fault.NotFound, fault.NotFound},
		{"bad token", []string{"Bearer x"}, nil, fault.Unauthenticated, fault.Unauthenticated, fault.Unauthenticated, fault.NotFound, fault.NotFound},
		{"user", []string{"Bearer " + user}, nil, ok, ok, fault.Forbidden, fault.NotFound, fault.NotFound},
		{"admin", []string{"Bearer " + admin}, nil, ok, ok, ok, fault.NotFound, fault.NotFound},
		{"disabled admin", []string{"Bearer " + off}, nil, ok, ok, fault.Forbidden, fault.NotFound, fault.NotFound},
		{"signed-out admin", []string{"Bearer " + gone}, nil, ok, ok, fault.Unauthenticated, fault.NotFound, fault.NotFound},
		{"service", nil, []string{"s3cret"}, ok, fault.Unauthenticated, fault.Unauthenticated, ok, fault.NotFound},
		{"wrong service", nil, []string{"guess"}, ok, fault.Unauthenticated, fault.Unauthenticated, fault.NotFound, fault.NotFound},
	} {
		for method, want := range map[string]fault.Kind{"/public": tc.public, "/user": tc.user, "/admin": tc.admin, "/internal": tc.internalM, "/unknown": tc.unknown} {
			_, err := guard.Admit(t.Context(), method, tc.authorization, tc.internal)
			if (want == ok && err != nil) || (want != ok && !errors.Is(err, want)) {
				t.Errorf("%s calls %s: got %v, want %q", tc.caller, method, err, want)
			}
		}
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
