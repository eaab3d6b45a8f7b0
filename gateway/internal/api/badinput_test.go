package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/services/platform/authntest"
)

// TestHostileRequests sends every route the same malformed requests. None may
// reach a service, none may be answered with a 5xx, and no answer may differ
// from the contract.
func TestHostileRequests(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	for _, route := range g.served() {
		t.Run(strings.ReplaceAll(route, "/", "_"), func(t *testing.T) {
			method, template, _ := strings.Cut(route, " ")
			path := samples[route].path
			sub := *g
			sub.t = t
			before := g.effects()
			sub.wrongMethods(template, path)
			sub.wrongPaths(method, path, bearer(admin))
			sub.wrongCredentials(route, admin)
			if takesJSON(method, template) {
				sub.wrongBodies(method, path, header("Origin", "http://localhost:8080"), bearer(admin))
				sub.wrongFields(method, path, samples[route].body, header("Origin", "http://localhost:8080"), bearer(admin))
			}
			if effects := g.effectsSince(before); len(effects) > 0 {
				t.Errorf("hostile requests reached a service: %v", effects)
			}
			sub.foreignOrigins(route)
		})
	}
	if strings.Contains(g.log.String(), `"msg":"panic"`) {
		t.Error("a request made a handler panic")
	}
}

func takesJSON(method, template string) bool {
	other := []string{webhookPath, gitHubWebhookPath, importPath}
	return (method == http.MethodPost || method == http.MethodPut) && !strings.HasPrefix(template, callbackPath) && !slices.Contains(other, template)
}

// wrongCredentials are a good token in forms that prove nothing.
func (g *gateway) wrongCredentials(route, token string) {
	g.t.Helper()
	if samples[route].who[authntest.Garbage] != http.StatusUnauthorized {
		return // the route does not look at tokens
	}
	twice := func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + token, "Bearer " + token} }
	for name, o := range map[string]option{
		"two headers": twice, "a lower-case scheme": header("Authorization", "bearer "+token), "two spaces": header("Authorization", "Bearer  "+token),
		"basic": header("Authorization", "Basic "+token), "no scheme": header("Authorization", token), "an empty one": header("Authorization", "Bearer "),
		"two tokens": header("Authorization", "Bearer "+token+", Bearer "+token),
	} {
		if a := g.send(route, o); a.status != http.StatusUnauthorized {
			g.t.Errorf("%s: %d", name, a.status)
		}
	}
	method, _, _ := strings.Cut(route, " ")
	s := samples[route]
	for _, o := range []option{cookie("access_token=" + token), header("X-Access-Token", token)} {
		if a := g.do(method, s.path+"?access_token="+token, o, jsonBody(s.body)); a.status != http.StatusUnauthorized && a.status != http.StatusBadRequest {
			g.t.Errorf("a token in the address: %d", a.status)
		}
	}
}

// wrongMethods are all that the route's path is not served with.
func (g *gateway) wrongMethods(template, path string) {
	g.t.Helper()
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"} {
		if slices.Contains(g.served(), method+" "+template) {
			continue
		}
		a := g.do(method, path, header("X-Http-Method-Override", "GET"), header("X-Secret", "echo-me")).is(http.StatusMethodNotAllowed)
		if method != http.MethodHead {
			a.fails(http.StatusMethodNotAllowed, "method_not_allowed")
		}
		if a.header.Get("Allow") == "" {
			g.t.Errorf("%s %s: no Allow header", method, path)
		}
		if strings.Contains(string(a.body), "echo-me") {
			g.t.Errorf("%s echoes the request", method)
		}
	}
}

func (g *gateway) wrongPaths(method, path string, as option) {
	g.t.Helper()
	bare, _, _ := strings.Cut(path, "?")
	rest := strings.TrimPrefix(bare, "/api/")
	for _, variant := range []string{
		bare + "/", "/api//" + rest, "/api/./" + rest, "//api/" + rest, "/API/" + rest, "/api/" + fmt.Sprintf("%%%02x", rest[0]) + rest[1:],
		bare + ";jsessionid=x", "/api/health/../" + rest, "/api/%2e%2e/api/" + rest, bare + "%20", bare + "%2f", "/" + rest,
	} {
		a := g.do(method, variant, as, fromOurPage, header("X-Original-Url", bare), header("X-Rewrite-Url", bare))
		if a.status != http.StatusNotFound || a.header.Get("Location") != "" {
			g.t.Errorf("%s %s: %d %s", method, variant, a.status, a.header.Get("Location"))
		}
	}
}

func (g *gateway) foreignOrigins(route string) {
	g.t.Helper()
	for _, origin := range []string{"https://evil.com", "null", "http://localhost:8080.evil.com"} {
		a := g.send(route, header("Origin", origin))
		for name := range a.header {
			if strings.HasPrefix(name, "Access-Control-") {
				g.t.Errorf("%s answers %s to %s", route, name, origin)
			}
		}
	}
}

func (g *gateway) wrongBodies(method, path string, as ...option) {
	g.t.Helper()
	send := func(path, body string, options ...option) answer {
		return g.do(method, path, append(options, jsonBody(body))...)
	}
	big := `{"x":"` + strings.Repeat("x", 64<<10) + `"}`
	for body, code := range map[string]string{
		``: "invalid_json", `null`: "invalid_json", `[]`: "invalid_json", `{`: "invalid_json", `{}{}`: "invalid_json", `{}]`: "invalid_json",
		`{"a":1,"a":2}`: "invalid_json", "{\"a\":\"\xff\"}": "invalid_json", `{"a":"\ud800"}`: "invalid_json", `{"a":"\u0000"}`: "invalid_json",
		strings.Repeat("[", 10_001): "invalid_json", `{"a":` + strings.Repeat("[", 10_001): "invalid_json", `{"surprise":1}`: "unknown_field",
	} {
		send(path, body, as...).fails(http.StatusBadRequest, code)
	}
	send(path, big, as...).fails(http.StatusRequestEntityTooLarge, "body_too_large")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	g.do(method, path, append(as, jsonBody(big), chunked)...).fails(http.StatusRequestEntityTooLarge, "body_too_large")
	types := []string{"text/plain", "multipart/form-data; boundary=x", "application/json; charset=utf-16"}
	if path != samples["POST /api/add-waitlist-user"].path { // which takes a form, too
		types = append(types, "application/x-www-form-urlencoded")
	}
	for _, contentType := range types {
		send(path, `{}`, append(as, header("Content-Type", contentType))...).fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	for _, query := range []string{"?x=1", "?access_token=x", "?email=a@b.co", "?a;b", "?%zz"} {
		send(path+query, samplesBody(path), as...).is(http.StatusBadRequest)
	}
}

// wrongFields spoils each field of a good body in turn.
func (g *gateway) wrongFields(method, path, body string, as ...option) {
	g.t.Helper()
	send := func(path, body string, options ...option) answer {
		return g.do(method, path, append(options, jsonBody(body))...)
	}
	var good map[string]any
	if err := json.Unmarshal([]byte(body), &good); err != nil || len(good) == 0 {
		g.t.Fatalf("the sample %s has no fields: %v", body, err)
	}
	for name, value := range good {
		wrong := map[string]string{`{}`: "invalid_type", `{"$ne":1}`: "invalid_type", `[[]]`: "invalid_type"}
		switch value.(type) {
		case string:
			for raw, code := range map[string]string{
				`7`: "invalid_type", `true`: "invalid_type", `["x"]`: "invalid_type", `"a\u0000b"`: "invalid_json", `"\udead"`: "invalid_json",
				`"` + strings.Repeat("x", 10_001) + `"`: "",
			} {
				wrong[raw] = code
			}
		case bool:
			wrong[`"true"`], wrong[`1`] = "invalid_type", "invalid_type"
		case float64:
			wrong[`"1"`], wrong[`1.5`], wrong[`1e400`] = "invalid_type", "invalid_type", "invalid_type"
			if name == "amount" { // of credits, the one number with decimals
				wrong[`1.5e-2`], wrong[`1.005`], wrong[`1e400`], wrong[`-1`] = "invalid_number", "invalid_number", "invalid_number", "invalid_amount"
				delete(wrong, `1.5`)
			}
		case []any:
			wrong[`"x"`], wrong[`7`] = "invalid_type", "invalid_type"
		}
		for raw, code := range wrong {
			spoilt := maps.Clone(good)
			spoilt[name] = json.RawMessage(raw)
			a := send(path, encode(g.t, spoilt), as...).is(http.StatusBadRequest)
			if code != "" {
				a.fails(http.StatusBadRequest, code)
			}
		}
		twice := strings.TrimSuffix(body, "}") + `,"` + name + `":` + encode(g.t, value) + `}`
		send(path, twice, as...).fails(http.StatusBadRequest, "invalid_json")
		other := maps.Clone(good)
		delete(other, name)
		other[strings.ToUpper(name)] = value
		send(path, encode(g.t, other), as...).fails(http.StatusBadRequest, "unknown_field")
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// samplesBody is a body that would pass, so that only the query can be at fault.
func samplesBody(path string) string {
	for _, s := range samples {
		if s.path == path {
			return s.body
		}
	}
	return "{}"
}

func TestUnknownRoutes(t *testing.T) {
	g := start(t)
	for _, path := range []string{"/", "/api", "/api/", "/api/does-not-exist", "/index.html", "/.env", "/.git/config", "/admin/identities", "/metrics", "/debug/pprof/"} {
		g.get(path).fails(http.StatusNotFound, "route_not_found")
	}
	g.do("TRACE", "/").fails(http.StatusMethodNotAllowed, "method_not_allowed")
	g.get("/api/health?"+strings.Repeat("x", 16<<10)).fails(http.StatusRequestURITooLong, "uri_too_long")
	many := func(r *http.Request) {
		for i := range 500 {
			r.Header.Set(fmt.Sprintf("X-Filler-%d", i), "x")
		}
	}
	g.get("/api/health", many).fails(http.StatusRequestHeaderFieldsTooLarge, "too_many_headers")
	alike := func(r *http.Request) { r.Header["X-Filler"] = slices.Repeat([]string{"x"}, 101) }
	g.get("/api/health", alike).fails(http.StatusRequestHeaderFieldsTooLarge, "too_many_headers")
}

// TestSmuggling speaks raw HTTP: what the server does not understand in exactly
// one way ends the connection.
func TestSmuggling(t *testing.T) {
	g := ready(t)
	const body = "\r\n\r\n{\"email\":\"a@b.co\",\"source\":\"hero_section\"}"
	post := "POST /api/add-waitlist-user HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for name, tt := range map[string]struct {
		request  string
		statuses []string
	}{
		"an unknown transfer encoding": {post + "Transfer-Encoding: xchunked" + body, []string{"400", "501"}},
		"two lengths":                  {post + "Content-Length: 5\r\nContent-Length: 6" + body, []string{"400"}},
		"a length that is no number":   {post + "Content-Length: +5" + body, []string{"400"}},
		// RFC 9112, section 5.2, lets a server unfold; what counts is that it ends in one header.
		"a folded header":          {"GET /api/get-latest-downloads HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\nConnection: close\r\n\r\n", []string{"200", "400"}},
		"a space before the colon": {post + "Content-Length : 42" + body, []string{"400"}},
		"no host":                  {"GET /api/health HTTP/1.1\r\n\r\n", []string{"400"}},
		"a huge header":            {"GET /api/health HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", []string{"431"}},
		"an absolute target":       {"GET http://evil.example/api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", []string{"404"}},
		"an asterisk":              {"GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", []string{"400", "404"}},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			go func() { _, _ = io.WriteString(conn, tt.request) }()
			status, _ := bufio.NewReader(conn).ReadString('\n')
			ok := false
			for _, want := range tt.statuses {
				ok = ok || strings.HasPrefix(status, "HTTP/1.1 "+want)
			}
			if !ok {
				t.Errorf("answered %q", status)
			}
		})
	}
	if g.waitlist.count() != 0 {
		t.Error("a smuggled request reached the service")
	}
}

// breakOff sends a form in chunks, of which the second is none, and returns the answer.
func (g *gateway) breakOff(method, path string) string {
	g.t.Helper()
	const rest = " HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nno chunk\r\n"
	return g.speak(method + " " + path + rest)
}

// speak sends what is said and returns what is answered until the server closes.
func (g *gateway) speak(said string) string {
	g.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, said); err != nil {
		g.t.Fatal(err)
	}
	answered, err := io.ReadAll(conn)
	if err != nil {
		g.t.Fatal(err)
	}
	return string(answered)
}

// TestABodyOfUnknownLengthEndsItsConnection: a proxy that counts by Content-Length
// where we go by chunks would take the next request for a part of this one's body
// (RFC 9112, section 6.1).
func TestABodyOfUnknownLengthEndsItsConnection(t *testing.T) {
	g := ready(t)
	const post = "POST /api/add-waitlist-user HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
	for name, request := range map[string]string{
		"chunks":              post + "\r\n0\r\n\r\n",
		"chunks and a length": post + "Content-Length: 5\r\n\r\n0\r\n\r\n",
		"a GET with chunks":   "GET /api/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(conn, request+"GET /api/health HTTP/1.1\r\nHost: smuggled\r\n\r\n") }()
		all, _ := io.ReadAll(conn) // ends when the server closes
		_ = conn.Close()
		if n := strings.Count(string(all), "HTTP/1.1 "); n != 1 || !strings.Contains(string(all), "Connection: close") {
			t.Errorf("%s: %d answers:\n%s", name, n, all)
		}
	}
}

func TestLogStaysOneLinePerRequest(t *testing.T) {
	g := ready(t)
	before := strings.Count(g.log.String(), "\n")
	g.get("/api/x%0A%7B%22msg%22:%22forged%22%7D", header("User-Agent", "a\tb"), from("not an address\"}"))
	g.post("/api/add-waitlist-user", `{"email":"a@b.co\r\nBcc: v@x","source":"hero_section"}`).is(http.StatusOK)
	after := g.log.String()
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
	g := ready(t)
	const ours = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"
	if got := g.get("/api/docs", header("X-Request-Id", ours)).header.Get("X-Request-Id"); got != ours {
		t.Errorf("the front door's id became %q", got)
	}
	for _, theirs := range []string{"", "x", anyID, strings.ToUpper(ours), ours + "x", "{" + ours + "}"} {
		if got := g.get("/api/docs", header("X-Request-Id", theirs)).header.Get("X-Request-Id"); got == theirs || len(got) != 36 {
			t.Errorf("%q became %q", theirs, got)
		}
	}
}

func TestEveryAnswerHasTheHeadersOfSecurity(t *testing.T) {
	g := ready(t)
	for _, a := range []answer{g.get("/api/get-plans"), g.get("/api/auth/user"), g.get("/api/nothing"), g.do("DELETE", "/api/health")} {
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Resource-Policy": "same-origin", "Server": "",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if !strings.Contains(a.header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Error("no content security policy")
		}
		if got := a.header.Get("Strict-Transport-Security"); got != "" {
			t.Errorf("a site on http is asked for over https: %s", got)
		}
	}
	secure := start(t, func(c *api.Config) { c.Site = &url.URL{Scheme: "https", Host: "fledge.example"} })
	for _, path := range []string{"/api/docs", "/api/get-plans", "/api/nothing"} {
		if got := secure.get(path).header.Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
			t.Errorf("%s: Strict-Transport-Security %q", path, got)
		}
	}
}

// TestTheDescriptionHasTheHeadersOfAPage: the same ones that the front door gives to pages.
func TestTheDescriptionHasTheHeadersOfAPage(t *testing.T) {
	frontDoor, err := os.ReadFile("../../../deploy/caddy/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	pages := start(t).get("/api/docs").is(http.StatusOK).header
	for _, name := range []string{"Cross-Origin-Opener-Policy", "Permissions-Policy"} {
		_, rest, _ := strings.Cut(string(frontDoor), "\t\t"+name+" ")
		want, _, _ := strings.Cut(rest, "\n")
		if got := pages.Get(name); got == "" || got != strings.Trim(want, `"`) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestMetricsGoByRouteTemplate(t *testing.T) {
	g := ready(t)
	for i := range 5 {
		g.get(fmt.Sprintf("/api/download/1.2.%d/x.dmg", i))
		g.get(fmt.Sprintf("/api/invented-%d", i))
		g.do(fmt.Sprintf("INVENTED%d", i), "/api/health")
	}
	n, err := testutil.GatherAndCount(g.metrics, "http_request_duration_seconds")
	if err != nil || n != 3 {
		t.Errorf("%d time series for 15 requests, %v", n, err)
	}
}
