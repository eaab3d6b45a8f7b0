package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
)

// TestHostileRequests sends every route the same malformed requests. None may
// reach a service, none may be answered with a 5xx, and no answer may differ
// from the contract.
func TestHostileRequests(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, route := range g.Served() {
		t.Run(strings.ReplaceAll(route, "/", "_"), func(t *testing.T) {
			method, template, _ := strings.Cut(route, " ")
			path := apitest.Samples[route].Path
			copied := *g
			sub := &copied
			sub.T = t
			before := g.Effects()
			wrongMethods(sub, template, path)
			wrongPaths(sub, method, path, apitest.Bearer(admin))
			wrongCredentials(sub, route, admin)
			if takesJSON(method, template) {
				wrongBodies(sub, method, path, apitest.Header("Origin", "http://localhost:8080"), apitest.Bearer(admin))
				wrongFields(sub, method, path, apitest.Samples[route].Body, apitest.Header("Origin", "http://localhost:8080"), apitest.Bearer(admin))
			}
			if effects := effectsSince(g, before); len(effects) > 0 {
				t.Errorf("hostile requests reached a service: %v", effects)
			}
			foreignOrigins(sub, route)
		})
	}
	if strings.Contains(g.Log.String(), `"msg":"panic"`) {
		t.Error("a request made a handler panic")
	}
}

func takesJSON(method, template string) bool {
	other := []string{apitest.WebhookPath, apitest.GitHubWebhookPath, apitest.ApplePath, apitest.ImportPath, apitest.PreviewPath, apitest.LeavePath, apitest.MailWebhookPath}
	return (method == http.MethodPost || method == http.MethodPut) && !strings.HasPrefix(template, apitest.CallbackPath) && !slices.Contains(other, template)
}

// wrongCredentials are a good token in forms that prove nothing.
func wrongCredentials(g *apitest.Gateway, route, token string) {
	g.T.Helper()
	if apitest.Samples[route].Who[authntest.Garbage] != http.StatusUnauthorized {
		return // the route does not look at tokens
	}
	twice := func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + token, "Bearer " + token} }
	for name, o := range map[string]apitest.Option{
		"two headers": twice, "two spaces": apitest.Header("Authorization", "Bearer  "+token),
		"basic": apitest.Header("Authorization", "Basic "+token), "no scheme": apitest.Header("Authorization", token), "an empty one": apitest.Header("Authorization", "Bearer "),
		"two tokens": apitest.Header("Authorization", "Bearer "+token+", Bearer "+token),
	} {
		if a := g.Send(route, o); a.Status != http.StatusUnauthorized {
			g.T.Errorf("%s: %d", name, a.Status)
		}
	}
	method, _, _ := strings.Cut(route, " ")
	s := apitest.Samples[route]
	for _, o := range []apitest.Option{apitest.Cookie("access_token=" + token), apitest.Header("X-Access-Token", token)} {
		if a := g.Do(method, s.Path+"?access_token="+token, o, apitest.JSONBody(s.Body)); a.Status != http.StatusUnauthorized && a.Status != http.StatusBadRequest {
			g.T.Errorf("a token in the address: %d", a.Status)
		}
	}
}

// wrongMethods are all that the route's path is not served with.
func wrongMethods(g *apitest.Gateway, template, path string) {
	g.T.Helper()
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"} {
		if slices.Contains(g.Served(), method+" "+template) || isHeadOfGet(g, method, template) {
			continue
		}
		a := g.Do(method, path, apitest.Header("X-Http-Method-Override", "GET"), apitest.Header("X-Secret", "echo-me")).Is(http.StatusMethodNotAllowed)
		if method != http.MethodHead {
			a.Fails(http.StatusMethodNotAllowed, "method_not_allowed")
		}
		if a.Header.Get("Allow") == "" {
			g.T.Errorf("%s %s: no Allow header", method, path)
		}
		if strings.Contains(string(a.Body), "echo-me") {
			g.T.Errorf("%s echoes the request", method)
		}
	}
}

// isHeadOfGet tells a HEAD that is served like the route's GET.
func isHeadOfGet(g *apitest.Gateway, method, template string) bool {
	return method == http.MethodHead && slices.Contains(g.Served(), "GET "+template) && !strings.HasPrefix(template, apitest.CallbackPath)
}

func wrongPaths(g *apitest.Gateway, method, path string, as apitest.Option) {
	g.T.Helper()
	bare, _, _ := strings.Cut(path, "?")
	rest := strings.TrimPrefix(bare, "/api/")
	for _, variant := range []string{
		bare + "/", "/api//" + rest, "/api/./" + rest, "//api/" + rest, "/API/" + rest, "/api/" + fmt.Sprintf("%%%02x", rest[0]) + rest[1:],
		bare + ";jsessionid=x", "/api/health/../" + rest, "/api/%2e%2e/api/" + rest, bare + "%20", bare + "%2f", "/" + rest,
	} {
		a := g.Do(method, variant, as, apitest.FromOurPage, apitest.Header("X-Original-Url", bare), apitest.Header("X-Rewrite-Url", bare))
		if a.Status != http.StatusNotFound || a.Header.Get("Location") != "" {
			g.T.Errorf("%s %s: %d %s", method, variant, a.Status, a.Header.Get("Location"))
		}
	}
}

func foreignOrigins(g *apitest.Gateway, route string) {
	g.T.Helper()
	for _, origin := range []string{"https://evil.com", "null", "http://localhost:8080.evil.com"} {
		a := g.Send(route, apitest.Header("Origin", origin))
		for name := range a.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				g.T.Errorf("%s answers %s to %s", route, name, origin)
			}
		}
	}
}

func wrongBodies(g *apitest.Gateway, method, path string, as ...apitest.Option) {
	g.T.Helper()
	send := func(path, body string, options ...apitest.Option) apitest.Answer {
		return g.Do(method, path, append(options, apitest.JSONBody(body))...)
	}
	big := `{"x":"` + strings.Repeat("x", 64<<10) + `"}`
	for body, code := range map[string]string{
		``: "invalid_json", `null`: "invalid_json", `[]`: "invalid_json", `{`: "invalid_json", `{}{}`: "invalid_json", `{}]`: "invalid_json",
		`{"a":1,"a":2}`: "invalid_json", "{\"a\":\"\xff\"}": "invalid_json", `{"a":"\ud800"}`: "invalid_json", `{"a":"\u0000"}`: "invalid_json",
		strings.Repeat("[", 10_001): "invalid_json", `{"a":` + strings.Repeat("[", 10_001): "invalid_json", `{"surprise":1}`: "unknown_field",
	} {
		if body == "" && mayBeLeftOut(path) {
			continue
		}
		send(path, body, as...).Fails(http.StatusBadRequest, code)
	}
	send(path, big, as...).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	g.Do(method, path, append(as, apitest.JSONBody(big), chunked)...).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	types := []string{"text/plain", "multipart/form-data; boundary=x", "application/json; charset=utf-16"}
	takesForms := []string{apitest.Samples["POST /api/add-waitlist-user"].Path, apitest.TokenPath, "/api/auth/revoke"}
	if !slices.Contains(takesForms, path) {
		types = append(types, "application/x-www-form-urlencoded")
	}
	for _, contentType := range types {
		send(path, `{}`, append(as, apitest.Header("Content-Type", contentType))...).Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	for _, query := range []string{"?x=1", "?access_token=x", "?email=a@b.co", "?a;b", "?%zz"} {
		send(path+query, samplesBody(path), as...).Is(http.StatusBadRequest)
	}
}

// mayBeLeftOut tells the body that has no fields, and need not be sent.
func mayBeLeftOut(path string) bool { return path == "/api/auth/delete-account" }

// wrongFields spoils each field of a good body in turn.
func wrongFields(g *apitest.Gateway, method, path, body string, as ...apitest.Option) {
	g.T.Helper()
	send := func(path, body string, options ...apitest.Option) apitest.Answer {
		return g.Do(method, path, append(options, apitest.JSONBody(body))...)
	}
	var good map[string]any
	if err := json.Unmarshal([]byte(body), &good); err != nil || len(good) == 0 && body != `{}` {
		g.T.Fatalf("the sample %s has no fields: %v", body, err)
	}
	for name, value := range good {
		wrong := map[string]string{`{}`: "invalid_type", `{"$ne":1}`: "invalid_type", `[[]]`: "invalid_type"}
		switch value.(type) {
		case string:
			for raw, code := range map[string]string{
				`7`: "invalid_type", `true`: "invalid_type", `["x"]`: "invalid_type", `"a\u0000b"`: "invalid_json", `"\udead"`: "invalid_json",
			} {
				wrong[raw] = code
			}
			if !judged(name) {
				wrong[`"`+strings.Repeat("x", 10_001)+`"`] = ""
			}
		case bool:
			wrong[`"true"`], wrong[`1`] = "invalid_type", "invalid_type"
		case float64:
			wrong[`"1"`], wrong[`1.5`], wrong[`1e400`] = "invalid_type", "invalid_type", "invalid_type"
			if name == "amount" { // of credits, the one number with decimals
				wrong[`1.5e-2`], wrong[`1.005`], wrong[`1e400`] = "invalid_number", "invalid_number", "invalid_number"
				delete(wrong, `1.5`)
			}
		case []any:
			wrong[`"x"`], wrong[`7`] = "invalid_type", "invalid_type"
		}
		for raw, code := range wrong {
			spoilt := maps.Clone(good)
			spoilt[name] = json.RawMessage(raw)
			a := send(path, apitest.Encode(g.T, spoilt), as...).Is(http.StatusBadRequest)
			if code != "" {
				a.Fails(http.StatusBadRequest, code)
			}
		}
		twice := strings.TrimSuffix(body, "}") + `,"` + name + `":` + apitest.Encode(g.T, value) + `}`
		send(path, twice, as...).Fails(http.StatusBadRequest, "invalid_json")
		other := maps.Clone(good)
		delete(other, name)
		other[strings.ToUpper(name)] = value
		send(path, apitest.Encode(g.T, other), as...).Fails(http.StatusBadRequest, "unknown_field")
	}
}

// judged tells the texts that are for services to judge; deploy/test/product/refused has them.
func judged(field string) bool {
	switch field {
	case "email", "source", "waitlistUserId", "waveId", "description", "idempotencyKey", "holdId", "ticketId", "category", "priority", "status", "message", "subject",
		"appVersion", "operatingSystem", "adminResponse", "device_id", "provider", "version", "claim", "userId", "deviceId", "reason", "state", "object", "decision",
		"assigneeId", "note", "notices", "id", "title", "body", "token", "code_challenge", "refresh_token", "action", "productId", "priceId", "sessionId", "channel":
		return true
	}
	return false
}

// samplesBody is a body that would pass, so that only the query can be at fault.
func samplesBody(path string) string {
	for _, s := range apitest.Samples {
		if s.Path == path {
			return s.Body
		}
	}
	return "{}"
}

func TestUnknownRoutes(t *testing.T) {
	g := apitest.Start(t)
	for _, path := range []string{"/", "/api", "/api/", "/api/does-not-exist", "/index.html", "/.env", "/.git/config", "/admin/identities", "/metrics", "/debug/pprof/"} {
		g.Get(path).Fails(http.StatusNotFound, "route_not_found")
	}
	g.Do("TRACE", "/").Fails(http.StatusMethodNotAllowed, "method_not_allowed")
	g.Get("/api/health?"+strings.Repeat("x", 16<<10)).Fails(http.StatusRequestURITooLong, "uri_too_long")
	many := func(r *http.Request) {
		for i := range 500 {
			r.Header.Set(fmt.Sprintf("X-Filler-%d", i), "x")
		}
	}
	g.Get("/api/health", many).Fails(http.StatusRequestHeaderFieldsTooLarge, "too_many_headers")
	alike := func(r *http.Request) { r.Header["X-Filler"] = slices.Repeat([]string{"x"}, 101) }
	g.Get("/api/health", alike).Fails(http.StatusRequestHeaderFieldsTooLarge, "too_many_headers")
}

// TestSmuggling speaks raw HTTP: what the server does not understand in exactly
// one way ends the connection.
func TestSmuggling(t *testing.T) {
	g := apitest.Ready(t)
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
			conn, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
			errtest.None(t, err)
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
	if g.Waitlist.Count() != 0 {
		t.Error("a smuggled request reached the service")
	}
}

// TestABodyOfUnknownLengthEndsItsConnection: a proxy that counts by Content-Length
// where we go by chunks would take the next request for a part of this one's body
// (RFC 9112, section 6.1).
func TestABodyOfUnknownLengthEndsItsConnection(t *testing.T) {
	g := apitest.Ready(t)
	const post = "POST /api/add-waitlist-user HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
	for name, request := range map[string]string{
		"chunks":              post + "\r\n0\r\n\r\n",
		"chunks and a length": post + "Content-Length: 5\r\n\r\n0\r\n\r\n",
		"a GET with chunks":   "GET /api/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
		errtest.None(t, err)
		go func() { _, _ = io.WriteString(conn, request+"GET /api/health HTTP/1.1\r\nHost: smuggled\r\n\r\n") }()
		all, _ := io.ReadAll(conn) // ends when the server closes
		_ = conn.Close()
		if n := strings.Count(string(all), "HTTP/1.1 "); n != 1 || !strings.Contains(string(all), "Connection: close") {
			t.Errorf("%s: %d answers:\n%s", name, n, all)
		}
	}
}
