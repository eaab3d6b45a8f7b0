package api_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

const signUp = `{"email":"a@b.co","source":"hero_section"}`

func TestEachClientHasItsOwnLimit(t *testing.T) {
	g := start(t, func(c *api.Config) { c.General = limits.Rate{PerMinute: 1, Burst: 3} })
	for range 3 {
		g.get("/api/get-latest-downloads", from("203.0.113.1")).is(http.StatusOK)
	}
	for _, path := range []string{"/api/get-latest-downloads", "/api/auth/session", "/api/nothing"} {
		a := g.get(path, from("203.0.113.1")).fails(http.StatusTooManyRequests, "rate_limited")
		if a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	// What the client itself put into the header is further left and not believed.
	g.get("/api/get-latest-downloads", from("198.51.100.9, 203.0.113.1")).is(http.StatusTooManyRequests)
	g.get("/api/get-latest-downloads", from("203.0.113.2")).is(http.StatusOK)
}

func TestOnlyTrustedProxiesNameTheClient(t *testing.T) {
	g := start(t, func(c *api.Config) {
		c.TrustedProxies = nil
		c.General = limits.Rate{PerMinute: 1, Burst: 1}
	})
	g.get("/api/get-latest-downloads", from("203.0.113.1")).is(http.StatusOK)
	g.get("/api/get-latest-downloads", from("203.0.113.2")).is(http.StatusTooManyRequests)
	g.get("/api/get-latest-downloads", header("X-Real-Ip", "203.0.113.3"), header("Forwarded", "for=203.0.113.4")).is(http.StatusTooManyRequests)
}

func TestSignUpsAndSignInsAreScarcer(t *testing.T) {
	g := ready(t, func(c *api.Config) {
		c.Session = limits.Rate{PerMinute: 1, Burst: 2}
		c.SignUp = limits.Rate{PerMinute: 1, Burst: 2}
		c.SignIn = limits.Rate{PerMinute: 1, Burst: 1}
	})
	for range 2 {
		g.post("/api/add-waitlist-user", signUp).is(http.StatusOK)
	}
	g.post("/api/add-waitlist-user", signUp).fails(http.StatusTooManyRequests, "rate_limited")
	g.post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, fromOurPage).is(http.StatusOK)
	g.post("/api/auth/signin/google", `{"return_to":"/auth/callback"}`, fromOurPage).fails(http.StatusTooManyRequests, "rate_limited")
	for range 2 {
		g.get("/api/auth/session", cookie("fledge_session=s1")).is(http.StatusOK)
	}
	g.get("/api/auth/session", cookie("fledge_session=s1")).fails(http.StatusTooManyRequests, "rate_limited")
	g.get("/api/get-latest-downloads").is(http.StatusOK)
	if g.waitlist.count() != 2 || g.identity.count() != 2 {
		t.Errorf("%d sign-ups and %d questions for the session reached the services", g.waitlist.count(), g.identity.count())
	}
}

// TestNobodyTriesManyRefreshTokens: 10,000 random ones from one address meet the
// limit after the burst, and others are not held up.
func TestNobodyTriesManyRefreshTokens(t *testing.T) {
	const burst, tries = 60, 10_000
	g := start(t, func(c *api.Config) { c.Token = limits.Rate{PerMinute: 0.001, Burst: burst} })
	g.identity.fail(fault.New(fault.Unauthenticated, "refresh_token_invalid", "Please sign in again."))
	statuses := map[int]int{}
	for range tries {
		req := httptest.NewRequest(http.MethodPost, tokenPath, strings.NewReader(`{"grant_type":"refresh_token","refresh_token":"`+rand.Text()+`"}`))
		req.RemoteAddr = "203.0.113.1:1"
		req.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		g.api.ServeHTTP(rec, req)
		statuses[rec.Code]++
		if rec.Code == http.StatusTooManyRequests && rec.Header().Get("Retry-After") == "" {
			t.Fatal("no Retry-After")
		}
	}
	if statuses[http.StatusUnauthorized] != burst || statuses[http.StatusTooManyRequests] != tries-burst || g.identity.count() != burst {
		t.Errorf("answers %v, %d of them from identity", statuses, g.identity.count())
	}
	g.post(tokenPath, codeGrant, from("203.0.113.2")).fails(http.StatusUnauthorized, "refresh_token_invalid")
}

// TestHandingOverIsScarceToo: each hand-off leaves a code or a Mac behind.
func TestHandingOverIsScarceToo(t *testing.T) {
	const burst = 3
	g := ready(t, func(c *api.Config) { c.Token = limits.Rate{PerMinute: 0.001, Burst: burst} })
	_, token := g.issuer.User("user@example.com")
	hand := func(ip string) answer {
		return g.post(handOffPath, `{"callback":"fledge://auth/callback"}`, bearer(token), from(ip))
	}
	for range burst {
		hand("203.0.113.1").is(http.StatusOK)
	}
	if a := hand("203.0.113.1").fails(http.StatusTooManyRequests, "rate_limited"); a.header.Get("Retry-After") == "" || g.identity.count() != burst {
		t.Errorf("Retry-After %q, %d reached identity", a.header.Get("Retry-After"), g.identity.count())
	}
	hand("203.0.113.2").is(http.StatusOK)
}

func TestTooMuchAtOnceIsRefusedAtOnce(t *testing.T) {
	g := start(t, func(c *api.Config) { c.MaxInFlight = 1 })
	g.waitlist.hold = make(chan struct{})
	done := make(chan answer)
	go func() { done <- g.post("/api/add-waitlist-user", signUp) }()
	<-g.waitlist.came
	a := g.get("/api/get-latest-downloads").fails(http.StatusServiceUnavailable, "overloaded")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	close(g.waitlist.hold)
	(<-done).is(http.StatusOK)
	waittest.Eventually(t, "the slot is free again", func() bool { return g.get("/api/get-latest-downloads").status == http.StatusOK })
}

// TestOneClientHasNotAllPlaces: a client with many requests in progress is refused
// more of them, and no other client is.
func TestOneClientHasNotAllPlaces(t *testing.T) {
	g := start(t, func(c *api.Config) {
		c.MaxInFlight, c.MaxWebhooks, c.MaxPerClient, c.MaxWebhooksPerClient = 3, 3, 2, 1
	})
	g.waitlist.hold, g.billing.hold = make(chan struct{}), make(chan struct{})
	const slow, quick = "203.0.113.1", "203.0.113.2"
	good := signed("t=1,v1=00")
	done := make(chan answer, 3)
	for range 2 {
		go func() { done <- g.post("/api/add-waitlist-user", signUp, from(slow)) }()
		<-g.waitlist.came
	}
	go func() { done <- g.post(webhookPath, `{}`, good, from(slow)) }()
	<-g.billing.came
	for _, a := range []answer{g.get("/api/get-latest-downloads", from(slow)), g.post(webhookPath, `{}`, good, from(slow))} {
		if a.fails(http.StatusTooManyRequests, "rate_limited"); a.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
		}
	}
	g.get("/api/get-latest-downloads", from(quick)).is(http.StatusOK)
	g.post(webhookPath, `[]`, from(quick)).is(http.StatusBadRequest) // for lack of a signature
	close(g.waitlist.hold)
	close(g.billing.hold)
	for range cap(done) {
		(<-done).is(http.StatusOK)
	}
	waittest.Eventually(t, "the places are free again", func() bool { return g.get("/api/get-latest-downloads", from(slow)).status == http.StatusOK })
}

// TestASlowBodyLosesItsPlace: a client that sends its body a byte at a time gets 408 once
// its time is over, on all routes that read one.
func TestASlowBodyLosesItsPlace(t *testing.T) {
	g := start(t, func(c *api.Config) { c.MaxInFlight, c.BodyTimeout = 1, 100*time.Millisecond })
	const json, form = "application/json", "application/x-www-form-urlencoded"
	for path, contentType := range map[string]string{
		"/api/add-waitlist-user": json, tokenPath: json, webhookPath: json + "\r\nStripe-Signature: t=1,v1=00", callbackPath + "apple": form,
	} {
		got := g.speak("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + contentType + "\r\nContent-Length: 100\r\n\r\n{")
		if !strings.HasPrefix(got, "HTTP/1.1 408") || !strings.Contains(got, `"body_too_slow"`) || !strings.Contains(got, "Connection: close") {
			t.Errorf("%s: %s", path, got)
		}
		g.get("/api/get-latest-downloads").is(http.StatusOK)
	}
	if requests, _ := g.kratos.seen(); g.waitlist.count()+g.identity.count()+g.billing.count()+len(requests) > 0 {
		t.Error("half a body reached a service")
	}
}

// TestAFileMayTakeItsTime: an import is larger than what a slow line sends in the time of
// the others.
func TestAFileMayTakeItsTime(t *testing.T) {
	const bodyTimeout = 100 * time.Millisecond
	g := start(t, func(c *api.Config) { c.BodyTimeout = bodyTimeout })
	_, admin := g.issuer.Admin("admin@example.com")
	file, line := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+importPath, file)
	if err != nil {
		t.Fatal(err)
	}
	bearer(admin)(req)
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
	g := start(t, func(c *api.Config) { c.BodyTimeout = bodyTimeout })
	g.waitlist.hold = make(chan struct{})
	done := make(chan answer)
	go func() { done <- g.post("/api/add-waitlist-user", signUp) }()
	<-g.waitlist.came
	select {
	case <-g.waitlist.left:
		t.Error("the request was ended")
	case <-time.After(2 * bodyTimeout):
	}
	close(g.waitlist.hold)
	(<-done).is(http.StatusOK)
}

func TestASlowServiceCostsTheBudgetAndNoMore(t *testing.T) {
	g := start(t, func(c *api.Config) { c.RequestTimeout = 200 * time.Millisecond })
	g.waitlist.hold = make(chan struct{})
	began := time.Now()
	a := g.post("/api/add-waitlist-user", signUp).is(http.StatusServiceUnavailable)
	if took := time.Since(began); took > 15*time.Second || a.header.Get("Retry-After") == "" {
		t.Errorf("took %v, Retry-After %q", took, a.header.Get("Retry-After"))
	}
	<-g.waitlist.left
}

func TestAClientThatLeavesTakesItsWorkWithIt(t *testing.T) {
	g := start(t)
	g.waitlist.hold = make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-g.waitlist.came
		leave()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/api/add-waitlist-user", strings.NewReader(signUp))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
		_ = resp.Body.Close()
		t.Fatal("there was an answer")
	}
	select {
	case <-g.waitlist.left:
	case <-time.After(waittest.Timeout):
		t.Fatal("the service works on")
	}
	waittest.Eventually(t, "the log tells that the client left", func() bool { return strings.Contains(g.log.String(), `"status":499`) })
}

func TestAServiceThatIsAwayIsUnavailable(t *testing.T) {
	g := start(t)
	g.waitlist.fail(errors.New("pq: password authentication failed for user waitlist"))
	a := g.post("/api/add-waitlist-user", signUp).fails(http.StatusInternalServerError, "internal")
	if strings.Contains(string(a.body), "pq:") || !strings.Contains(string(a.body), fault.FallbackMessage) {
		t.Errorf("body %s", a.body)
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	g := start(t)
	req := httptest.NewRequest(http.MethodPost, "/api/add-waitlist-user", panicking{})
	req.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	g.api.ServeHTTP(rec, req)
	if rec.Code != http.StatusInternalServerError || !strings.Contains(rec.Body.String(), `"code":"internal"`) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if !strings.Contains(g.log.String(), `"msg":"panic"`) {
		t.Error("the log does not tell")
	}
}

// panicking is a body whose reader is broken beyond errors.
type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("broken") }
