package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"fledge.dev/services/platform/errtest"
)

// corpus are the addresses that the gateway's and the web's judges of them share.
type corpus struct{ ReturnTo, Redirect, Callback struct{ Refused []string } }

// signingIn is where sessions are given out.
func (p *product) signingIn() {
	raw, err := os.ReadFile(filepath.Join(p.opts.Root, "gateway/internal/returnto/testdata/corpus.json"))
	errtest.None(p, err)
	var c corpus
	errtest.None(p, json.Unmarshal(raw, &c))
	var attacks []attack
	add := func(what, by, route string, body map[string]string) {
		raw, err := json.Marshal(body)
		errtest.None(p, err)
		attacks = append(attacks, attack{what, by, route, string(raw), http.StatusBadRequest, ""})
	}
	for _, target := range c.ReturnTo.Refused {
		add("returning to "+target, "nobody", "POST /api/auth/signin/google", map[string]string{"return_to": target})
	}
	for _, page := range c.Redirect.Refused {
		add("going on to "+page, "nobody", "POST /api/auth/signin/google", map[string]string{"return_to": "/auth/callback?redirect=" + url.QueryEscape(page)})
	}
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	for _, link := range c.Callback.Refused {
		add("handing over to "+link, "bea", "POST /api/auth/hand-off", map[string]string{"callback": link, "code_challenge": challenge, "code_challenge_method": "S256"})
		add("handing over to "+link, "bea", "POST /api/auth/hand-off", map[string]string{"callback": link})
	}
	for _, method := range []string{"plain", "s256", "", "S256 "} {
		add("the method "+method, "bea", "POST /api/auth/hand-off", map[string]string{"callback": "fledge://auth/callback", "code_challenge": challenge, "code_challenge_method": method})
	}
	for _, provider := range []string{"facebook", "Google", "google%0a", "google%20", "oidc", "password", "%2e%2e", "a%00"} {
		attacks = append(attacks, attack{"the provider " + provider, "nobody", "POST /api/auth/signin/" + provider, `{"return_to":"/auth/callback"}`, http.StatusNotFound, ""})
	}
	for _, path := range []string{
		"/self-service/login", "/self-service/login/browser", "/self-service/registration/browser", "/self-service/settings/browser", "/self-service/recovery/browser", "/self-service/logout/browser",
		"/sessions/whoami", "/sessions", "/admin/identities", "/identities", "/health/ready", "/metrics/prometheus", "/schemas/default", "/self-service/methods/oidc/callback/facebook", "/.well-known/ory/webauthn.js",
	} {
		attacks = append(attacks, attack{"Kratos' " + path, "nobody", "GET /api/auth/kratos" + path, "", http.StatusNotFound, "route_not_found"})
	}
	p.refuses(attacks...)
	p.theCookieIsForOurPages()
	p.oneCodeOneSession()
}

// theCookieIsForOurPages: other sites cannot make a browser use it, and nobody can
// make one up.
func (p *product) theCookieIsForOurPages() {
	p.Helper()
	with := func(route, cookie string, header map[string]string) reply {
		req := p.request("nobody", route, "")
		if strings.HasPrefix(route, "POST") {
			req = p.request("nobody", route, `{"scope":"all"}`)
		}
		req.Header.Set("Cookie", cookie)
		req.Header.Del("Origin")
		for name, value := range header {
			req.Header.Set(name, value)
		}
		return p.send(req)
	}
	const session, signOut = "GET /api/auth/session", "POST /api/auth/sign-out"
	p.without("requests of other sites", func() {
		for _, header := range []map[string]string{
			{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.com", "Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}, {"Origin": p.site + ".evil.com"}, {"Origin": p.site + "0"},
		} {
			for _, route := range []string{session, signOut} {
				if a := with(route, p.cookies["bea"], header); a.status != http.StatusForbidden {
					p.Errorf("%s with bea's cookie and %v: %d %s", route, header, a.status, a.body)
				}
			}
		}
		name, value, _ := strings.Cut(p.cookies["bea"], "=")
		for what, cookie := range map[string]string{
			"none": "x=y", "cut": p.cookies["bea"][:len(p.cookies["bea"])-8], "guessed": name + "=AAAA", "another's name": "ory_kratos_session=" + value, "twice": p.cookies["bea"] + "; " + name + "=" + value + "x", "empty": name + "=",
		} {
			if a := with(session, cookie, nil); a.status != http.StatusUnauthorized {
				p.Errorf("the cookie %s: %d %s", what, a.status, a.body)
			}
		}
		for _, route := range []string{"GET /api/auth/user", "GET /api/get-subscription", "GET /api/get-users-with-roles"} {
			if a := with(route, p.cookies["admin"], nil); a.status != http.StatusUnauthorized {
				p.Errorf("%s by a cookie alone: %d", route, a.status)
			}
		}
	})
	if a := with(session, p.cookies["bea"], map[string]string{"Sec-Fetch-Site": "same-origin"}); a.status != http.StatusOK {
		p.Errorf("bea's own page: %d %s", a.status, a.body)
	}
}

// oneCodeOneSession: of many who bring the same code at once, one gets a session.
func (p *product) oneCodeOneSession() {
	p.Helper()
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	asked := map[string]string{"callback": "fledge://auth/callback", "code_challenge": challenge, "code_challenge_method": "S256"}
	code := call[struct{ Code string }](p, "bea", http.MethodPost, "/api/auth/hand-off", asked).Code
	trade := func(code, verifier, link string) int {
		return p.send(p.request("nobody", "POST /api/auth/token", fmt.Sprintf(`{"grant_type":"authorization_code","code":%q,"code_verifier":%q,"redirect_uri":%q}`, code, verifier, link))).status
	}
	for what, status := range map[string]int{
		"a wrong verifier": trade(code, strings.Repeat("a", 43), "fledge://auth/callback"), "another link": trade(code, verifier, "http://127.0.0.1:1/auth/callback"),
		"a code that is none": trade(code+"x", verifier, "fledge://auth/callback"),
	} {
		if status != http.StatusUnauthorized && status != http.StatusBadRequest {
			p.Errorf("%s: %d", what, status)
		}
	}
	var mu sync.Mutex
	statuses := map[int]int{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			status := trade(code, verifier, "fledge://auth/callback")
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	all.Wait()
	if statuses[http.StatusOK] != 1 {
		p.Errorf("one code, twenty takers: %v", statuses)
	}
}
