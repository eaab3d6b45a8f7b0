package meta_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/errtest"
)

func states(t *testing.T, a apitest.Answer) (status string, services map[string]string) {
	t.Helper()
	var body struct {
		Status   string
		Services map[string]string
	}
	errtest.None(t, json.Unmarshal(a.Body, &body))
	return body.Status, body.Services
}

func TestHealth(t *testing.T) {
	g := apitest.Start(t)
	status, services := states(t, g.Get("/api/health").Is(http.StatusOK))
	for _, part := range append(slices.Collect(maps.Keys(services)), "identity", "kratos", "postgres", "nats") {
		if status != "ok" || services[part] != "ok" {
			t.Errorf("%s, %s is %q", status, part, services[part])
		}
	}
	later := func() { g.Later(time.Second) }
	g.Stop()
	later()
	g.Support.Parts.Set("nats", false)
	status, services = states(t, g.Get("/api/health").Is(http.StatusOK))
	if status != "degraded" || services["nats"] != "down" {
		t.Errorf("without events: %s %v", status, services)
	}

	later()
	g.Support.Parts.Set("database", false)
	status, services = states(t, g.Get("/api/health").Is(http.StatusServiceUnavailable))
	if status != "unavailable" || services["postgres"] != "down" || services["support"] != "ok" {
		t.Errorf("without a database: %s %v", status, services)
	}
	g.Support.Parts.Set("database", true)
	g.Support.Parts.Set("nats", true)

	later()
	g.Kratos.Ready = http.StatusServiceUnavailable
	if _, services = states(t, g.Get("/api/health").Is(http.StatusServiceUnavailable)); services["kratos"] != "down" {
		t.Errorf("without Kratos: %v", services)
	}
	g.Kratos.Ready = 0

	later()
	g.Billing.Leave()
	if _, services = states(t, g.Get("/api/health").Is(http.StatusServiceUnavailable)); services["billing"] != "down" || services["identity"] != "ok" {
		t.Errorf("without billing: %v", services)
	}
}

// TestHealthIsAskedOnceASecond: everybody may ask, and the parts have other work.
func TestHealthIsAskedOnceASecond(t *testing.T) {
	g := apitest.Start(t)
	g.Stop()
	asked := func() int {
		requests, _ := g.Kratos.Seen()
		return len(requests)
	}
	for range 10 {
		g.Get("/api/health").Is(http.StatusOK)
	}
	if n := asked(); n != 1 {
		t.Errorf("Kratos was asked %d times in a moment", n)
	}
	g.Later(time.Second)
	g.Get("/api/health").Is(http.StatusOK)
	if n := asked(); n != 2 {
		t.Errorf("Kratos was asked %d times in a second", n)
	}
}

func TestOpenAPIIsServedAsWritten(t *testing.T) {
	g := apitest.Start(t)
	served, err := openapi3.NewLoader().LoadFromData(g.Get("/api/openapi.json").Is(http.StatusOK).Body)
	errtest.None(t, err)
	written, err := openapi3.NewLoader().LoadFromData(apitest.Document(t))
	errtest.None(t, err)
	if served.Paths.Len() != written.Paths.Len() || len(served.Components.Schemas) != len(written.Components.Schemas) || served.OpenAPI != "3.1.0" {
		t.Error("the served document is not the written one")
	}
}

func TestDocs(t *testing.T) {
	g := apitest.Start(t)
	a := g.Get("/api/docs").Is(http.StatusOK)
	page := string(a.Body)
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		t.Error(a.Header.Get("Content-Type"))
	}
	for _, operation := range g.Contract.Operations() {
		_, path, _ := strings.Cut(operation, " ")
		if !strings.Contains(page, "<code>"+path+"</code>") {
			t.Errorf("%s is missing", operation)
		}
	}
	for _, answered := range []string{
		`<p>Takes <a href="#schema-CodeGrant">CodeGrant</a> or <a href="#schema-RefreshGrant">RefreshGrant</a> or application/x-www-form-urlencoded</p>`,
		`<td><a href="#schema-HandOffCode">HandOffCode</a> or <a href="#schema-HandOffSession">HandOffSession</a></td>`,
	} {
		if !strings.Contains(page, answered) {
			t.Errorf("the page lacks %s", answered)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, ` id="`+link[1]+`"`) {
			t.Errorf("nothing is at #%s", link[1])
		}
	}
	if regexp.MustCompile(`(?i)<script|javascript:|\son\w+=|(src|href|action)="?(https?:)?//|url\(|@import`).MatchString(page) {
		t.Error("the page runs or loads something")
	}
	csp := a.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'none'; style-src 'sha256-") || strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q", csp)
	}
}
