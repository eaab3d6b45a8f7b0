package identity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/platform/waittest"
)

const (
	origin        = "http://localhost:8080"
	internalToken = "0123456789abcdef0123456789abcdef"
	hookKey       = "fedcba9876543210fedcba9876543210"
)

// rig is the whole service between a database, NATS and a stand-in for Kratos'
// two listeners. The real Kratos is met in deploy/test/product/signin.
type rig struct {
	identityv1.IdentityServiceClient
	t      *testing.T
	kratos *kratosStandIn
	nats   *bustest.Server
	hooks  string
	grpc   string
	url    string
	db     *pgxpool.Pool
	log    *logtest.Log
	// cookies of the browsers, by refresh token.
	cookies sync.Map
}

func environ(databaseURL, natsURL, kratosURL string) []string {
	return []string{
		"DATABASE_URL=" + databaseURL, "DATABASE_DEADLINE=10s", "NATS_URL=" + natsURL, "OPS_ADDR=",
		"KRATOS_PUBLIC_URL=" + kratosURL, "KRATOS_ADMIN_URL=" + kratosURL, "SITE_ORIGIN=" + origin,
		"INTERNAL_TOKEN=" + internalToken, "HOOK_KEY=" + hookKey,
		"KEY_ENCRYPTION_KEY=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		"BOOTSTRAP_ADMIN_EMAILS=admin@fledge.test, boss@fledge.test",
		"MAIL_FROM=Fledge <hello@fledge.test>", "MAIL_REPLY_TO=support@fledge.test",
	}
}

// newRig starts the service; settings are environment variables beyond the usual.
func newRig(t *testing.T, settings ...string) *rig {
	t.Helper()
	return newRigOn(t, clock.System(), settings...)
}

// newRigOn starts the service on a machine with that clock.
func newRigOn(t *testing.T, machine clock.Clock, settings ...string) *rig {
	t.Helper()
	url := pgtest.New(t, "identity", func(ctx context.Context, url string) error {
		return identity.Config{Database: pg.Config{URL: config.Secret(url)}}.Migrate(ctx)
	})
	r := &rig{t: t, kratos: newKratosStandIn(t), nats: bustest.Start(t), url: url, db: pgtest.Open(t, url), log: &logtest.Log{}}
	cfg, err := config.Load[identity.Config](append(environ(url, r.nats.URL(), r.kratos.server.URL), settings...))
	errtest.None(t, err)
	rt := service.NewRuntime("identity", "test", obs.NewLogger(r.log, "identity", slog.LevelDebug))
	rt.Clock = machine
	units, err := identity.New(t.Context(), cfg, rt)
	errtest.None(t, err)
	servicetest.Run(t, rt, cfg.ServiceBase(), units)
	waittest.Seen(t, "the service is ready", func() (bool, string) { return strings.Contains(r.log.String(), `"msg":"ready"`), r.log.String() })
	r.hooks = "http://" + r.log.Addr(t, "hooks listening")
	r.grpc = r.log.Addr(t, "grpc listening")
	r.IdentityServiceClient = r.dial(internalToken)
	return r
}

// outsider calls without the internal token.
func (r *rig) outsider() identityv1.IdentityServiceClient { return r.dial("") }

func (r *rig) dial(token config.Secret) identityv1.IdentityServiceClient {
	r.t.Helper()
	conn, err := rpc.Dial(r.grpc, rpc.ClientConfig{InternalToken: token})
	errtest.None(r.t, err)
	r.t.Cleanup(func() { _ = conn.Close() })
	return identityv1.NewIdentityServiceClient(conn)
}

// as is a context that speaks for the owner of a session.
func (r *rig) as(s *identityv1.Session) context.Context {
	return authn.WithPrincipal(r.t.Context(), authn.Principal{Bearer: s.GetAccessToken()})
}

// principal reads a session's token the way another service would.
func (r *rig) principal(s *identityv1.Session) authn.Principal {
	r.t.Helper()
	var claims authn.Claims
	if _, _, err := jwt.NewParser().ParseUnverified(s.GetAccessToken(), &claims); err != nil {
		r.t.Fatal(err)
	}
	return authn.Principal{UserID: claims.Subject, Email: claims.Email, SessionID: claims.SessionID, Bearer: s.GetAccessToken()}
}

func (r *rig) session(cookie string) *identityv1.Session {
	r.t.Helper()
	resp, err := r.CreateSession(r.t.Context(), &identityv1.CreateSessionRequest{Cookie: cookie, UserAgent: "test", IpAddress: "127.0.0.1"})
	errtest.None(r.t, err)
	r.cookies.Store(resp.GetSession().GetRefreshToken(), cookie)
	return resp.GetSession()
}

// RefreshSession does so as the device that was given the token: a browser has its cookie.
func (r *rig) RefreshSession(ctx context.Context, req *identityv1.RefreshSessionRequest, opts ...grpc.CallOption) (*identityv1.RefreshSessionResponse, error) {
	cookie, ok := r.cookies.Load(req.GetRefreshToken())
	if ok {
		req.Cookie, _ = cookie.(string)
	}
	resp, err := r.IdentityServiceClient.RefreshSession(ctx, req, opts...)
	if ok {
		r.cookies.Store(resp.GetSession().GetRefreshToken(), cookie)
	}
	return resp, err
}

// hook calls the hook listener and returns the status and the body.
func (r *rig) hook(path, key, body string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.hooks+path, strings.NewReader(body))
	errtest.None(r.t, err)
	req.Header.Set("X-Hook-Key", key)
	resp, err := (&http.Client{}).Do(req)
	errtest.None(r.t, err)
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	errtest.None(r.t, err)
	return resp.StatusCode, string(answer)
}

// kratosStandIn answers whoami, identities and sessions with real answers' shapes.
type kratosStandIn struct {
	server            *httptest.Server
	calls             atomic.Int64
	status            atomic.Int64 // when not 0, the answer to everything
	deaf              atomic.Bool  // fails to set states
	sticky, keepsApps atomic.Bool  // fails to end all sessions of an identity, to remove authenticator apps

	mu        sync.Mutex
	sessions  map[string]string // cookie value → whoami body
	deleted   map[string]bool   // identities
	inactive  map[string]bool   // identities
	addresses map[string]string // identity → what it was set to
	taken     string            // the address of an identity that nobody has signed in to here
	enrolled  map[string]bool   // identities with an authenticator app and recovery codes
	headers   []http.Header
}

func newKratosStandIn(t *testing.T) *kratosStandIn {
	k := &kratosStandIn{sessions: map[string]string{}, deleted: map[string]bool{}, inactive: map[string]bool{}, enrolled: map[string]bool{}, addresses: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sessions/whoami", k.whoami)
	mux.HandleFunc("GET /health/ready", func(w http.ResponseWriter, _ *http.Request) { k.answer(w, http.StatusOK, `{"status":"ok"}`) })
	mux.HandleFunc("GET /admin/identities/{id}", func(w http.ResponseWriter, r *http.Request) {
		k.answer(w, http.StatusOK, `{"id":"`+r.PathValue("id")+`","schema_id":"person","schema_url":"x","traits":{},
			"credentials":{`+k.secondFactorOf(r.PathValue("id"))+`"oidc":{"type":"oidc","identifiers":["google:1","apple:2"]}}}`)
	})
	mux.HandleFunc("DELETE /admin/identities/{identity}", func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		k.deleted[r.PathValue("identity")] = true
		k.mu.Unlock()
		k.end(w, r, "identity")
	})
	mux.HandleFunc("DELETE /admin/identities/{identity}/credentials/oidc", func(w http.ResponseWriter, _ *http.Request) { k.answer(w, http.StatusNoContent, "") })
	mux.HandleFunc("DELETE /admin/identities/{identity}/credentials/{type}", k.removeSecondFactor)
	mux.HandleFunc("PATCH /admin/identities/{identity}", k.patch)
	mux.HandleFunc("GET /admin/sessions/{id}", k.session)
	mux.HandleFunc("DELETE /admin/sessions/{id}", func(w http.ResponseWriter, r *http.Request) { k.end(w, r, "id") })
	mux.HandleFunc("GET /admin/identities/{identity}/sessions", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page_token") == "" {
			w.Header().Set("Link", `<http://kratos/sessions?page_token=2&page_size=250>; rel="next"`)
		}
		k.answer(w, http.StatusOK, `[{"id":"`+uuid.NewString()+`","active":true,"devices":[{"id":"d","ip_address":"192.0.2.9","user_agent":"Browser/1"}]}]`)
	})
	mux.HandleFunc("DELETE /admin/identities/{identity}/sessions", func(w http.ResponseWriter, r *http.Request) {
		if k.sticky.Load() {
			k.answer(w, http.StatusServiceUnavailable, `{}`)
			return
		}
		k.end(w, r, "identity")
	})
	k.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.calls.Add(1)
		if s := int(k.status.Load()); s != 0 {
			k.answer(w, s, `{"error":{"message":"stand-in"}}`)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(k.server.Close)
	return k
}

func (k *kratosStandIn) whoami(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	k.headers = append(k.headers, r.Header.Clone())
	c, err := r.Cookie("fledge_session")
	body := ""
	if err == nil {
		body = k.sessions[c.Value]
	}
	k.mu.Unlock()
	if body == "" {
		k.answer(w, http.StatusUnauthorized, `{"error":{"code":401,"message":"No valid session"}}`)
		return
	}
	k.answer(w, http.StatusOK, body)
}

// patch sets the state or the address of an identity.
func (k *kratosStandIn) patch(w http.ResponseWriter, r *http.Request) {
	if k.deaf.Load() {
		k.answer(w, http.StatusServiceUnavailable, `{}`)
		return
	}
	var patch []struct {
		Op, Path string
		Value    any
	}
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil || len(patch) == 0 || patch[0].Op != "replace" {
		k.answer(w, http.StatusBadRequest, `{"error":{"code":400}}`)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch patch[0].Path {
	case "/state":
		k.inactive[r.PathValue("identity")] = patch[0].Value == "inactive"
	case "/traits/email":
		if patch[0].Value == k.taken {
			k.answer(w, http.StatusConflict, `{"error":{"code":409,"message":"This identity conflicts with another identity."}}`)
			return
		}
		k.addresses[r.PathValue("identity")] = fmt.Sprint(patch[0].Value)
	}
	k.answer(w, http.StatusOK, `{"id":"`+r.PathValue("identity")+`","schema_id":"person","schema_url":"x","traits":{}}`)
}

// refuses reports whether an identity is switched off.
func (k *kratosStandIn) refuses(identity string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.inactive[identity]
}

// end drops the sessions whose body holds the path's value: of a session or an identity.
func (k *kratosStandIn) end(w http.ResponseWriter, r *http.Request, value string) {
	k.mu.Lock()
	maps.DeleteFunc(k.sessions, func(_, body string) bool { return strings.Contains(body, `"`+r.PathValue(value)+`"`) })
	k.mu.Unlock()
	k.answer(w, http.StatusNoContent, "")
}

func (k *kratosStandIn) answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// signIn makes a session for an address and returns the browser's Cookie header.
func (k *kratosStandIn) signIn(email string, verified bool) string {
	return k.open(uuid.NewSHA1(uuid.NameSpaceURL, []byte(email)), email, verified, time.Now())
}

// signInAt is a sign-in at that time.
func (k *kratosStandIn) signInAt(email string, at time.Time) string {
	return k.open(uuid.NewSHA1(uuid.NameSpaceURL, []byte(email)), email, true, at)
}

// signInAs is a sign-in of another identity that has the address now.
func (k *kratosStandIn) signInAs(identity uuid.UUID, email string) string {
	return k.open(identity, email, true, time.Now())
}

// isSignedIn reports whether an identity has a session.
func (k *kratosStandIn) isSignedIn(identity string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, body := range k.sessions {
		if strings.Contains(body, `"`+identity+`"`) {
			return true
		}
	}
	return false
}

// knows reports whether an identity was not deleted.
func (k *kratosStandIn) knows(identity uuid.UUID) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.deleted[identity.String()]
}

func (k *kratosStandIn) open(identity uuid.UUID, email string, verified bool, at time.Time) string {
	body, err := json.Marshal(map[string]any{
		"id": uuid.NewString(), "active": true,
		"authenticated_at": at, "expires_at": at.Add(720 * time.Hour),
		"authentication_methods": []any{map[string]any{"method": "oidc", "provider": "google"}, map[string]any{"method": "oidc"}},
		"identity": map[string]any{
			"id": identity.String(), "schema_id": "person", "schema_url": "x",
			"traits":               map[string]any{"email": email},
			"verifiable_addresses": []any{map[string]any{"value": email, "verified": verified, "via": "email", "status": "completed"}},
		},
	})
	if err != nil {
		panic(err)
	}
	value := uuid.NewString()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sessions[value] = string(body)
	return "theme=dark; fledge_session=" + value + "; csrf_token_x=y"
}
