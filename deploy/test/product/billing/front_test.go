package billing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/gateway"
	"fledge.dev/gateway/contract"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
)

// front is a gateway before an instance. Its answers are checked against the contract.
type front struct {
	*rig
	url      string
	contract *contract.Contract
}

func (r *rig) front(to *instance) *front {
	r.Helper()
	cfg, err := config.Load[gateway.Config]([]string{
		"HTTP_ADDR=127.0.0.1:0", "SITE_ORIGIN=" + authntest.Origin, "KRATOS_PUBLIC_URL=http://127.0.0.1:1", "IDENTITY_ADDR=" + r.identity,
		"BILLING_ADDR=" + to.addr, "WAITLIST_ADDR=127.0.0.1:1", "SUPPORT_ADDR=127.0.0.1:1", "RELEASES_ADDR=127.0.0.1:1",
		"INTERNAL_TOKEN=" + servicetest.InternalToken, "OPS_ADDR=",
	})
	r.must(err)
	log := r.log()
	rt := service.NewRuntime("gateway", "dev", obs.NewLogger(log, "gateway", slog.LevelInfo))
	units, err := gateway.New(r.Context(), cfg, rt)
	r.must(err)
	servicetest.Run(r, rt, cfg.Base, units)
	described, err := contract.Load(gateway.OpenAPI)
	r.must(err)
	return &front{r, "http://" + log.Addr(r, "http listening"), described}
}

// ask posts, or gets without a body, as a person, and decodes the answer.
func (f *front) ask(p *person, path, body string) (status int, answer map[string]any) {
	f.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(f.Context(), method, f.url+path, strings.NewReader(body))
	f.must(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+p.token)
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	f.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	f.must(err)
	f.must(f.contract.Check(req, resp, raw))
	f.must(json.NewDecoder(bytes.NewReader(raw)).Decode(&answer))
	return resp.StatusCode, answer
}

func (f *front) checkout(p *person) (status int, answer map[string]any) {
	f.Helper()
	return f.ask(p, "/api/create-checkout-session", fmt.Sprintf(`{"productId":%q,"priceId":%q,"successUrl":"%s?success=true","cancelUrl":%q,"userId":%q}`,
		stripe.ProProduct, stripe.ProPrice, profile, profile, p.id))
}

func (f *front) portal(p *person) (status int, answer map[string]any) {
	f.Helper()
	return f.ask(p, "/api/create-portal-session", fmt.Sprintf(`{"userId":%q,"returnUrl":%q}`, p.id, profile))
}

// page is what a browser gets at an address of the stand-in's.
func (r *rig) page(address any) string {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, fmt.Sprint(address), nil)
	r.must(err)
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	r.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	r.must(err)
	return string(raw)
}

// TestASlowStripeIsWaitedForAndAHangingOneIsNot: longer than other requests may
// take, and no longer than a person waits.
func TestASlowStripeIsWaitedForAndAHangingOneIsNot(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f, p := r.front(r.serving[0]), r.person()
	r.stripe.SetFault(stripe.Fault{Route: "POST /v1/checkout/sessions", Times: 1, DelayMillis: 6000})
	began := time.Now()
	status, slow := f.checkout(p)
	if took := time.Since(began); status != http.StatusOK || took < 6*time.Second {
		t.Fatalf("a slow checkout: %d after %s, %v", status, took, slow)
	}
	other := r.person()
	_, err := other.order(stripe.ProProduct, stripe.ProPrice)
	r.must(err)
	r.stripe.SetFault(stripe.Fault{DelayMillis: 60_000})
	var waiting sync.WaitGroup
	for what, ask := range map[string]func() (int, map[string]any){
		"a checkout": func() (int, map[string]any) { return f.checkout(p) },
		"a portal":   func() (int, map[string]any) { return f.portal(other) },
		"a return": func() (int, map[string]any) {
			return f.ask(p, "/api/sync-checkout-session", fmt.Sprintf(`{"sessionId":%q}`, slow["sessionId"]))
		},
	} {
		waiting.Go(func() {
			began := time.Now()
			status, answer := ask()
			if took := time.Since(began); status != http.StatusServiceUnavailable || answer["code"] != "stripe_unavailable" || took > 30*time.Second {
				t.Errorf("%s of a Stripe that hangs: %d after %s, %v", what, status, took, answer)
			}
		})
	}
	waiting.Wait()
	r.stripe.SetFault(stripe.Fault{})
	if status, again := f.checkout(p); status != http.StatusOK || again["sessionId"] != slow["sessionId"] {
		t.Errorf("afterwards: %d, %v; want %v", status, again, slow["sessionId"])
	}
}

// TestADoubleClickOverTwoReplicasIsOneCheckout while Stripe is still busy with the
// first: it refuses the second, which carries the same key. Portals may be several:
// each works, and nothing is bought by opening one.
func TestADoubleClickOverTwoReplicasIsOneCheckout(t *testing.T) {
	t.Parallel()
	r := start(t, 2)
	for _, route := range []string{"POST /v1/customers", "POST /v1/checkout/sessions"} {
		p := r.person()
		fronts := []*front{r.front(r.serving[0]), r.front(r.serving[1])}
		for _, f := range fronts { // so that the clicks come together
			f.ask(p, "/api/get-subscription", "")
		}
		r.stripe.SetFault(stripe.Fault{Route: route, DelayMillis: 1000})
		sessions, portals := make([]any, 4), make([]any, 4)
		var clicks sync.WaitGroup
		for i := range sessions {
			clicks.Go(func() {
				status, answer := fronts[i%2].checkout(p)
				if sessions[i] = answer["sessionId"]; sessions[i] == nil {
					t.Errorf("%s: click %d: %d, %v", route, i, status, answer)
				}
			})
		}
		clicks.Wait()
		r.stripe.SetFault(stripe.Fault{})
		for i := range portals {
			clicks.Go(func() {
				_, answer := fronts[i%2].portal(p)
				portals[i] = answer["url"]
			})
		}
		clicks.Wait()
		for i := range sessions {
			if sessions[i] != sessions[0] {
				t.Errorf("%s: click %d leads to %v, the first to %v", route, i, sessions[i], sessions[0])
			}
			if portals[i] == nil || !strings.Contains(r.page(portals[i]), "Return to Fledge") {
				t.Errorf("%s: click %d leads to %v, which is no portal", route, i, portals[i])
			}
		}
		if n := r.count(`SELECT count(*) FROM customers WHERE user_id = $1`, p.id); n != 1 {
			t.Errorf("%d customers", n)
		}
	}
}
