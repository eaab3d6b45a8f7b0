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

// TestRevoke: what Apple's answers mean, and that it is left alone after a failure.
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
		fails  bool
	}{
		{"no token", tokens{}, 0, "", false, false},
		{"an identity that is gone", tokens{err: kratos.ErrGone}, 0, "", false, false},
		{"a Kratos without an answer", tokens{err: fault.New(fault.Unavailable, "x", "x")}, 0, "", false, true},
		{"revoked", tokens{token: "r1"}, http.StatusOK, "", true, false},
		{"a token that is none", tokens{token: "r1"}, http.StatusBadRequest, `{"error":"invalid_grant"}`, true, false},
		{"a wrong key", tokens{token: "r1"}, http.StatusBadRequest, `{"error":"invalid_client"}`, true, true},
		{"an outage", tokens{token: "r1"}, http.StatusServiceUnavailable, ``, true, true},
		{"a page", tokens{token: "r1"}, http.StatusBadRequest, `<html>`, true, true},
	} {
		*kept, apple.status, apple.body, apple.asked = c.kept, c.status, c.body, nil
		err := revoker.Revoke(t.Context(), uuid.New())
		if (err != nil) != c.fails || c.fails && !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", c.name, err)
		}
		if (len(apple.asked) == 1) != c.asks || c.asks && apple.asked[0] != "POST com.example.web refresh_token r1" {
			t.Errorf("%s: Apple was asked %q", c.name, apple.asked)
		}
		now.Advance(time.Hour)
	}

	// Twice as long a pause after each failure, up to ten minutes; none after an answer.
	*kept, apple.status, apple.asked = tokens{token: "r1"}, http.StatusOK, nil
	if err := revoker.Revoke(t.Context(), uuid.New()); err != nil {
		t.Fatal(err)
	}
	apple.status, apple.asked = http.StatusServiceUnavailable, nil
	var waits []time.Duration
	for last := now.Now(); len(waits) < 9; now.Advance(10 * time.Second) {
		before := len(apple.asked)
		if err := revoker.Revoke(t.Context(), uuid.New()); err == nil {
			t.Fatal("an outage revokes")
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
}

func TestWithoutAppleNothingIsRevoked(t *testing.T) {
	revoker, err := provider.NewRevoker(provider.Config{Timeout: time.Second}, tokens{err: errors.New("asked")}, clock.System(), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	if err := revoker.Revoke(t.Context(), uuid.New()); err != nil {
		t.Error(err)
	}
}
