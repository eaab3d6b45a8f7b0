package api_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

func states(t *testing.T, a answer) (status string, services map[string]string) {
	t.Helper()
	var body struct {
		Status   string
		Services map[string]string
	}
	if err := json.Unmarshal(a.body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Status, body.Services
}

func TestHealth(t *testing.T) {
	g := start(t)
	g.get("/api/health").is(http.StatusOK, `{"status":"ok","services":{"identity":"ok","billing":"ok","waitlist":"ok","support":"ok",
		"releases":"ok","kratos":"ok","postgres":"ok","nats":"ok"}}`)

	later := func() { g.later(time.Second) }
	g.stop()
	later()
	g.support.parts.set("nats", false)
	status, services := states(t, g.get("/api/health").is(http.StatusOK))
	if status != "degraded" || services["nats"] != "down" {
		t.Errorf("without events: %s %v", status, services)
	}

	later()
	g.support.parts.set("database", false)
	status, services = states(t, g.get("/api/health").is(http.StatusServiceUnavailable))
	if status != "unavailable" || services["postgres"] != "down" || services["support"] != "ok" {
		t.Errorf("without a database: %s %v", status, services)
	}
	g.support.parts.set("database", true)
	g.support.parts.set("nats", true)

	later()
	g.kratos.ready = http.StatusServiceUnavailable
	if _, services = states(t, g.get("/api/health").is(http.StatusServiceUnavailable)); services["kratos"] != "down" {
		t.Errorf("without Kratos: %v", services)
	}
	g.kratos.ready = 0

	later()
	g.billing.leave()
	if _, services = states(t, g.get("/api/health").is(http.StatusServiceUnavailable)); services["billing"] != "down" || services["identity"] != "ok" {
		t.Errorf("without billing: %v", services)
	}
}

// TestHealthIsAskedOnceASecond: everybody may ask, and the parts have other work.
func TestHealthIsAskedOnceASecond(t *testing.T) {
	g := start(t)
	g.stop()
	asked := func() int {
		requests, _ := g.kratos.seen()
		return len(requests)
	}
	for range 10 {
		g.get("/api/health").is(http.StatusOK)
	}
	if n := asked(); n != 1 {
		t.Errorf("Kratos was asked %d times in a moment", n)
	}
	g.later(time.Second)
	g.get("/api/health").is(http.StatusOK)
	if n := asked(); n != 2 {
		t.Errorf("Kratos was asked %d times in a second", n)
	}
}

func TestOpenAPIIsServedAsWritten(t *testing.T) {
	g := start(t)
	served, err := openapi3.NewLoader().LoadFromData(g.get("/api/openapi.json").is(http.StatusOK).body)
	if err != nil {
		t.Fatal(err)
	}
	written, err := openapi3.NewLoader().LoadFromData(document(t))
	if err != nil {
		t.Fatal(err)
	}
	if served.Paths.Len() != written.Paths.Len() || len(served.Components.Schemas) != len(written.Components.Schemas) || served.OpenAPI != "3.1.0" {
		t.Error("the served document is not the written one")
	}
}

func TestDocs(t *testing.T) {
	g := start(t)
	a := g.get("/api/docs").is(http.StatusOK)
	page := string(a.body)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		t.Error(a.header.Get("Content-Type"))
	}
	for _, operation := range g.contract.Operations() {
		_, path, _ := strings.Cut(operation, " ")
		if !strings.Contains(page, "<code>"+path+"</code>") {
			t.Errorf("%s is missing", operation)
		}
	}
	for _, answered := range []string{"<p>Takes CodeGrant or RefreshGrant</p>", "<td>HandOffCode or HandOffSession</td>"} {
		if !strings.Contains(page, answered) {
			t.Errorf("the page lacks %s", answered)
		}
	}
	if regexp.MustCompile(`(?i)<script|javascript:|\son\w+=|(src|href|action)="?(https?:)?//|url\(|@import`).MatchString(page) {
		t.Error("the page runs or loads something")
	}
	csp := a.header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'none'; style-src 'sha256-") || strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q", csp)
	}
}
