package token_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

const origin = "http://localhost:8080"

type signer struct{ key ed25519.PrivateKey }

func newSigner(t *testing.T) signer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	errtest.None(t, err)
	return signer{key}
}

func (s signer) Signing() (string, ed25519.PrivateKey) { return "k1", s.key }

func (s signer) jwks(context.Context) ([]byte, error) {
	return json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{KeyID: "k1", Algorithm: authn.Algorithm, Use: "sig", Key: s.key.Public()}}})
}

func TestEveryServiceAcceptsAnAccessTokenUntilItExpires(t *testing.T) {
	clk := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 500_000_000, time.UTC))
	s := newSigner(t)
	subject := token.Subject{UserID: uuid.New(), Email: "ann@example.com", SessionID: uuid.New()}
	access, expires, err := token.Access(s, origin, subject, clk.Now(), clk.Now().Add(time.Hour))
	errtest.None(t, err)
	if want := time.Date(2026, 3, 1, 12, 10, 0, 0, time.UTC); !expires.Equal(want) {
		t.Errorf("expires %s, want %s", expires, want)
	}
	verifier := authn.NewVerifier(origin, authn.NewKeys(s.jwks, clk), clk)
	p, err := verifier.Verify(t.Context(), access)
	if err != nil || p.UserID != subject.UserID.String() || p.SessionID != subject.SessionID.String() || p.Email != subject.Email {
		t.Fatalf("got %+v, %v", p, err)
	}
	clk.Advance(token.AccessLifetime + time.Minute)
	if _, err := verifier.Verify(t.Context(), access); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("an expired token: %v", err)
	}
}

func TestAccessTokenDoesNotOutliveItsFamily(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	_, expires, err := token.Access(newSigner(t), origin, token.Subject{}, now, now.Add(time.Minute))
	if err != nil || !expires.Equal(now.Add(time.Minute)) {
		t.Errorf("expires %s, %v", expires, err)
	}
}

func TestRefreshTokensReadBackAndDiffer(t *testing.T) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) token.Refresh {
			return token.Refresh{
				Family:     uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "family")),
				Generation: rapid.Int64Range(0, 1<<62).Draw(t, "generation"),
			}
		})
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		read, err := token.ParseRefresh(secret, a.String(secret))
		if err != nil || read != a {
			t.Fatalf("%+v read back as %+v, %v", a, read, err)
		}
		if a != b && a.String(secret) == b.String(secret) {
			t.Fatalf("%+v and %+v share a token", a, b)
		}
	})
}

func TestForgedRefreshTokensAreMalformed(t *testing.T) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	good := token.Refresh{Family: uuid.New(), Generation: 7}.String(secret)
	body := strings.TrimPrefix(good, "fledge_rt_")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	errtest.None(t, err)
	flipped := func(i int) string {
		c := append([]byte(nil), raw...)
		c[i] ^= 1
		return "fledge_rt_" + base64.RawURLEncoding.EncodeToString(c)
	}
	for name, forged := range map[string]string{
		"empty": "", "prefix only": "fledge_rt_", "no prefix": body, "short": good[:len(good)-1], "long": good + "A",
		"other family": flipped(0), "other generation": flipped(23), "other signature": flipped(40),
		"other secret":    token.Refresh{Family: uuid.New()}.String([]byte("another secret")),
		"padding bits":    good[:len(good)-1] + string(good[len(good)-1]+1),
		"standard base64": "fledge_rt_" + strings.Repeat("+", len(body)),
		"line breaks":     "fledge_rt_" + strings.Repeat("\n", len(body)), "a line break": good[:len(good)-1] + "\n",
	} {
		if _, err := token.ParseRefresh(secret, forged); !errors.Is(err, token.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParseRefresh: nobody without the secret makes a token, and each has one spelling.
func FuzzParseRefresh(f *testing.F) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	good := token.Refresh{Family: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Generation: 7}.String(secret)
	for _, seed := range []string{good, good + "=", good[:len(good)-1], good + "\n", strings.ToUpper(good), "fledge_rt_", "", good[10:], token.Refresh{}.String([]byte("another"))} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		r, err := token.ParseRefresh(secret, given)
		if err == nil && (given != good || r.Generation != 7) || err != nil && (!errors.Is(err, token.ErrMalformed) || r != token.Refresh{}) {
			t.Fatalf("%q is %+v, %v", given, r, err)
		}
	})
}
