package provider_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/fault"
)

var errNoAnswer = fault.New(fault.Unavailable, "x", "x")

// tokens is a Kratos with one answer.
type tokens struct {
	token string
	err   error
}

func (t tokens) RefreshToken(_ context.Context, _ uuid.UUID, name string) (string, error) {
	if name != provider.Apple {
		return "", errors.New("not Apple's")
	}
	return t.token, t.err
}

// revoking is an Apple that gives one answer to who has the key.
type revoking struct {
	*httptest.Server
	status int
	body   string
	asked  []string
}

func newRevoking(t *testing.T, key *ecdsa.PublicKey) *revoking {
	t.Helper()
	a := &revoking{status: http.StatusOK}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked = append(a.asked, r.Method+" "+r.PostFormValue("client_id")+" "+r.PostFormValue("token_type_hint")+" "+r.PostFormValue("token"))
		_, err := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer("ABCDE12345"), jwt.WithSubject("com.example.web"), jwt.WithAudience("https://appleid.apple.com"), jwt.WithExpirationRequired()).
			Parse(r.PostFormValue("client_secret"), func(*jwt.Token) (any, error) { return key, nil })
		if err != nil {
			t.Errorf("the client secret: %v", err)
		}
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(a.Close)
	return a
}

// TestRevoke: what Apple's answers mean, and when it is asked again after a failure.
func TestRevoke(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	apple := newRevoking(t, &key.PublicKey)
	now := clock.NewFake(time.Now())
	kept := &tokens{token: "r1"}
	revoker, err := provider.NewRevoker(provider.Config{Timeout: time.Minute, Apple: kratosconfig.Apple{
		ClientID: "com.example.web", TeamID: "ABCDE12345", KeyID: "FGHIJ67890",
		PrivateKey: config.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	}}, kept, now, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	provider.RevokeAt(revoker, apple.URL)

	for _, c := range []struct {
		name   string
		kept   tokens
		status int
		body   string
		asks   bool
		again  bool
		err    error
	}{
		{"no token", tokens{}, 0, "", false, false, nil},
		{"an identity that is gone", tokens{err: kratos.ErrGone}, 0, "", false, false, nil},
		{"a Kratos without an answer", tokens{err: errNoAnswer}, 0, "", false, true, errNoAnswer},
		{"revoked", tokens{token: "r1"}, http.StatusOK, "", true, false, nil},
		{"a token that is none", tokens{token: "r1"}, http.StatusBadRequest, `{"error":"invalid_grant"}`, true, false, nil},
		{"a wrong key", tokens{token: "r1"}, http.StatusBadRequest, `{"error":"invalid_client"}`, true, true, nil},
		{"an outage", tokens{token: "r1"}, http.StatusServiceUnavailable, ``, true, true, nil},
		{"a page", tokens{token: "r1"}, http.StatusBadRequest, `<html>`, true, true, nil},
	} {
		*kept, apple.status, apple.body, apple.asked = c.kept, c.status, c.body, nil
		done, err := revoker.Revoke(t.Context(), uuid.New(), false)
		if done == c.again || !errors.Is(err, c.err) {
			t.Errorf("%s: %t, %v", c.name, done, err)
		}
		if (len(apple.asked) == 1) != c.asks || c.asks && apple.asked[0] != "POST com.example.web refresh_token r1" {
			t.Errorf("%s: Apple was asked %q", c.name, apple.asked)
		}
		now.Advance(time.Hour)
	}

	// Twice as long a pause after each failure, up to ten minutes, of that identity alone.
	*kept, apple.status, apple.asked = tokens{token: "r1"}, http.StatusServiceUnavailable, nil
	failing := uuid.New()
	var waits []time.Duration
	for last := now.Now(); len(waits) < 9; now.Advance(10 * time.Second) {
		before := len(apple.asked)
		if done, err := revoker.Revoke(t.Context(), failing, false); done || err != nil {
			t.Fatalf("an outage: %t, %v", done, err)
		}
		if len(apple.asked) > before {
			waits, last = append(waits, now.Now().Sub(last)), now.Now()
		}
	}
	for i, want := range []float64{0, 10, 20, 40, 80, 160, 320, 600, 600} {
		if waits[i].Seconds() != want {
			t.Errorf("waits of %v", waits)
			break
		}
	}
	apple.status, apple.asked = http.StatusOK, nil
	if done, err := revoker.Revoke(t.Context(), uuid.New(), false); !done || err != nil {
		t.Errorf("another identity meanwhile: %t, %v", done, err)
	}
	if done, err := revoker.Revoke(t.Context(), failing, true); !done || err != nil || len(apple.asked) != 2 {
		t.Errorf("the last call: %t, %v, Apple was asked %q", done, err, apple.asked)
	}
}

func TestWithoutAppleNothingIsRevoked(t *testing.T) {
	revoker, err := provider.NewRevoker(provider.Config{Timeout: time.Second}, tokens{err: errors.New("asked")}, clock.System(), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	if done, err := revoker.Revoke(t.Context(), uuid.New(), false); !done || err != nil {
		t.Error(done, err)
	}
}
