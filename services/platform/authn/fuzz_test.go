package authn_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// FuzzClaims signs arbitrary headers and claims with the genuine key. Tokens that are
// accepted fulfil all that RFC 9068 asks for, as a second implementation checks.
func FuzzClaims(f *testing.F) {
	clk := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	now := clk.Now()
	header, claims := genuine(authntest.New(f, clk), now)
	for _, change := range []func(header, claims map[string]any){
		func(_, _ map[string]any) {}, func(h, _ map[string]any) { h["alg"] = "none" }, func(h, _ map[string]any) { h["typ"] = "JWT" },
		func(h, _ map[string]any) { h["crit"] = []string{"exp"} }, func(_, c map[string]any) { c["exp"] = "1893456000" }, func(_, c map[string]any) { c["aud"] = brand.Audience },
		func(_, c map[string]any) { c["exp"] = 1e300 }, func(_, c map[string]any) { c["nbf"] = now.Unix() + 31 }, func(_, c map[string]any) { c["sub"] = "1" },
		func(_, c map[string]any) { c["EXP"] = 1 }, func(_, c map[string]any) { c["iat"] = -1 },
	} {
		h, c := maps.Clone(header), maps.Clone(claims)
		change(h, c)
		rawHeader, err := json.Marshal(h)
		errtest.None(f, err)
		rawClaims, err := json.Marshal(c)
		errtest.None(f, err)
		f.Add(string(rawHeader), string(rawClaims))
	}
	f.Fuzz(func(t *testing.T, rawHeader, rawClaims string) {
		var h, c map[string]any
		if json.Unmarshal([]byte(rawHeader), &h) != nil || json.Unmarshal([]byte(rawClaims), &c) != nil || h == nil || c == nil {
			return
		}
		issuer := authntest.New(t, clk)
		if _, ok := h["kid"]; ok {
			h["kid"] = issuer.KeyID() // which the fuzzer could not guess
		}
		token := issuer.Forge(h, c)
		p, err := issuer.Verifier().Verify(t.Context(), token)
		if err != nil {
			if !errors.Is(err, fault.Unauthenticated) || p != (authn.Principal{}) {
				t.Fatalf("%s: %+v, %v", rawClaims, p, err)
			}
			return
		}
		leeway := authn.Leeway.Seconds()
		within := func(name string, ok func(at float64) bool) {
			at, isNumber := c[name].(float64)
			if c[name] != nil && (!isNumber || !ok(at)) {
				t.Fatalf("accepted with %s %v at %d", name, c[name], now.Unix())
			}
		}
		within("exp", func(at float64) bool { return at+leeway > float64(now.Unix()) })
		within("nbf", func(at float64) bool { return at-leeway-1 <= float64(now.Unix()) })
		within("iat", func(at float64) bool { return at-leeway-1 <= float64(now.Unix()) })
		audience, _ := json.Marshal(c["aud"])
		if c["exp"] == nil || c["iss"] != authntest.Origin || !strings.Contains(string(audience), `"`+brand.Audience+`"`) {
			t.Fatalf("accepted: %s", rawClaims)
		}
		if _, critical := h["crit"]; h["alg"] != authn.Algorithm || h["typ"] != authn.TokenType || critical {
			t.Fatalf("accepted: %s", rawHeader)
		}
		if _, err := uuid.Parse(p.UserID); err != nil || p.UserID != c["sub"] || p.Email == "" || p.SessionID == "" || p.Bearer != token {
			t.Fatalf("%s speaks for %+v", rawClaims, p)
		}
	})
}

// FuzzToken: nobody without the key makes a token.
func FuzzToken(f *testing.F) {
	issuer := authntest.New(f, nil)
	verifier := issuer.Verifier()
	_, good := issuer.User("ann@example.com")
	parts := strings.Split(good, ".")
	for _, seed := range []string{good, good + ".", parts[0] + "." + parts[1] + ".", "..", good + "=", "eyJhbGciOiJub25lIn0.e30.", strings.ToUpper(good), parts[1] + "." + parts[0] + "." + parts[2], good[1:]} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if p, err := verifier.Verify(t.Context(), token); err == nil && token != good {
			t.Fatalf("%q speaks for %+v", token, p)
		}
	})
}

// FuzzParseBearer: one form, with the scheme in any case, has one meaning.
func FuzzParseBearer(f *testing.F) {
	for _, seed := range []string{"Bearer a.b.c", "bearer a", "Bearer  a", "Bearer a b", "Bearer a,Bearer b", "Bearer", "Basic a", "Bearer \t", "Bearer a\r\nX: y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		token, ok, err := authn.ParseBearer([]string{header})
		if ok != (err == nil) || !ok && token != "" || ok && (!strings.EqualFold(header[:7], "Bearer ") || header[7:] != token || token == "" || strings.ContainsAny(token, " \t\r\n,")) {
			t.Fatalf("%q gives %q, %t, %v", header, token, ok, err)
		}
		if _, ok, err := authn.ParseBearer([]string{header, header}); ok || err == nil {
			t.Fatalf("%q twice: %t, %v", header, ok, err)
		}
	})
}
