package provider_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// apple is the provider's side: its key, and what it publishes.
type apple struct {
	*httptest.Server
	key   *ecdsa.PrivateKey
	away  bool
	asked int
}

func newApple(t *testing.T) *apple {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	a := &apple{key: key}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if a.asked++; a.away {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "k1", Algorithm: "ES256", Use: "sig"}}})
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *apple) claims(event string) jwt.MapClaims {
	return jwt.MapClaims{"iss": a.URL + "/apple", "aud": "fledge-local-apple", "iat": time.Now().Unix(), "jti": "j1", "events": event}
}

func (a *apple) body(t *testing.T, kid string, method jwt.SigningMethod, key any, claims jwt.MapClaims) []byte {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = kid
	signed, err := token.SignedString(key)
	errtest.None(t, err)
	body, err := json.Marshal(map[string]string{"payload": signed, "of tomorrow": "x"})
	errtest.None(t, err)
	return body
}

func (a *apple) notifies(t *testing.T, kind string, at int64) []byte {
	t.Helper()
	event := fmt.Sprintf(`{"type":%q,"sub":"001","email":"Relay@PrivateRelay.AppleID.com","is_private_email":"true","event_time":%d}`, kind, at)
	return a.body(t, "k1", jwt.SigningMethodES256, a.key, a.claims(event))
}

func (a *apple) reader() *provider.Notifications {
	return provider.NewNotifications(provider.Config{StandInURL: a.URL, Timeout: time.Second}, clock.System())
}

func TestRead(t *testing.T) {
	a := newApple(t)
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	want := provider.Notification{Kind: provider.ConsentRevoked, Subject: "001", Email: "relay@privaterelay.appleid.com", At: at}
	for name, body := range map[string][]byte{
		"milliseconds": a.notifies(t, "consent-revoked", at.UnixMilli()),
		"seconds":      a.notifies(t, "consent-revoked", at.Unix()),
		"an object": a.body(t, "k1", jwt.SigningMethodES256, a.key, func() jwt.MapClaims {
			c := a.claims("")
			c["events"] = map[string]any{"type": "consent-revoked", "sub": "001", "email": want.Email, "event_time": at.Unix()}
			return c
		}()),
	} {
		if got, err := a.reader().Read(t.Context(), body); err != nil || !slices.Equal(got, []provider.Notification{want}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// A list, as Apple documents it, with kinds of tomorrow, which have what they have.
	const events = `[{"type":"email-moved","email":{"to":"x"}}, {"type":"consent-revoked","sub":"001","email":"relay@privaterelay.appleid.com","event_time":"1770091506"}, {"type":"merged"}]`
	got, err := a.reader().Read(t.Context(), a.body(t, "k1", jwt.SigningMethodES256, a.key, a.claims(events)))
	if unknown := (provider.Notification{Kind: "other"}); err != nil || !slices.Equal(got, []provider.Notification{unknown, want, unknown}) {
		t.Errorf("a list: %+v, %v", got, err)
	}
}

func TestReadRefusesWhatAppleHasNotSigned(t *testing.T) {
	a := newApple(t)
	strangers, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	const event = `{"type":"account-delete","sub":"001","event_time":1}`
	with := func(claim string, value any) jwt.MapClaims {
		c := a.claims(event)
		c[claim] = value
		return c
	}
	es := jwt.SigningMethodES256
	reader := a.reader()
	for name, body := range map[string][]byte{
		"not JSON":         []byte("payload"),
		"nothing":          []byte("{}"),
		"no token":         []byte(`{"payload":"a.b.c"}`),
		"another key":      a.body(t, "k1", es, strangers, a.claims(event)),
		"an unknown key":   a.body(t, "k2", es, strangers, a.claims(event)),
		"no signature":     a.body(t, "k1", jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, a.claims(event)),
		"a shared secret":  a.body(t, "k1", jwt.SigningMethodHS256, []byte("k1"), a.claims(event)),
		"another issuer":   a.body(t, "k1", es, a.key, with("iss", "https://evil.example")),
		"for another site": a.body(t, "k1", es, a.key, with("aud", "com.example.other")),
		"of tomorrow":      a.body(t, "k1", es, a.key, with("iat", time.Now().Add(24*time.Hour).Unix())),
		"no subject":       a.body(t, "k1", es, a.key, with("events", `{"type":"account-delete","event_time":1}`)),
		"no time":          a.body(t, "k1", es, a.key, with("events", `{"type":"account-delete","sub":"001"}`)),
		"no event":         a.body(t, "k1", es, a.key, with("events", `account-delete`)),
		"one of two":       a.body(t, "k1", es, a.key, with("events", `[`+event+`,{"type":"account-delete","sub":"001"}]`)),
		"no list":          a.body(t, "k1", es, a.key, with("events", `[`+event)),
	} {
		if got, err := reader.Read(t.Context(), body); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if a.asked != 1 {
		t.Errorf("strangers had Apple asked %d times", a.asked)
	}
	if _, err := provider.NewNotifications(provider.Config{}, clock.System()).Read(t.Context(), a.notifies(t, "account-delete", 1)); !errors.Is(err, fault.NotFound) {
		t.Errorf("without Apple: %v", err)
	}
}

func TestReadWhileAppleIsAway(t *testing.T) {
	a := newApple(t)
	reader := a.reader()
	a.away = true
	for range 3 {
		if _, err := reader.Read(t.Context(), a.notifies(t, "account-delete", 1)); !errors.Is(err, fault.Unavailable) {
			t.Errorf("got %v", err)
		}
	}
	if a.asked != 1 {
		t.Errorf("asked %d times", a.asked)
	}
}

// TestReadForTheAppID: the address for notifications is that of a primary App ID, which they name.
func TestReadForTheAppID(t *testing.T) {
	a := newApple(t)
	const app = "com.example.app"
	claims := a.claims(`{"type":"account-delete","sub":"001","event_time":1}`)
	claims["aud"] = app
	body := a.body(t, "k1", jwt.SigningMethodES256, a.key, claims)
	if _, err := a.reader().Read(t.Context(), body); !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), app) || !strings.Contains(err.Error(), "APPLE_APP_ID") {
		t.Errorf("without the setting: %v", err)
	}
	reader := provider.NewNotifications(provider.Config{StandInURL: a.URL, Apple: kratosconfig.Apple{AppID: app}, Timeout: time.Second}, clock.System())
	for name, body := range map[string][]byte{"the App ID": body, "the Services ID": a.notifies(t, "account-delete", 1)} {
		if got, err := reader.Read(t.Context(), body); err != nil || len(got) != 1 {
			t.Errorf("for %s: %+v, %v", name, got, err)
		}
	}
}

// TestReadByACallerThatLeaves: whoever goes before Apple has answered takes the keys from nobody.
func TestReadByACallerThatLeaves(t *testing.T) {
	a := newApple(t)
	reader := a.reader()
	left, leave := context.WithCancel(t.Context())
	leave()
	stranger := a.body(t, "unknown", jwt.SigningMethodES256, a.key, a.claims("{}"))
	if _, err := reader.Read(left, stranger); !errors.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
	if _, err := reader.Read(t.Context(), a.notifies(t, "account-delete", 1)); err != nil {
		t.Errorf("got %v", err)
	}
}

// world keeps what a follower does.
type world struct {
	did  []string
	user uuid.UUID
	last bool
	fail error
	// by and since are the person's last sign-in.
	by    string
	since int64
}

func (w *world) User(context.Context, uuid.UUID) (account.User, error) {
	if errors.Is(w.fail, fault.NotFound) {
		return account.User{}, w.fail
	}
	return account.User{Provider: w.by, LastSignInAt: time.Unix(w.since, 0)}, nil
}

func (w *world) SetEmailOff(_ context.Context, _ uuid.UUID, email string, off bool, _ time.Time) error {
	w.did = append(w.did, fmt.Sprintf("emails to %s off: %t", email, off))
	return w.fail
}

func (w *world) EndAtKratos(ctx context.Context, _ uuid.UUID, end func(context.Context) error) error {
	return end(ctx)
}

func (w *world) EndSessions(context.Context, uuid.UUID) error {
	w.did = append(w.did, "Kratos' sessions end")
	return nil
}

func (w *world) EndSignInsBefore(_ context.Context, _ uuid.UUID, at, _ time.Time) (int, error) {
	w.did = append(w.did, fmt.Sprintf("sign-ins until %d end", at.Unix()))
	return 1, w.fail
}

func (w *world) ChangeProviders(ctx context.Context, _ uuid.UUID, _ time.Time, change func(context.Context) ([]string, error)) (account.User, error) {
	_, err := change(ctx)
	return account.User{}, err
}

func (w *world) IdentityOf(_ context.Context, name, subject string) (uuid.UUID, error) {
	if w.user == uuid.Nil || name != provider.Apple || subject != "001" {
		return uuid.Nil, kratos.ErrGone
	}
	return w.user, nil
}

func (w *world) Unlink(context.Context, uuid.UUID, string) ([]string, error) {
	if w.last {
		return nil, kratos.ErrLastProvider
	}
	w.did = append(w.did, "Apple removed")
	return []string{"google"}, nil
}

func TestFollow(t *testing.T) {
	a := newApple(t)
	const off, on = "emails to relay@privaterelay.appleid.com off: true", "emails to relay@privaterelay.appleid.com off: false"
	user, gone := uuid.New(), fault.New(fault.NotFound, "unknown_user", "No.")
	for name, c := range map[string]struct {
		kind string
		world
		want []string
	}{
		"emails off":                 {"email-disabled", world{user: user}, []string{off}},
		"emails on":                  {"email-enabled", world{user: user}, []string{on}},
		"consent revoked":            {"consent-revoked", world{user: user}, []string{"Apple removed", "sign-ins until 7 end"}},
		"the only way in":            {"consent-revoked", world{user: user, last: true}, []string{"sign-ins until 7 end"}},
		"the Apple Account ends":     {"account-delete", world{user: user}, []string{"Apple removed", "sign-ins until 7 end"}},
		"by its older name":          {"account-deleted", world{user: user}, []string{"Apple removed", "sign-ins until 7 end"}},
		"Google since":               {"consent-revoked", world{user: user, by: "google", since: 7 + 121}, []string{"Apple removed", "sign-ins until 7 end"}},
		"Apple before":               {"consent-revoked", world{user: user, by: "apple", since: 6}, []string{"Apple removed", "sign-ins until 7 end"}},
		"Apple at the same time":     {"consent-revoked", world{user: user, by: "apple", since: 7 + 120}, []string{"Apple removed", "sign-ins until 7 end"}},
		"came again after a return":  {"consent-revoked", world{user: user, by: "apple", since: 7 + 121}, []string{"sign-ins until 7 end"}},
		"somebody unknown to Kratos": {"consent-revoked", world{}, nil},
		"somebody unknown here":      {"consent-revoked", world{user: user, fail: gone}, nil},
		"a kind of tomorrow":         {"email-moved", world{user: user}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := c.world
			f, err := provider.NewFollower(a.reader(), &w, &w, clock.System(), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
			errtest.None(t, err)
			if err := f.Receive(t.Context(), a.notifies(t, c.kind, 7)); err != nil || !slices.Equal(w.did, c.want) {
				t.Errorf("did %q, %v, want %q", w.did, err, c.want)
			}
		})
	}
	// Right after it, all sessions are older than that, whatever the clocks say.
	soon := world{user: user}
	f, err := provider.NewFollower(a.reader(), &soon, &soon, clock.NewFake(time.Unix(60, 0)), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	if err := f.Receive(t.Context(), a.notifies(t, "consent-revoked", 7)); err != nil || !slices.Equal(soon.did, []string{"Apple removed", "sign-ins until 7 end", "Kratos' sessions end"}) {
		t.Errorf("soon after it did %q, %v", soon.did, err)
	}
	w := world{user: user, fail: fault.New(fault.Unavailable, "database", "No.")}
	f, err = provider.NewFollower(a.reader(), &w, &w, clock.System(), slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	errtest.None(t, err)
	if err := f.Receive(t.Context(), a.notifies(t, "email-disabled", 7)); !errors.Is(err, fault.Unavailable) {
		t.Errorf("Apple is not asked to send it again: %v", err)
	}
}
