package attack

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// frontDoor is attacked with what only raw bytes can say.
func (p *product) frontDoor() {
	p.without("strange paths", func() {
		for _, path := range []string{
			"/api//get-users-with-roles", "/api/./get-users-with-roles", "/api/%67et-users-with-roles", "/API/get-users-with-roles", "/api/get-users-with-roles/", "/api/get-users-with-roles;x=y", "/api/get-users-with-roles%20",
			"/api/add-waitlist-user/../get-users-with-roles", "/api/%2e%2e/api/get-users-with-roles", "/api/get-users-with-roles%2f", "/api/get-users-with-roles%00", "//api/get-users-with-roles", "/api\\get-users-with-roles",
			"/get-users-with-roles", "/.git/config", "/.env", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/index.html%00", "/metrics", "/debug/pprof", "/livez", "/admin/identities", "/.ory/kratos/admin/identities", "/csp.caddy",
			"/out/index", "/config.json/../../secrets",
		} {
			raw := p.raw("GET "+path+" HTTP/1.1\r\nHost: "+strings.TrimPrefix(p.site, "http://")+"\r\nAuthorization: Bearer "+p.tokens["admin"]+"\r\nConnection: close\r\n\r\n", waittest.Timeout)
			status, _, _ := strings.Cut(strings.TrimPrefix(raw, "HTTP/1.1 "), " ")
			if status != "404" && status != "400" || strings.Contains(raw, "fledge.test") || strings.Contains(raw, "\r\nLocation:") {
				p.Errorf("%s: %s", path, raw)
			}
		}
	})
	p.smuggling()
	p.nobodyChoosesAnAddress()
}

// smuggling hides a sign-up behind another request; it must not be found.
func (p *product) smuggling() {
	p.Helper()
	host := "Host: " + strings.TrimPrefix(p.site, "http://") + "\r\n"
	hidden := "POST /api/add-waitlist-user HTTP/1.1\r\n" + host + "Content-Type: application/json\r\nContent-Length: 54\r\n\r\n" + `{"email":"hidden@fledge.test","source":"hero_section"}`
	post := "POST /api/add-waitlist-user HTTP/1.1\r\n" + host + "Content-Type: application/json\r\n"
	p.without("smuggled requests", func() {
		var all sync.WaitGroup
		for what, request := range map[string]string{
			"two lengths":              post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + hidden,
			"an unknown coding":        post + "Transfer-Encoding: xchunked\r\n\r\n" + hidden,
			"two codings":              post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + hidden,
			"a coding with a space":    post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
			"a length with a sign":     post + "Content-Length: +2\r\n\r\n{}" + hidden,
			"a chunk without an end":   post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + hidden,
			"a body in a GET":          "GET /api/health HTTP/1.1\r\n" + host + "Content-Length: 500\r\n\r\n" + hidden + strings.Repeat(" ", 500-len(hidden)),
			"HTTP/2 without a promise": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + hidden,
			"a header that is folded":  "GET /api/health HTTP/1.1\r\n" + host + "X-A: b\r\n " + strings.ReplaceAll(hidden, "\r\n", "\r\n ") + "\r\nConnection: close\r\n\r\n",
			"no version":               "GET /api/health\r\n\r\n" + hidden,
			"two hosts":                "GET /api/health HTTP/1.1\r\n" + host + "Host: evil.example\r\n\r\n" + hidden,
		} {
			all.Go(func() {
				// The connection may stay open, waiting for more.
				if answers := p.raw(request, time.Second); strings.Contains(answers, "on the waitlist") {
					p.Errorf("%s: the hidden request was served: %s", what, answers)
				}
			})
		}
		all.Wait()
	})
}

// raw speaks to the front door and returns all that it says until it ends the
// connection, or for as long as timeout.
func (p *product) raw(request string, timeout time.Duration) string {
	p.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(strings.Replace(p.site, "localhost", "127.0.0.1", 1), "http://"))
	errtest.None(p, err)
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, request)
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	all, _ := io.ReadAll(io.LimitReader(conn, 1<<20))
	return string(all)
}

// nobodyChoosesAnAddress: what staff did is logged with where they really were.
func (p *product) nobodyChoosesAnAddress() {
	p.Helper()
	req := p.request("admin", "POST /api/set-user-roles", `{"userId":"`+p.people["mod"].ID()+`","roles":[],"reason":"because"}`)
	for _, name := range []string{"X-Forwarded-For", "X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "X-Client-Ip", "X-Fledge-Client-Ip"} {
		req.Header[name] = []string{"6.6.6.6", "6.6.6.7"}
	}
	req.Header.Set("Forwarded", "for=6.6.6.6")
	if a := p.send(req); a.status != http.StatusOK {
		p.Fatalf("%d %s", a.status, a.body)
	}
	for _, part := range []string{"gateway", "identity"} {
		if strings.Contains(p.log(part), "6.6.6.") {
			p.Errorf("%s believes an address that the client made up", part)
		}
	}
}

// slowBody begins a request and never ends it. The returned function waits until the
// gateway has had enough.
func (p *product) slowBody() (wait func()) {
	p.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.stack.GatewayURL(), "http://"))
	errtest.None(p, err)
	_, err = io.WriteString(conn, "POST /api/add-waitlist-user HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{\"em")
	errtest.None(p, err)
	return func() {
		answer, _ := io.ReadAll(conn) // ends when the gateway closes
		_ = conn.Close()
		if !strings.HasPrefix(string(answer), "HTTP/1.1 408") {
			p.Errorf("a body that does not come: %s", answer)
		}
	}
}
