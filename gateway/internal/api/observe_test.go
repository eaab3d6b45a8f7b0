package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/errtest"
)

func TestLogStaysOneLinePerRequest(t *testing.T) {
	g := apitest.Ready(t)
	before := strings.Count(g.Log.String(), "\n")
	g.Get("/api/x%0A%7B%22msg%22:%22forged%22%7D", apitest.Header("User-Agent", "a\tb"), apitest.From("not an address\"}"))
	g.Post("/api/add-waitlist-user", `{"email":"a@b.co\r\nBcc: v@x","source":"hero_section"}`).Is(http.StatusOK)
	after := g.Log.String()
	if n := strings.Count(after, "\n") - before; n != 2 {
		t.Errorf("%d lines for 2 requests:\n%s", n, after)
	}
	for _, secret := range []string{"forged", "Bcc", "a@b.co"} {
		if strings.Contains(after, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestNobodyChoosesARequestID, not even in our form and through a trusted proxy, which passes on what a client sent.
func TestNobodyChoosesARequestID(t *testing.T) {
	const ours = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"
	for _, networks := range [][]string{nil, {"10.0.0.0/8"}, {"127.0.0.0/8", "::1/128"}} {
		g := apitest.Start(t, func(c *api.Config) { c.TrustedProxies = networks })
		seen := map[string]bool{}
		for _, theirs := range []string{"", "x", ours, strings.ToUpper(ours), "{" + ours + "}"} {
			got := g.Get("/api/docs", apitest.Header("X-Request-Id", theirs)).Header.Get("X-Request-Id")
			if parsed, err := uuid.Parse(got); err != nil || parsed.Version() != 7 || got == ours || seen[got] {
				t.Errorf("trusting %v, %q became %q", networks, theirs, got)
			}
			seen[got] = true
		}
	}
}

func TestMetricsGoByRouteTemplate(t *testing.T) {
	g := apitest.Ready(t)
	before, err := testutil.GatherAndCount(g.Metrics, "http_request_duration_seconds")
	errtest.None(t, err)
	for i := range 5 {
		g.Get(fmt.Sprintf("/api/download/1.2.%d/x.dmg", i))
		g.Get(fmt.Sprintf("/api/invented-%d", i))
		g.Do(fmt.Sprintf("INVENTED%d", i), "/api/health")
	}
	n, err := testutil.GatherAndCount(g.Metrics, "http_request_duration_seconds")
	if err != nil || n != before+3 {
		t.Errorf("%d time series for 15 requests, %v", n-before, err)
	}
}
