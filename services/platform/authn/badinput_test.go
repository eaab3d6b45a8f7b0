package authn_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
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

// genuine is what identity signs.
func genuine(issuer *authntest.Issuer, now time.Time) (header, claims map[string]any) {
	return map[string]any{"alg": authn.Algorithm, "typ": authn.TokenType, "kid": issuer.KeyID()},
		map[string]any{
			"iss": authntest.Origin, "aud": []string{brand.Audience}, "sub": uuid.NewString(), "sid": uuid.NewString(), "email": "ann@example.com",
			"jti": uuid.NewString(), "iat": now.Unix(), "exp": now.Add(10 * time.Minute).Unix(),
		}
}

// with changes a copy; a nil value removes the member.
func with(members map[string]any, name string, value any) map[string]any {
	changed := maps.Clone(members)
	changed[name] = value
	if value == nil {
		delete(changed, name)
	}
	return changed
}

// TestForgedTokens are the attacks of OWASP ASVS 9.1.2 and 9.2.1 to 9.2.3, each
// one step away from a token that is accepted.
func TestForgedTokens(t *testing.T) {
	clk := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	issuer, now := authntest.New(t, clk), clk.Now()
	header, claims := genuine(issuer, now)
	good := issuer.Forge(header, claims)
	parts := strings.Split(good, ".")
	verifier, stranger := issuer.Verifier(), authntest.New(t, clk)
	if _, err := verifier.Verify(t.Context(), good); err != nil {
		t.Fatalf("the genuine token: %v", err)
	}
	forged := map[string]string{
		"empty":             "",
		"one part":          parts[0],
		"one word":          "token",
		"two parts":         parts[0] + "." + parts[1],
		"four parts":        good + "." + parts[2],
		"dots alone":        "..",
		"five parts (JWE)":  strings.Join([]string{parts[0], "", "", parts[1], parts[2]}, "."),
		"empty signature":   parts[0] + "." + parts[1] + ".",
		"cut signature":     good[:len(good)-2],
		"padded":            good + "==",
		"other payload":     parts[0] + "." + strings.Split(issuer.Forge(header, with(claims, "sub", uuid.NewString())), ".")[1] + "." + parts[2],
		"1 MB":              strings.Repeat("A", 1<<20),
		"1 MB of signature": parts[0] + "." + parts[1] + "." + strings.Repeat("A", 1<<20),
		"1 MB of claims":    issuer.Forge(header, with(claims, "x", strings.Repeat("A", 1<<20))),
		"NUL":               good + "\x00",
		"foreign key":       stranger.Forge(with(header, "kid", stranger.KeyID()), claims),
		"foreign signature": stranger.Forge(header, claims),
		"refresh token":     "fledge_rt_" + strings.Repeat("A", 75),
		"HS256 public key":  hs256(t, issuer, header, claims, issuer.PublicKey()),
		"HS256 public PEM":  hs256(t, issuer, header, claims, publicPEM(t, issuer)),
	}
	for name, alg := range map[string]any{
		"none": "none", "None": "None", "NONE": "NONE", "empty": "", "missing": nil, "lower case": "eddsa", "upper case": "EDDSA",
		"HS256": "HS256", "ES256": "ES256", "RS256": "RS256", "a number": 1, "a list": []string{authn.Algorithm},
	} {
		signed := issuer.Forge(with(header, "alg", alg), claims)
		forged["alg "+name] = signed
		forged["alg "+name+", unsigned"] = signed[:strings.LastIndex(signed, ".")+1]
	}
	for name, typ := range map[string]any{"JWT": "JWT", "id_token": "id_token", "missing": nil, "other case": "AT+JWT", "long form": "application/at+jwt", "logout": "logout+jwt"} {
		forged["typ "+name] = issuer.Forge(with(header, "typ", typ), claims)
	}
	for name, kid := range map[string]any{"unknown": "nope", "missing": nil, "empty": "", "a path": "../../dev/null", "a number": 1} {
		forged["kid "+name] = issuer.Forge(with(header, "kid", kid), claims)
	}
	forged["crit unknown"] = issuer.Forge(with(header, "crit", []string{"exp", "b64"}), claims)
	for name, token := range forged {
		refused(t, name, verifier, token)
	}
}

// TestTokensThatClaimTooMuch, or what is not so, though the signature is good.
func TestTokensThatClaimTooMuch(t *testing.T) {
	clk := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	issuer, now := authntest.New(t, clk), clk.Now()
	header, claims := genuine(issuer, now)
	verifier := issuer.Verifier()
	for name, change := range map[string]struct {
		claim string
		value any
	}{
		"exp past":             {"exp", now.Add(-time.Hour).Unix()},
		"exp past the leeway":  {"exp", now.Add(-authn.Leeway - time.Second).Unix()},
		"exp as string":        {"exp", "1893456000"},
		"exp as word":          {"exp", "never"},
		"exp as date":          {"exp", now.Add(time.Hour).Format(time.RFC3339)},
		"exp missing":          {"exp", nil},
		"exp null":             {"exp", json.RawMessage("null")},
		"exp zero":             {"exp", 0},
		"exp negative":         {"exp", -1},
		"exp true":             {"exp", true},
		"nbf in an hour":       {"nbf", now.Add(time.Hour).Unix()},
		"nbf as string":        {"nbf", "0"},
		"iat in an hour":       {"iat", now.Add(time.Hour).Unix()},
		"iat past the leeway":  {"iat", now.Add(authn.Leeway + time.Second).Unix()},
		"iat as string":        {"iat", "0"},
		"iss other":            {"iss", "https://evil.example"},
		"iss longer":           {"iss", authntest.Origin + "/"},
		"iss other case":       {"iss", strings.ToUpper(authntest.Origin)},
		"iss missing":          {"iss", nil},
		"iss a list":           {"iss", []string{authntest.Origin}},
		"aud other":            {"aud", "stripe"},
		"aud list of others":   {"aud", []string{"a", "b"}},
		"aud other case":       {"aud", strings.ToUpper(brand.Audience)},
		"aud missing":          {"aud", nil},
		"aud empty":            {"aud", []string{}},
		"sub missing":          {"sub", nil},
		"sub no UUID":          {"sub", "1 OR 1=1"},
		"sid missing":          {"sid", nil},
		"email missing":        {"email", nil},
		"email in a list":      {"email", []string{"ann@example.com"}},
		"claims are not a map": {"sub", map[string]any{}},
	} {
		refused(t, name, verifier, issuer.Forge(header, with(claims, change.claim, change.value)))
	}
	if _, err := verifier.Verify(t.Context(), issuer.Forge(header, with(claims, "exp", now.Add(-authn.Leeway+time.Second).Unix()))); err != nil {
		t.Errorf("expired within the leeway: %v", err)
	}
}

func refused(t *testing.T, what string, verifier *authn.Verifier, token string) {
	t.Helper()
	if _, err := verifier.Verify(t.Context(), token); !errors.Is(err, fault.Unauthenticated) || errors.Is(err, fault.Unavailable) {
		t.Errorf("%s: %v", what, err)
	}
}

// hs256 takes what is public for the secret of an HMAC, which a verifier that
// believes the header would do too.
func hs256(t *testing.T, issuer *authntest.Issuer, header, claims map[string]any, secret []byte) string {
	t.Helper()
	unsigned := issuer.Forge(with(header, "alg", "HS256"), claims)
	unsigned = unsigned[:strings.LastIndex(unsigned, ".")]
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(unsigned))
	return unsigned + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func publicPEM(t *testing.T, issuer *authntest.Issuer) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(issuer.PublicKey())
	errtest.None(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}
