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
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
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
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

var errNoAnswer = fault.New(fault.Unavailable, "x", "x")

// tokens is a Kratos with one answer.
type tokens struct {
	token string
	err   error
	asked int
}

func (t *tokens) RefreshToken(_ context.Context, _ uuid.UUID, name string) (string, error) {
	if name != provider.Apple {
		return "", errors.New("not Apple's")
	}
	t.asked++
	return t.token, t.err
}

// revoking is an Apple that gives one answer to who has the key.
type revoking struct {
	*httptest.Server

	mu     sync.Mutex
	status int // 0 breaks the connection off
	body   string
	asked  []string
}

// answers has it give another answer from now on, and forget what it was asked.
func (a *revoking) answers(status int, body string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status, a.body, a.asked = status, body, nil
}

func (a *revoking) questions() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.asked)
}

func newRevoking(t *testing.T, key *ecdsa.PublicKey) *revoking {
	t.Helper()
	a := &revoking{status: http.StatusOK}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.asked = append(a.asked, r.Method+" "+r.PostFormValue("client_id")+" "+r.PostFormValue("token_type_hint")+" "+r.PostFormValue("token"))
		_, err := jwt.NewParser(jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer("ABCDE12345"), jwt.WithSubject("com.example.web"), jwt.WithAudience("https://appleid.apple.com"), jwt.WithExpirationRequired()).
			Parse(r.PostFormValue("client_secret"), func(*jwt.Token) (any, error) { return key, nil })
		if err != nil {
			t.Errorf("the client secret: %v", err)
		}
		if a.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(a.Close)
	return a
}

// newRevoker is a revoker and the Apple that it asks.
func newRevoker(t *testing.T, kept *tokens, now *clock.Fake) (*provider.Revoker, *revoking) {
	t.Helper()
	return newCountedRevoker(t, kept, now, prometheus.NewRegistry())
}

// newCountedRevoker has its metrics in counts.
func newCountedRevoker(t *testing.T, kept *tokens, now *clock.Fake, counts *prometheus.Registry) (*provider.Revoker, *revoking) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	errtest.None(t, err)
	revoker, err := provider.NewRevoker(provider.Config{Timeout: time.Minute, Apple: kratosconfig.Apple{
		ClientID: "com.example.web", TeamID: "ABCDE12345", KeyID: "FGHIJ67890",
		PrivateKey: config.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	}}, kept, now, slog.New(slog.DiscardHandler), counts)
	errtest.None(t, err)
	apple := newRevoking(t, &key.PublicKey)
	provider.RevokeAt(revoker, apple.URL)
	return revoker, apple
}

// revocations is what was counted, by result.
func revocations(t *testing.T, counts *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := counts.Gather()
	errtest.None(t, err)
	all := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			all[metric.GetLabel()[0].GetValue()] = metric.GetCounter().GetValue()
		}
	}
	return all
}

// TestRevoke: what Apple's answers mean, and when it is asked again after a failure.
func TestRevoke(t *testing.T) {
	now, counts := clock.NewFake(time.Now()), prometheus.NewRegistry()
	kept := &tokens{token: "r1"}
	revoker, apple := newCountedRevoker(t, kept, now, counts)

	for _, c := range []struct {
		name   string
		kept   tokens
		status int
		body   string
		asks   bool
		again  bool
		err    error
		counts string
	}{
		{"not linked", tokens{}, 0, "", false, false, nil, ""},
		{"an identity that is gone", tokens{err: kratos.ErrGone}, 0, "", false, false, nil, ""},
		{"linked, with a token that Kratos cannot read", tokens{err: kratos.ErrNoToken}, 0, "", false, false, nil, "unreadable"},
		{"a Kratos without an answer", tokens{err: errNoAnswer}, 0, "", false, true, errNoAnswer, ""},
		{"revoked", tokens{token: "r1"}, http.StatusOK, "", true, false, nil, "revoked"},
		{"a token that is none", tokens{token: "r1"}, http.StatusBadRequest, `{"error":"invalid_grant"}`, true, false, nil, "refused"},
		{"a wrong key", tokens{token: "r1"}, http.StatusBadRequest, `{"error":"invalid_client"}`, true, true, nil, "failed"},
		{"an outage", tokens{token: "r1"}, http.StatusServiceUnavailable, ``, true, true, nil, "failed"},
		{"a page", tokens{token: "r1"}, http.StatusBadRequest, `<html>`, true, true, nil, "failed"},
	} {
		*kept = c.kept
		apple.answers(c.status, c.body)
		before := revocations(t, counts)
		done, err := revoker.Revoke(t.Context(), uuid.New(), false)
		if done == c.again || !errors.Is(err, c.err) {
			t.Errorf("%s: %t, %v", c.name, done, err)
		}
		if asked := apple.questions(); (len(asked) == 1) != c.asks || c.asks && asked[0] != "POST com.example.web refresh_token r1" {
			t.Errorf("%s: Apple was asked %q", c.name, asked)
		}
		if c.counts != "" {
			before[c.counts]++
		}
		if after := revocations(t, counts); !maps.Equal(after, before) {
			t.Errorf("%s: counted %v, not %v", c.name, after, before)
		}
		now.Advance(time.Hour)
	}

	// Twice as long a pause after each failure, up to ten minutes, of that identity alone.
	*kept = tokens{token: "r1"}
	apple.answers(http.StatusServiceUnavailable, "")
	failing := uuid.New()
	var waits []time.Duration
	for last := now.Now(); len(waits) < 9; now.Advance(10 * time.Second) {
		before := len(apple.questions())
		if done, err := revoker.Revoke(t.Context(), failing, false); done || err != nil {
			t.Fatalf("an outage: %t, %v", done, err)
		}
		if len(apple.questions()) > before {
			waits, last = append(waits, now.Now().Sub(last)), now.Now()
		}
	}
	for i, want := range []float64{0, 10, 20, 40, 80, 160, 320, 600, 600} {
		if waits[i].Seconds() != want {
			t.Errorf("waits of %v", waits)
			break
		}
	}
	apple.answers(http.StatusOK, "")
	if done, err := revoker.Revoke(t.Context(), uuid.New(), false); !done || err != nil {
		t.Errorf("another identity meanwhile: %t, %v", done, err)
	}
	if done, err := revoker.Revoke(t.Context(), failing, true); !done || err != nil || len(apple.questions()) != 2 {
		t.Errorf("the last call: %t, %v, Apple was asked %q", done, err, apple.questions())
	}
}

// TestAnAppleThatDoesNotAnswerIsAskedForOnePerson at a time, and the others wait without a question
// to Kratos. Those who have nothing to revoke do not wait.
func TestAnAppleThatDoesNotAnswerIsAskedForOnePerson(t *testing.T) {
	now, kept := clock.NewFake(time.Now()), &tokens{token: "r1"}
	revoker, apple := newRevoker(t, kept, now)
	people := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	round := func(status int, ofApple, ofKratos int) {
		t.Helper()
		apple.answers(status, "")
		kept.asked = 0
		for _, person := range people {
			if done, err := revoker.Revoke(t.Context(), person, false); done != (status == http.StatusOK) || err != nil {
				t.Fatal(done, err)
			}
		}
		if asked := apple.questions(); len(asked) != ofApple || kept.asked != ofKratos {
			t.Errorf("Apple was asked %q, Kratos %d times", asked, kept.asked)
		}
	}
	for _, pause := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		round(0, 1, 3)
		now.Advance(pause - time.Millisecond)
		round(0, 0, 0)
		now.Advance(time.Millisecond)
	}
	round(http.StatusOK, 3, 3)

	round(0, 1, 3)
	kept.token = ""
	if done, err := revoker.Revoke(t.Context(), uuid.New(), false); !done || err != nil {
		t.Errorf("without a token: %t, %v", done, err)
	}
	kept.token = "r1"
	if done, err := revoker.Revoke(t.Context(), uuid.New(), true); done || err != nil || len(apple.questions()) != 2 {
		t.Errorf("the last call: %t, %v, Apple was asked %q", done, err, apple.questions())
	}
	now.Advance(10 * time.Second)
	round(http.StatusOK, 3, 3)
}

func TestWithoutAppleNothingIsRevoked(t *testing.T) {
	revoker, err := provider.NewRevoker(provider.Config{Timeout: time.Second}, &tokens{err: errors.New("asked")}, clock.System(), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	if done, err := revoker.Revoke(t.Context(), uuid.New(), false); !done || err != nil {
		t.Error(done, err)
	}
}

// TestTheConsentOfARemovedProviderEnds with the token that Kratos had before.
func TestTheConsentOfARemovedProviderEnds(t *testing.T) {
	t.Parallel()
	kept, counts := &tokens{token: "t1"}, prometheus.NewRegistry()
	revoker, apple := newCountedRevoker(t, kept, clock.NewFake(time.Now()), counts)
	end, err := revoker.Consent(t.Context(), uuid.New())
	if err != nil || len(apple.questions()) != 0 {
		t.Fatalf("before the provider is removed: %v, %q", err, apple.questions())
	}
	kept.token = ""
	end(t.Context())
	if got := apple.questions(); !slices.Equal(got, []string{"POST com.example.web refresh_token t1"}) {
		t.Errorf("asked %q", got)
	}
	kept.err = errNoAnswer
	if _, err := revoker.Consent(t.Context(), uuid.New()); !errors.Is(err, fault.Unavailable) {
		t.Errorf("while Kratos is away: %v", err)
	}
	kept.err = kratos.ErrNoToken
	end, err = revoker.Consent(t.Context(), uuid.New())
	errtest.None(t, err)
	end(t.Context())
	if got := revocations(t, counts); got["unreadable"] != 1 || len(apple.questions()) != 1 {
		t.Errorf("with a token that Kratos cannot read: counted %v, asked %q", got, apple.questions())
	}
}
