package session_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

const (
	origin = "http://localhost:8080"
	// connections are those of the pool.
	connections = 12
)

// fakeKratos holds sessions by cookie. The real one is met in deploy/local.
type fakeKratos struct {
	mu       sync.Mutex
	sessions map[string]kratos.Session
	ended    map[uuid.UUID]bool
	down     error
	// slow holds SessionActive up until it is closed; nil: no time.
	slow  chan struct{}
	asked atomic.Int32 // SessionActive
	// endFails is what EndSessionsBesides fails with, askFails what Session does, stale what it answers as if nothing had ended.
	endFails, askFails error
	stale              map[string]kratos.Session
}

func (k *fakeKratos) Session(_ context.Context, cookie string) (kratos.Session, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s, ok := k.stale[cookie]; ok {
		return s, k.down
	}
	s, ok := k.sessions[cookie]
	switch {
	case cookie == "":
		return s, kratos.ErrNoSession
	case k.down != nil || k.askFails != nil:
		return s, errors.Join(k.down, k.askFails)
	case !ok || k.ended[s.ID]:
		return s, kratos.ErrNoSession
	}
	return s, nil
}

func (k *fakeKratos) Providers(context.Context, uuid.UUID) ([]string, error) {
	return []string{"apple", "google"}, k.down
}

func (k *fakeKratos) Unlink(_ context.Context, _ uuid.UUID, provider string) ([]string, error) {
	return slices.DeleteFunc([]string{"apple", "google"}, func(p string) bool { return p == provider }), k.down
}

func (k *fakeKratos) EndSession(_ context.Context, id uuid.UUID) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.down == nil {
		k.ended[id] = true
	}
	return k.down
}

func (k *fakeKratos) SessionActive(_ context.Context, id uuid.UUID) (bool, error) {
	k.asked.Add(1)
	if k.slow != nil {
		<-k.slow
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.ended[id], k.down
}

func (k *fakeKratos) EndSessions(ctx context.Context, identity uuid.UUID) error {
	return k.EndSessionsBesides(ctx, identity, nil)
}

func (k *fakeKratos) EndSessionsBesides(_ context.Context, identity uuid.UUID, kept []uuid.UUID) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := errors.Join(k.down, k.endFails); err != nil {
		return err
	}
	for _, s := range k.sessions {
		if s.Identity == identity && !slices.Contains(kept, s.ID) {
			k.ended[s.ID] = true
		}
	}
	return nil
}

func (k *fakeKratos) setDown(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.down = err
}

// rig is a service on a database of its own, with a clock that stands still.
type rig struct {
	*session.Service
	t      *testing.T
	pool   *pgxpool.Pool
	store  *store.Store
	ring   *keyring.Ring
	clock  *clock.Fake
	kratos *fakeKratos
	apple  *consents
	// kratosOff is how far Kratos' clock is ahead.
	kratosOff time.Duration
	// cookies of the browsers, by family.
	cookies sync.Map
	// counted by the rig's own service, not by replicas.
	metrics *prometheus.Registry
}

func newRig(t *testing.T) *rig {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(pgtest.New(t, "identity", store.Migrate))
	errtest.None(t, err)
	cfg.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	secret := make([]byte, keyring.EncryptionKeySize)
	if _, err := rand.Read(secret); err != nil {
		t.Fatal(err)
	}
	sealer, err := keyring.NewSealer(config.Secret(base64.StdEncoding.EncodeToString(secret)))
	errtest.None(t, err)
	r := &rig{
		t: t, pool: pool, clock: clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)),
		kratos: &fakeKratos{sessions: map[string]kratos.Session{}, ended: map[uuid.UUID]bool{}},
		apple:  &consents{},
	}
	r.store = store.New(pool, account.NewAdmins([]string{"admin@fledge.test"}), 30*time.Second)
	r.ring = keyring.New(r.store, sealer, r.clock)
	errtest.None(t, r.ring.Open(t.Context()))
	r.metrics = prometheus.NewRegistry()
	r.Service = r.service(session.Settings{Issuer: origin, HandOffTokens: true}, r.metrics)
	return r
}

// replica is another service on the same database.
func (r *rig) replica(s session.Settings) *session.Service {
	return r.service(s, prometheus.NewRegistry())
}

func (r *rig) service(s session.Settings, reg *prometheus.Registry) *session.Service {
	r.t.Helper()
	metrics, err := session.NewMetrics(reg)
	errtest.None(r.t, err)
	return session.NewService(r.store, r.kratos, r.apple, r.ring, s, r.clock, slog.New(slog.DiscardHandler), metrics)
}

// signIn gives a person a Kratos session and returns its cookie.
func (r *rig) signIn(email string) (cookie string) {
	cookie = uuid.NewString()
	now := r.clock.Now().Add(r.kratosOff)
	r.kratos.mu.Lock()
	defer r.kratos.mu.Unlock()
	r.kratos.sessions[cookie] = kratos.Session{
		ID: uuid.New(), Identity: uuid.NewSHA1(uuid.NameSpaceURL, []byte(email)), Email: email, EmailVerifiedAt: now,
		Provider: "google", AuthenticatedAt: now, ExpiresAt: now.Add(30 * 24 * time.Hour),
	}
	return cookie
}

func (r *rig) create(cookie string) session.Session {
	r.t.Helper()
	return r.createAt(r.Service, cookie)
}

func (r *rig) createAt(replica *session.Service, cookie string) session.Session {
	r.t.Helper()
	s, err := replica.Create(r.t.Context(), cookie, session.Device{UserAgent: "test", IPAddress: "127.0.0.1"})
	errtest.None(r.t, err)
	r.cookies.Store(r.familyOf(s), cookie)
	return s
}

// Refresh does so as the device that was given the token: a browser has its cookie.
func (r *rig) Refresh(ctx context.Context, refreshToken string) (session.Session, error) {
	return r.Service.Refresh(ctx, refreshToken, r.cookieOf(refreshToken), session.Device{UserAgent: "test", IPAddress: "127.0.0.1"})
}

func (r *rig) cookieOf(refreshToken string) string {
	parsed, err := r.ring.RefreshSecrets().Parse(refreshToken)
	if err != nil {
		return ""
	}
	cookie, _ := r.cookies.Load(parsed.Family)
	text, _ := cookie.(string)
	return text
}

func (r *rig) refresh(token string) session.Session {
	r.t.Helper()
	s, err := r.Refresh(r.t.Context(), token)
	errtest.None(r.t, err)
	return s
}

func (r *rig) refused(err error, want fault.Kind) {
	r.t.Helper()
	if !errors.Is(err, want) {
		r.t.Errorf("got %v, want %s", err, want)
	}
}

func (r *rig) verifier() *authn.Verifier {
	jwks := func(context.Context) ([]byte, error) { return r.ring.JWKS(), nil }
	return authn.NewVerifier(origin, authn.NewKeys(jwks, r.clock), r.clock)
}

func (r *rig) verify(access string) authn.Principal {
	r.t.Helper()
	p, err := r.verifier().Verify(r.t.Context(), access)
	errtest.None(r.t, err)
	return p
}

func (r *rig) do(err error) {
	r.t.Helper()
	errtest.None(r.t, err)
}
