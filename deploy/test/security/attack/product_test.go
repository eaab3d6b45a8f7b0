package attack

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/gateway"
	"fledge.dev/gateway/contract"
	"fledge.dev/services"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// product is a running one and the people in it: ann attacks, bea has things of her
// own, mod is a moderator.
type product struct {
	*testing.T
	stack     *stack.Stack
	opts      stack.Options
	site      string
	contract  *contract.Contract
	people    map[string]*person.Person
	cookies   map[string]string
	tokens    map[string]string
	databases map[string]*pgx.Conn
	begun     int // how much PostgreSQL had logged before the attacks
}

// client follows no redirect and keeps no cookie.
var client = &http.Transport{MaxIdleConnsPerHost: 4}

func start(t *testing.T) *product {
	opts := stacktest.Options(t, stack.InProcess)
	opts.Settings = map[string][]string{"gateway": stacktest.NoLimits()}
	stacktest.Patient(&opts)
	s := stacktest.Start(t, opts)
	p := &product{
		T: t, stack: s, opts: opts, site: s.URLs().Site,
		people: map[string]*person.Person{}, cookies: map[string]string{}, tokens: map[string]string{"nobody": ""}, databases: map[string]*pgx.Conn{},
	}
	described, err := contract.Load(gateway.OpenAPI)
	errtest.None(p, err)
	p.contract = described
	for name, email := range map[string]string{"ann": "ann@fledge.test", "bea": "bea@fledge.test", "mod": "mod@fledge.test", "admin": stack.AdminEmail} {
		p.signIn(name, email)
	}
	for _, service := range append(services.Names(), "kratos") {
		if p.stack.DatabaseURL(service) == "" {
			continue // the gateway keeps nothing
		}
		conn, err := pgx.Connect(t.Context(), p.stack.DatabaseURL(service))
		errtest.None(p, err)
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		p.databases[service] = conn
	}
	return p
}

// signIn also keeps the cookie, for tests that steal it.
func (p *product) signIn(name, email string) {
	p.Helper()
	who := person.NewThrough(p.site, spy(func(r *http.Request) {
		if cookies := r.CookiesNamed(brand.SessionCookie); len(cookies) == 1 {
			p.cookies[name] = cookies[0].String()
		}
	}))
	errtest.None(p, who.SignIn(p.Context(), email))
	req, err := http.NewRequest(http.MethodGet, p.site, nil)
	errtest.None(p, err)
	who.Authorize(req)
	p.people[name], p.tokens[name] = who, strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
}

type spy func(*http.Request)

func (s spy) RoundTrip(r *http.Request) (*http.Response, error) {
	s(r)
	return http.DefaultTransport.RoundTrip(r)
}

// call is a call that must work.
func call[A any](p *product, who, method, path string, body any) (answer A) {
	p.Helper()
	if err := p.people[who].Call(p.Context(), method, path, body, &answer); err != nil {
		p.Fatalf("%s: %s %s: %v", who, method, path, err)
	}
	return answer
}

type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request unchanged and checks the answer against the description.
func (p *product) send(req *http.Request) reply {
	p.Helper()
	resp, err := client.RoundTrip(req)
	if err != nil {
		p.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	raw, err := io.ReadAll(resp.Body)
	errtest.None(p, err)
	errtest.None(p, resp.Body.Close())
	answer := reply{resp.StatusCode, resp.Header, string(raw)}
	if err := p.contract.Check(req, resp, raw); err != nil {
		p.Errorf("%v: %s", err, raw)
	}
	if answer.status >= http.StatusInternalServerError {
		p.Errorf("%s %s: %d %s", req.Method, req.URL, answer.status, raw)
	}
	for _, inside := range []string{"SQLSTATE", "pgx", "goroutine ", "panic", "127.0.0.1:", "rpc error", "/root/", ".go:"} {
		if answer.status >= http.StatusBadRequest && strings.Contains(answer.body, inside) {
			p.Errorf("%s %s tells of the inside: %s", req.Method, req.URL, raw)
		}
	}
	if answer.header.Get("X-Content-Type-Options") != "nosniff" || answer.status >= http.StatusBadRequest && answer.header.Get("Cache-Control") != "no-store" {
		p.Errorf("%s %s: headers %v", req.Method, req.URL, answer.header)
	}
	return answer
}

// log is what a part wrote so far.
func (p *product) log(part string) string {
	p.Helper()
	raw, err := os.ReadFile(p.opts.State.Log(part))
	errtest.None(p, err)
	return string(raw)
}

// paid waits until what somebody bought has arrived, and all that Stripe had to say, and until support
// knows the plan.
func (p *product) paid(who string) {
	p.Helper()
	waittest.Eventually(p.T, "Stripe has told everything", func() bool {
		var pending struct{ Pending int }
		errtest.None(p, person.New(p.stack.URLs().Stripe).Call(p.Context(), http.MethodGet, "/control/delivery", nil, &pending))
		balance := call[struct{ Data *struct{ Balance float64 } }](p, who, http.MethodGet, "/api/get-token-balance", nil)
		return pending.Pending == 0 && balance.Data != nil && balance.Data.Balance > 0 &&
			p.ask("billing", "SELECT count(*) FROM stripe_events WHERE state = 'pending'") == "0" &&
			p.ask("support", "SELECT count(*) FROM customer_plans WHERE user_id = '"+p.people[who].ID()+"'") == "1"
	})
}

// ask returns the one value that a query finds, as text.
func (p *product) ask(service, query string) (value string) {
	p.Helper()
	errtest.None(p, p.databases[service].QueryRow(p.Context(), "SELECT ("+query+")::text").Scan(&value))
	return value
}
