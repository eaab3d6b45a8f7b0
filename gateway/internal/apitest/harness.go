// Package apitest runs the whole gateway on a real listener in front of scripted services, for
// the tests of its routes. Every answer is held against openapi.yaml.
package apitest

import (
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
	"fledge.dev/gateway/internal/mailreports"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// InternalToken opens the services' internal methods.
const InternalToken = "0123456789abcdef0123456789abcdef"

// Gateway is a running gateway in front of services that the test scripts.
type Gateway struct {
	T        *testing.T
	URL      string
	API      *api.API
	Issuer   *authntest.Issuer
	Identity *identityFake
	Billing  *billingFake
	Waitlist *waitlistFake
	Support  *supportFake
	Releases *releasesFake
	Mail     *mailFake
	Kratos   *kratosFake
	Metrics  *prometheus.Registry
	Log      *logtest.Log
	Contract *contract.Contract
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

// Later lets time pass for the gateway.
func (g *Gateway) Later(d time.Duration) { g.clock.by.Add(int64(d)) }

// Stop stops the gateway's clock: from then on only Later moves it.
func (g *Gateway) Stop() {
	now := time.Now().UTC()
	g.clock.stands.Store(&now)
}

// Start runs a gateway with generous limits; change may tighten its settings.
func Start(t *testing.T, change ...func(*api.Config)) *Gateway {
	t.Helper()
	g := &Gateway{T: t, Issuer: authntest.New(t, nil), Log: &logtest.Log{}, Contract: loadContract(t), clock: &shifted{}}
	site, err := url.Parse(authntest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	cfg := api.Config{
		Site: site, HSTSSubdomains: true, TrustedProxies: []string{"127.0.0.0/8"}, RequestTimeout: 5 * time.Second, PaymentTimeout: 5 * time.Second, SignUpTimeout: waittest.Timeout,
		BodyTimeout: waittest.Timeout, MaxInFlight: 64, MaxWebhooks: 64, MaxPerClient: 64, MaxWebhooksPerClient: 64, MaxBodies: 2048, MaxBodiesPerClient: 64,
		Rates:         map[route.Limit]limits.Rate{},
		DownloadHosts: []string{"github.com"}, MailReports: mailreports.Config{GenericSecrets: ReportSecret},
	}
	for limit := route.General; limit <= route.MailReport; limit++ {
		cfg.Rates[limit] = limits.Rate{PerMinute: 1e6, Burst: 1e6}
	}
	for _, f := range change {
		f(&cfg)
	}
	rt := service.NewRuntime("gateway", "test", obs.NewLogger(g.Log, "gateway", 0))
	g.Metrics, rt.Clock = rt.Metrics, g.clock
	services, err := backend.Dial(g.serve(), rpc.ClientConfig{InternalToken: InternalToken})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = services.Close() })
	g.Kratos = newKratos(t)
	identity := identityclient.New(services.IdentityConn())
	verifier := authn.NewVerifier(authntest.Origin, authn.NewKeys(identity.JWKS, rt.Clock), rt.Clock)
	ory, err := kratos.NewClient(g.Kratos.base(), cfg.Site, rt.Log, rt.Metrics, rt.Clock)
	if err != nil {
		t.Fatal(err)
	}
	g.API, err = api.New(cfg, rt, services, ory, verifier, identity)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(g.API)
	server.Config = httpserver.New(g.API, rt.Log)
	server.Start()
	t.Cleanup(server.Close)
	g.URL = server.URL
	return g
}

// Document is openapi.yaml.
func Document(t testing.TB) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// LoadOnce reads openapi.yaml. It also records which answers the tests have seen
// (Contract.Unanswered).
var LoadOnce = sync.OnceValues(func() (*contract.Contract, error) {
	raw, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		return nil, err
	}
	return contract.Load(raw)
})

func loadContract(t testing.TB) *contract.Contract {
	t.Helper()
	c, err := LoadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Answer is what the gateway said, already held against the contract.
type Answer struct {
	T      *testing.T
	Status int
	Header http.Header
	Body   []byte
}

// Option changes a request.
type Option func(*http.Request)

// Header sets a header.
func Header(name, value string) Option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// Bearer sends a token.
func Bearer(token string) Option { return Header("Authorization", "Bearer "+token) }

// From is a request that the front door has taken from an address.
func From(ip string) Option { return Header("X-Forwarded-For", ip) }

// Cookie sends the Cookie header.
func Cookie(value string) Option { return Header("Cookie", value) }

// JSONBody posts a body as it is.
func JSONBody(body string) Option {
	return func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		if r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", "application/json")
		}
	}
}

// Do sends a request and holds the answer against the contract.
func (g *Gateway) Do(method, path string, options ...Option) Answer {
	g.T.Helper()
	req, err := http.NewRequestWithContext(g.T.Context(), method, g.URL+path, nil)
	if err != nil {
		g.T.Fatal(err)
	}
	for _, o := range options {
		o(req)
	}
	g.fillIn(req)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		g.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		g.T.Fatal(err)
	}
	if err := g.Contract.Check(req, resp, body); err != nil {
		g.T.Error(err)
	}
	return Answer{g.T, resp.StatusCode, resp.Header, body}
}

// Get is Do for GET.
func (g *Gateway) Get(path string, options ...Option) Answer {
	g.T.Helper()
	return g.Do(http.MethodGet, path, options...)
}

// Post is Do for POST with a JSON body.
func (g *Gateway) Post(path, body string, options ...Option) Answer {
	g.T.Helper()
	return g.Do(http.MethodPost, path, append(options, JSONBody(body))...)
}

// Is fails the test unless the answer has the status and, if one is given, the
// body, compared as JSON.
func (a Answer) Is(status int, body ...string) Answer {
	a.T.Helper()
	if a.Status != status {
		a.T.Errorf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	for _, want := range body {
		if got := Canonical(a.T, a.Body); got != Canonical(a.T, []byte(want)) {
			a.T.Errorf("body %s, want %s", a.Body, want)
		}
	}
	return a
}

// Fails is is for a failure with the given code.
func (a Answer) Fails(status int, code string) Answer {
	a.T.Helper()
	a.Is(status)
	var body struct{ Code string }
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Code != code {
		a.T.Errorf("code %q, want %q: %s", body.Code, code, a.Body)
	}
	return a
}

// Canonical is JSON in one form, for comparisons.
func Canonical(t *testing.T, raw []byte) string {
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
