package api_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/fault"
)

const signUp = `{"email":"a@b.co","source":"hero_section"}`

func TestEachClientHasItsOwnLimit(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.Rates[route.General] = limits.Rate{PerMinute: 1, Burst: 3} })
	for range 3 {
		g.Get("/api/get-latest-downloads", apitest.From("203.0.113.1")).Is(http.StatusOK)
	}
	for _, path := range []string{"/api/get-latest-downloads", "/api/auth/session", "/api/nothing"} {
		a := g.Get(path, apitest.From("203.0.113.1")).Fails(http.StatusTooManyRequests, "rate_limited")
		if a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	// What the client itself put into the header is further left and not believed.
	g.Get("/api/get-latest-downloads", apitest.From("198.51.100.9, 203.0.113.1")).Is(http.StatusTooManyRequests)
	g.Get("/api/get-latest-downloads", apitest.From("203.0.113.2")).Is(http.StatusOK)
}

func TestOnlyTrustedProxiesNameTheClient(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) {
		c.TrustedProxies = nil
		c.Rates[route.General] = limits.Rate{PerMinute: 1, Burst: 1}
	})
	g.Get("/api/get-latest-downloads", apitest.From("203.0.113.1")).Is(http.StatusOK)
	g.Get("/api/get-latest-downloads", apitest.From("203.0.113.2")).Is(http.StatusTooManyRequests)
	g.Get("/api/get-latest-downloads", apitest.Header("X-Real-Ip", "203.0.113.3"), apitest.Header("Forwarded", "for=203.0.113.4")).Is(http.StatusTooManyRequests)
}

// TestALimitSpeaksOAuthToOAuthsForms: a library reads "error", of which RFC 6749 has a list.
func TestALimitSpeaksOAuthToOAuthsForms(t *testing.T) {
	g := apitest.Ready(t, func(c *api.Config) { c.Rates[route.Token] = limits.Rate{PerMinute: 1, Burst: 1} })
	form := apitest.Header("Content-Type", "application/x-www-form-urlencoded")
	for _, path := range []string{"/api/auth/token", "/api/auth/revoke"} {
		client := apitest.From("203.0.113." + strconv.Itoa(len(path)))
		g.Post(path, "grant_type=refresh_token&refresh_token=x&token=x", form, client)
		a := g.Post(path, "grant_type=refresh_token&refresh_token=x&token=x", form, client).Is(http.StatusTooManyRequests)
		if body := string(a.Body); !strings.Contains(body, `"error":"temporarily_unavailable"`) || !strings.Contains(body, `"error_description":"`) {
			t.Errorf("%s: %s", path, body)
		}
		g.Post(path, `{"grant_type":"refresh_token","refresh_token":"x"}`, client).Fails(http.StatusTooManyRequests, "rate_limited")
	}
}

func TestSignUpsAndSignInsAreScarcer(t *testing.T) {
	g := apitest.Ready(t, func(c *api.Config) {
		c.Rates[route.Session] = limits.Rate{PerMinute: 1, Burst: 2}
		c.Rates[route.SignUp] = limits.Rate{PerMinute: 1, Burst: 2}
		c.Rates[route.SignIn] = limits.Rate{PerMinute: 1, Burst: 1}
	})
	for range 2 {
		g.Post("/api/add-waitlist-user", signUp).Is(http.StatusOK)
	}
	g.Post("/api/add-waitlist-user", signUp).Fails(http.StatusTooManyRequests, "rate_limited")
	g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Is(http.StatusOK)
	g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Fails(http.StatusTooManyRequests, "rate_limited")
	apple := func() apitest.Answer {
		return g.Post("/api/auth/kratos/self-service/methods/oidc/callback/apple", "state=s&code=c", apitest.Header("Content-Type", "application/x-www-form-urlencoded"))
	}
	apple()
	// A person reads the answer.
	if a := apple(); a.Is(http.StatusSeeOther).Header.Get("Location") != "/auth/error" {
		t.Errorf("too many forms lead to %q", a.Header.Get("Location"))
	}
	for range 2 {
		g.Get("/api/auth/session", apitest.Cookie("fledge_session=s1")).Is(http.StatusOK)
	}
	g.Get("/api/auth/session", apitest.Cookie("fledge_session=s1")).Fails(http.StatusTooManyRequests, "rate_limited")
	g.Get("/api/get-latest-downloads").Is(http.StatusOK)
	if g.Waitlist.Count() != 2 || g.Identity.Count() != 2 {
		t.Errorf("%d sign-ups and %d questions for the session reached the services", g.Waitlist.Count(), g.Identity.Count())
	}
}

// TestAddressesAreReadAsProxiesWriteThem: with ports, through several hops, and by networks of IPv6.
func TestAddressesAreReadAsProxiesWriteThem(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) {
		c.TrustedProxies = []string{"127.0.0.0/8", "172.64.0.0/13"}
		c.Rates[route.General] = limits.Rate{PerMinute: 1, Burst: 2}
	})
	get := func(from string) int { return g.Get("/api/get-latest-downloads", apitest.From(from)).Status }
	for i := range 20 {
		for _, from := range []string{fmt.Sprintf("203.0.113.%d:5%03d", i, i), fmt.Sprintf("198.51.100.%d, 172.68.1.1", i), fmt.Sprintf("[2001:db8:%x::1]:443", i)} {
			if status := get(from); status != http.StatusOK {
				t.Errorf("%s: %d", from, status)
			}
		}
	}
	statuses := map[int]int{}
	for i := range 256 {
		statuses[get(fmt.Sprintf("2001:db8:ffff:%x::1", i))]++
	}
	if statuses[http.StatusOK] != 8 {
		t.Errorf("a home's networks: %v", statuses)
	}
	if !strings.Contains(g.Log.String(), `"ip":"203.0.113.7"`) || strings.Contains(g.Log.String(), `"ip":"172.68.1.1"`) {
		t.Error("the log names other addresses")
	}
}

func TestRefusalsSayWhatTheLimitIsAndAreCounted(t *testing.T) {
	g := apitest.Ready(t, func(c *api.Config) {
		c.Rates[route.SignUp], c.Rates[route.General] = limits.Rate{PerMinute: 30, Burst: 2}, limits.Rate{PerMinute: 60, Burst: 4}
	})
	g.Stop()
	says := func(a apitest.Answer, policy, left string) {
		t.Helper()
		if a.Header.Get("RateLimit-Policy") != policy || a.Header.Get("RateLimit") != left {
			t.Errorf("%q, %q", a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit"))
		}
	}
	const policy = `"sign_up";q=2;w=4`
	says(g.Post("/api/add-waitlist-user", signUp).Is(http.StatusOK), policy, `"sign_up";r=1;t=2`)
	says(g.Post("/api/add-waitlist-user", signUp).Is(http.StatusOK), policy, `"sign_up";r=0;t=4`)
	a := g.Post("/api/add-waitlist-user", signUp).Is(http.StatusTooManyRequests)
	if says(a, policy, `"sign_up";r=0;t=4`); a.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	says(g.Get("/api/get-latest-downloads").Is(http.StatusOK), "", "")
	says(g.Get("/api/get-latest-downloads").Is(http.StatusTooManyRequests), `"requests";q=4;w=4`, `"requests";r=0;t=4`)
	says(g.Get("/api/get-latest-downloads", apitest.From("203.0.113.2")).Is(http.StatusOK), "", "")
	g.Later(time.Minute)
	want := `
# HELP gateway_busiest_client_ratio The busiest client address's part of the requests of the last whole minute.
# TYPE gateway_busiest_client_ratio gauge
gateway_busiest_client_ratio 0.8333333333333334
# HELP gateway_refusals_total Requests refused because there were too many, by limiter.
# TYPE gateway_refusals_total counter
gateway_refusals_total{limiter="bodies"} 0
gateway_refusals_total{limiter="callback"} 0
gateway_refusals_total{limiter="checkout"} 0
gateway_refusals_total{limiter="checkout_sync"} 0
gateway_refusals_total{limiter="form_callback"} 0
gateway_refusals_total{limiter="mail_report"} 0
gateway_refusals_total{limiter="places"} 0
gateway_refusals_total{limiter="requests"} 1
gateway_refusals_total{limiter="session"} 0
gateway_refusals_total{limiter="sign_in"} 0
gateway_refusals_total{limiter="sign_up"} 1
gateway_refusals_total{limiter="token"} 0
gateway_refusals_total{limiter="webhook_bodies"} 0
gateway_refusals_total{limiter="webhooks"} 0
`
	if err := testutil.GatherAndCompare(g.Metrics, strings.NewReader(want), "gateway_refusals_total", "gateway_busiest_client_ratio"); err != nil {
		t.Error(err)
	}
}

// TestNobodyTriesManyRefreshTokens: 10,000 random ones from one address meet the
// limit after the burst, and others are not held up.
func TestNobodyTriesManyRefreshTokens(t *testing.T) {
	const burst, tries = 60, 10_000
	g := apitest.Start(t, func(c *api.Config) { c.Rates[route.Token] = limits.Rate{PerMinute: 0.001, Burst: burst} })
	g.Identity.Fail(fault.New(fault.Unauthenticated, "refresh_token_invalid", "Please sign in again."))
	statuses := map[int]int{}
	for range tries {
		req := httptest.NewRequest(http.MethodPost, apitest.TokenPath, strings.NewReader(`{"grant_type":"refresh_token","refresh_token":"`+rand.Text()+`"}`))
		req.RemoteAddr = "203.0.113.1:1"
		req.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		g.API.ServeHTTP(rec, req)
		statuses[rec.Code]++
		if rec.Code == http.StatusTooManyRequests && rec.Header().Get("Retry-After") == "" {
			t.Fatal("no Retry-After")
		}
	}
	if statuses[http.StatusUnauthorized] != burst || statuses[http.StatusTooManyRequests] != tries-burst || g.Identity.Count() != burst {
		t.Errorf("answers %v, %d of them from identity", statuses, g.Identity.Count())
	}
	g.Post(apitest.TokenPath, apitest.CodeGrant, apitest.From("203.0.113.2")).Fails(http.StatusUnauthorized, "refresh_token_invalid")
}

// TestHandingOverIsScarceToo: each hand-off leaves a code or a Mac behind.
func TestHandingOverIsScarceToo(t *testing.T) {
	const burst = 3
	g := apitest.Ready(t, func(c *api.Config) { c.Rates[route.Token] = limits.Rate{PerMinute: 0.001, Burst: burst} })
	_, token := g.Issuer.User("user@example.com")
	hand := func(ip string) apitest.Answer {
		return g.Post(apitest.HandOffPath, `{"callback":"fledge://auth/callback"}`, apitest.Bearer(token), apitest.From(ip))
	}
	for range burst {
		hand("203.0.113.1").Is(http.StatusOK)
	}
	if a := hand("203.0.113.1").Fails(http.StatusTooManyRequests, "rate_limited"); a.Header.Get("Retry-After") == "" || g.Identity.Count() != burst {
		t.Errorf("Retry-After %q, %d reached identity", a.Header.Get("Retry-After"), g.Identity.Count())
	}
	hand("203.0.113.2").Is(http.StatusOK)
}

func TestAServiceThatIsAwayIsUnavailable(t *testing.T) {
	g := apitest.Start(t)
	g.Waitlist.Fail(errors.New("pq: password authentication failed for user waitlist"))
	a := g.Post("/api/add-waitlist-user", signUp).Fails(http.StatusInternalServerError, "internal")
	if strings.Contains(string(a.Body), "pq:") || !strings.Contains(string(a.Body), fault.FallbackMessage) {
		t.Errorf("body %s", a.Body)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	g := apitest.Start(t)
	req := httptest.NewRequest(http.MethodPost, "/api/add-waitlist-user", panicking{})
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	g.API.ServeHTTP(rec, req)
	if rec.Code != http.StatusInternalServerError || !strings.Contains(rec.Body.String(), `"code":"internal"`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if !strings.Contains(g.Log.String(), `"msg":"panic"`) {
		t.Error("the log does not tell")
	}
}

// panicking is a body whose reader is broken beyond errors.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("broken") }
