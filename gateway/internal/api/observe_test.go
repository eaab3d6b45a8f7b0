package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
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

func TestRequestIDs(t *testing.T) {
	g := apitest.Ready(t)
	const ours = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"
	if got := g.Get("/api/docs", apitest.Header("X-Request-Id", ours)).Header.Get("X-Request-Id"); got != ours {
		t.Errorf("the front door's id became %q", got)
	}
	for _, theirs := range []string{"", "x", apitest.AnyID, strings.ToUpper(ours), ours + "x", "{" + ours + "}"} {
		if got := g.Get("/api/docs", apitest.Header("X-Request-Id", theirs)).Header.Get("X-Request-Id"); got == theirs || len(got) != 36 {
			t.Errorf("%q became %q", theirs, got)
		}
	}
	for _, networks := range [][]string{nil, {"10.0.0.0/8"}, {"192.0.2.1/32"}} {
		direct := apitest.Start(t, func(c *api.Config) { c.TrustedProxies = networks })
		if got := direct.Get("/api/docs", apitest.Header("X-Request-Id", ours)).Header.Get("X-Request-Id"); got == ours || len(got) != 36 {
			t.Errorf("a stranger's id became %q", got)
		}
	}
	for _, networks := range [][]string{{"127.0.0.1/32"}, {"::1/128", "127.0.0.0/8"}} {
		behind := apitest.Start(t, func(c *api.Config) { c.TrustedProxies = networks })
		if got := behind.Get("/api/docs", apitest.Header("X-Request-Id", ours)).Header.Get("X-Request-Id"); got != ours {
			t.Errorf("behind %v the front door's id became %q", networks, got)
		}
	}
}

func TestMetricsGoByRouteTemplate(t *testing.T) {
	g := apitest.Ready(t)
	before, err := testutil.GatherAndCount(g.Metrics, "http_request_duration_seconds")
	if err != nil {
		t.Fatal(err)
	}
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
