package api_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
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
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

const signUp = `{"email":"a@b.co","source":"hero_section"}`

func TestEachClientHasItsOwnLimit(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.General = limits.Rate{PerMinute: 1, Burst: 3} })
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
		c.General = limits.Rate{PerMinute: 1, Burst: 1}
	})
	g.Get("/api/get-latest-downloads", apitest.From("203.0.113.1")).Is(http.StatusOK)
	g.Get("/api/get-latest-downloads", apitest.From("203.0.113.2")).Is(http.StatusTooManyRequests)
	g.Get("/api/get-latest-downloads", apitest.Header("X-Real-Ip", "203.0.113.3"), apitest.Header("Forwarded", "for=203.0.113.4")).Is(http.StatusTooManyRequests)
}

// TestALimitSpeaksOAuthToOAuthsForms: a library reads "error", of which RFC 6749 has a list.
func TestALimitSpeaksOAuthToOAuthsForms(t *testing.T) {
	g := apitest.Ready(t, func(c *api.Config) { c.Token = limits.Rate{PerMinute: 1, Burst: 1} })
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
		c.Session = limits.Rate{PerMinute: 1, Burst: 2}
		c.SignUp = limits.Rate{PerMinute: 1, Burst: 2}
		c.SignIn = limits.Rate{PerMinute: 1, Burst: 1}
	})
	for range 2 {
		g.Post("/api/add-waitlist-user", signUp).Is(http.StatusOK)
	}
	g.Post("/api/add-waitlist-user", signUp).Fails(http.StatusTooManyRequests, "rate_limited")
	g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Is(http.StatusOK)
	g.Post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, apitest.FromOurPage).Fails(http.StatusTooManyRequests, "rate_limited")
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
		c.General = limits.Rate{PerMinute: 1, Burst: 2}
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
		c.SignUp, c.General = limits.Rate{PerMinute: 30, Burst: 2}, limits.Rate{PerMinute: 60, Burst: 4}
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
	g := apitest.Start(t, func(c *api.Config) { c.Token = limits.Rate{PerMinute: 0.001, Burst: burst} })
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
	g := apitest.Ready(t, func(c *api.Config) { c.Token = limits.Rate{PerMinute: 0.001, Burst: burst} })
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

func TestTooMuchAtOnceIsRefusedAtOnce(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.MaxInFlight = 1 })
	g.Waitlist.Hold = make(chan struct{})
	done := make(chan apitest.Answer)
	go func() { done <- g.Post("/api/add-waitlist-user", signUp) }()
	<-g.Waitlist.Came
	a := g.Get("/api/get-latest-downloads").Fails(http.StatusServiceUnavailable, "overloaded")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	close(g.Waitlist.Hold)
	(<-done).Is(http.StatusOK)
	waittest.Eventually(t, "the slot is free again", func() bool { return g.Get("/api/get-latest-downloads").Status == http.StatusOK })
}

// TestOneClientHasNotAllPlaces: a client with many requests in progress is refused
// more of them, and no other client is.
func TestOneClientHasNotAllPlaces(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) {
		c.MaxInFlight, c.MaxWebhooks, c.MaxPerClient, c.MaxWebhooksPerClient = 3, 3, 2, 1
	})
	g.Waitlist.Hold, g.Billing.Hold = make(chan struct{}), make(chan struct{})
	const slow, quick = "203.0.113.1", "203.0.113.2"
	good := apitest.Signed("t=1,v1=00")
	done := make(chan apitest.Answer, 3)
	for range 2 {
		go func() { done <- g.Post("/api/add-waitlist-user", signUp, apitest.From(slow)) }()
		<-g.Waitlist.Came
	}
	go func() { done <- g.Post(apitest.WebhookPath, `{}`, good, apitest.From(slow)) }()
	<-g.Billing.Came
	for _, a := range []apitest.Answer{g.Get("/api/get-latest-downloads", apitest.From(slow)), g.Post(apitest.WebhookPath, `{}`, good, apitest.From(slow))} {
		if a.Fails(http.StatusTooManyRequests, "rate_limited"); a.Header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
		}
	}
	g.Get("/api/get-latest-downloads", apitest.From(quick)).Is(http.StatusOK)
	g.Post(apitest.WebhookPath, `[]`, apitest.From(quick)).Is(http.StatusBadRequest) // for lack of a signature
	close(g.Waitlist.Hold)
	close(g.Billing.Hold)
	for range cap(done) {
		(<-done).Is(http.StatusOK)
	}
	waittest.Eventually(t, "the places are free again", func() bool { return g.Get("/api/get-latest-downloads", apitest.From(slow)).Status == http.StatusOK })
}

// TestSlowBodiesKeepNobodyOut: a place is for work, and no body that does not come has one.
func TestSlowBodiesKeepNobodyOut(t *testing.T) {
	const slow, addresses, perClient = 1000, 12, 32
	g := apitest.Start(t, func(c *api.Config) {
		c.MaxInFlight, c.MaxPerClient, c.MaxWebhooks, c.MaxWebhooksPerClient, c.MaxBodies, c.MaxBodiesPerClient = 16, 16, 16, 16, 512, perClient
	})
	refused := make(chan string, slow)
	for i := range slow {
		request := "POST /api/auth/sign-out HTTP/1.1\r\n"
		if i%2 == 0 {
			request = "POST " + apitest.WebhookPath + " HTTP/1.1\r\nStripe-Signature: t=1,v1=00\r\n"
		}
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := fmt.Fprintf(conn, "%sHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\nX-Forwarded-For: 203.0.113.%d\r\n\r\n{", request, i%addresses); err != nil {
			t.Fatal(err)
		}
		go func() {
			line, _ := bufio.NewReader(conn).ReadString('\n')
			refused <- line
		}()
	}
	// Each address has its cap of one kind: with even numbers for webhooks, with odd ones for the others.
	for range slow - addresses*perClient {
		if line := <-refused; !strings.HasPrefix(line, "HTTP/1.1 429 ") {
			t.Fatalf("a body above its client's cap: %q", line)
		}
	}
	good := apitest.Signed("t=1,v1=00")
	for range 3 {
		g.Get("/api/get-latest-downloads", apitest.From("198.51.100.1")).Is(http.StatusOK)
		g.Post("/api/add-waitlist-user", signUp, apitest.From("198.51.100.1")).Is(http.StatusOK)
		g.Post(apitest.WebhookPath, `{}`, good, apitest.From("198.51.100.1")).Is(http.StatusOK)
		g.Get("/api/get-latest-downloads", apitest.From("203.0.113.1")).Is(http.StatusOK)
	}
}

// TestASlowBodyIsEnded: a client that sends its body a byte at a time gets 408 once
// its time is over, on all routes that read one.
func TestASlowBodyIsEnded(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.MaxInFlight, c.BodyTimeout = 1, 100*time.Millisecond })
	const json, form = "application/json", "application/x-www-form-urlencoded"
	for path, contentType := range map[string]string{
		"/api/add-waitlist-user": json, apitest.TokenPath: json, apitest.WebhookPath: json + "\r\nStripe-Signature: t=1,v1=00", apitest.CallbackPath + "apple": form,
	} {
		got := g.Speak("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + contentType + "\r\nContent-Length: 100\r\n\r\n{")
		if !strings.HasPrefix(got, "HTTP/1.1 408") || !strings.Contains(got, `"body_too_slow"`) || !strings.Contains(got, "Connection: close") {
			t.Errorf("%s: %s", path, got)
		}
		g.Get("/api/get-latest-downloads").Is(http.StatusOK)
	}
	if requests, _ := g.Kratos.Seen(); g.Waitlist.Count()+g.Identity.Count()+g.Billing.Count()+len(requests) > 0 {
		t.Error("half a body reached a service")
	}
}

// TestAFileMayTakeItsTime: an import is larger than what a slow line sends in the time of
// the others.
func TestAFileMayTakeItsTime(t *testing.T) {
	const bodyTimeout = 100 * time.Millisecond
	g := apitest.Start(t, func(c *api.Config) { c.BodyTimeout = bodyTimeout })
	_, admin := g.Issuer.Admin("admin@example.com")
	file, line := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.URL+apitest.ImportPath, file)
	if err != nil {
		t.Fatal(err)
	}
	apitest.Bearer(admin)(req)
	req.Header.Set("Content-Type", "text/csv")
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(line, "email\n")
		<-time.After(2 * bodyTimeout)
		_, rest := io.WriteString(line, "a@b.co\n")
		sent <- errors.Join(err, rest, line.Close())
	}()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if err := <-sent; err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%d, %v", resp.StatusCode, err)
	}
}

// TestABodyThatCameIsInNoHurry: the time for the body is none for the work.
func TestABodyThatCameIsInNoHurry(t *testing.T) {
	const bodyTimeout = 250 * time.Millisecond
	g := apitest.Start(t, func(c *api.Config) { c.BodyTimeout = bodyTimeout })
	g.Waitlist.Hold = make(chan struct{})
	done := make(chan apitest.Answer)
	go func() { done <- g.Post("/api/add-waitlist-user", signUp) }()
	<-g.Waitlist.Came
	select {
	case <-g.Waitlist.Left:
		t.Error("the request was ended")
	case <-time.After(2 * bodyTimeout):
	}
	close(g.Waitlist.Hold)
	(<-done).Is(http.StatusOK)
}

func TestASlowServiceCostsTheBudgetAndNoMore(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.RequestTimeout = 200 * time.Millisecond })
	g.Waitlist.Hold = make(chan struct{})
	began := time.Now()
	a := g.Post("/api/add-waitlist-user", signUp).Is(http.StatusServiceUnavailable)
	if took := time.Since(began); took > 15*time.Second || a.Header.Get("Retry-After") == "" {
		t.Errorf("took %v, Retry-After %q", took, a.Header.Get("Retry-After"))
	}
	<-g.Waitlist.Left
}

func TestAClientThatLeavesTakesItsWorkWithIt(t *testing.T) {
	g := apitest.Start(t)
	g.Waitlist.Hold = make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-g.Waitlist.Came
		leave()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+"/api/add-waitlist-user", strings.NewReader(signUp))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
		t.Fatal("there was an answer")
	}
	select {
	case <-g.Waitlist.Left:
	case <-time.After(waittest.Timeout):
		t.Fatal("the service works on")
	}
	waittest.Eventually(t, "the log tells that the client left", func() bool { return strings.Contains(g.Log.String(), `"status":499`) })
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
