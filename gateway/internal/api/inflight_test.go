package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

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
	waittest.Eventually(t, "the place is free again", func() bool { return g.Get("/api/get-latest-downloads").Status == http.StatusOK })
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
		errtest.None(t, err)
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

// TestABodyThatNobodyReadsHasNoPlace: net/http reads what is left of a body before it answers, unless the connection
// ends with the answer.
func TestABodyThatNobodyReadsHasNoPlace(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) {
		c.MaxInFlight, c.MaxPerClient, c.MaxWebhooks, c.MaxWebhooksPerClient, c.BodyTimeout = 1, 1, 1, 1, time.Hour
	})
	for path, status := range map[string]int{"/api/openapi.json": http.StatusOK, "/api/nothing-here": http.StatusNotFound} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
		errtest.None(t, err)
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(waittest.Timeout))
		// Nothing of the body is ever sent.
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n", path); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != status || !resp.Close {
			t.Errorf("%s: %d, the connection ends: %t, %v", path, resp.StatusCode, resp.Close, err)
		}
		waittest.Eventually(t, "the only place is free", func() bool { return g.Get("/api/get-latest-downloads").Status == http.StatusOK })
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
	errtest.None(t, err)
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
	errtest.None(t, err)
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
	errtest.None(t, err)
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
