package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/contract"
	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/httpserver"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/access"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

const internalToken = "0123456789abcdef0123456789abcdef"

// gateway is a running gateway in front of services that the test scripts.
type gateway struct {
	t        *testing.T
	url      string
	api      *api.API
	issuer   *authntest.Issuer
	identity *identityFake
	billing  *billingFake
	waitlist *waitlistFake
	support  *supportFake
	releases *releasesFake
	kratos   *kratosFake
	metrics  *prometheus.Registry
	log      *log
	contract *contract.Contract
	clock    *shifted
}

// shifted is the machine's clock, so much later, or one that stands.
type shifted struct {
	by     atomic.Int64
	stands atomic.Pointer[time.Time]
}

func (s *shifted) Now() time.Time {
	now := time.Now().UTC()
	if at := s.stands.Load(); at != nil {
		now = *at
	}
	return now.Add(time.Duration(s.by.Load()))
}

// later lets time pass for the gateway.
func (g *gateway) later(d time.Duration) { g.clock.by.Add(int64(d)) }

// stop has time pass by later alone.
func (g *gateway) stop() {
	now := time.Now().UTC()
	g.clock.stands.Store(&now)
}

var generous = limits.Rate{PerMinute: 1e6, Burst: 1e6}

// start runs a gateway with generous limits; change may tighten its settings.
func start(t *testing.T, change ...func(*api.Config)) *gateway {
	t.Helper()
	g := &gateway{t: t, issuer: authntest.New(t, nil), log: &log{}, contract: loadContract(t), clock: &shifted{}}
	site, err := url.Parse(authntest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	cfg := api.Config{
		Site: site, TrustedProxies: []string{"127.0.0.0/8"}, RequestTimeout: 5 * time.Second, PaymentTimeout: 5 * time.Second, SignUpTimeout: waittest.Timeout,
		BodyTimeout: waittest.Timeout, MaxInFlight: 64, MaxWebhooks: 64, MaxPerClient: 64, MaxWebhooksPerClient: 64,
		General: generous, SignUp: generous, SignIn: generous, Session: generous, Token: generous, Checkout: generous, CheckoutSync: generous,
		DownloadHosts: []string{"github.com"},
	}
	for _, f := range change {
		f(&cfg)
	}
	rt := service.NewRuntime("gateway", "test", obs.NewLogger(g.log, "gateway", 0))
	g.metrics, rt.Clock = rt.Metrics, g.clock
	services, err := backend.Dial(g.serve(), rpc.ClientConfig{InternalToken: internalToken})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = services.Close() })
	g.kratos = newKratos(t)
	identity := access.New(services.IdentityConn())
	verifier := authn.NewVerifier(authntest.Origin, authn.NewKeys(identity.JWKS, rt.Clock), rt.Clock)
	ory, err := kratos.NewClient(g.kratos.base(), site, rt.Log, rt.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	g.api, err = api.New(cfg, rt, services, ory, verifier, identity)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(g.api)
	server.Config = httpserver.New(g.api, rt.Log)
	server.Start()
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func document(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var loadOnce = sync.OnceValues(func() (*contract.Contract, error) {
	raw, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		return nil, err
	}
	return contract.Load(raw)
})

func loadContract(t testing.TB) *contract.Contract {
	t.Helper()
	c, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is what the gateway said, already held against the contract.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// option changes a request.
type option func(*http.Request)

func header(name, value string) option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func bearer(token string) option { return header("Authorization", "Bearer "+token) }

func from(ip string) option { return header("X-Forwarded-For", ip) }

func cookie(value string) option { return header("Cookie", value) }

// jsonBody posts a body as it is.
func jsonBody(body string) option {
	return func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		if r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", "application/json")
		}
	}
}

func (g *gateway) do(method, path string, options ...option) answer {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, o := range options {
		o(req)
	}
	g.fillIn(req)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := g.contract.Check(req, resp, body); err != nil {
		g.t.Error(err)
	}
	return answer{g.t, resp.StatusCode, resp.Header, body}
}

func (g *gateway) get(path string, options ...option) answer {
	g.t.Helper()
	return g.do(http.MethodGet, path, options...)
}

func (g *gateway) post(path, body string, options ...option) answer {
	g.t.Helper()
	return g.do(http.MethodPost, path, append(options, jsonBody(body))...)
}

// is fails the test unless the answer has the status and, if one is given, the
// body, compared as JSON.
func (a answer) is(status int, body ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Errorf("status %d, want %d: %s", a.status, status, a.body)
	}
	for _, want := range body {
		if got := canonical(a.t, a.body); got != canonical(a.t, []byte(want)) {
			a.t.Errorf("body %s, want %s", a.body, want)
		}
	}
	return a
}

// fails is is for a failure with the given code.
func (a answer) fails(status int, code string) answer {
	a.t.Helper()
	a.is(status)
	var body struct{ Code string }
	if err := json.Unmarshal(a.body, &body); err != nil || body.Code != code {
		a.t.Errorf("code %q, want %q: %s", body.Code, code, a.body)
	}
	return a
}

func canonical(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// log keeps what the gateway wrote.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
