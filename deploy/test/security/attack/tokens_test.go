package attack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"fledge.dev/services/platform/errtest"
)

// forgedTokens tries, on every route that looks at tokens, those that a customer can
// make of her own.
func (p *product) forgedTokens() {
	forged := p.forgeries()
	p.without("forged tokens", func() {
		for _, op := range p.operations() {
			if !op.bearers() || op.OperationID == "signOut" {
				continue // signing out by a bad token is refused, see the gateway's tests
			}
			for what, token := range forged {
				body := ""
				if op.takes("application/json") {
					body = `{}`
				}
				p.try(attack{what, token, op.route, body, http.StatusUnauthorized, "invalid_token"})
			}
		}
	})
	// What works must be seen to work, or the refusals prove nothing.
	if a := p.send(p.request("ann", "GET /api/auth/user", "")); a.status != http.StatusOK {
		p.Errorf("the genuine token: %d %s", a.status, a.body)
	}
	p.spoofedHeaders()
}

func (p *product) forgeries() map[string]string {
	p.Helper()
	parts := strings.Split(p.tokens["ann"], ".")
	header, claims := p.decoded(parts[0]), p.decoded(parts[1])
	with := func(members map[string]any, name string, value any) string {
		changed := maps.Clone(members)
		changed[name] = value
		raw, err := json.Marshal(changed)
		errtest.None(p, err)
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	var set struct{ Keys []struct{ X string } }
	errtest.None(p, json.Unmarshal([]byte(p.send(p.request("nobody", "GET /api/auth/jwks.json", "")).body), &set))
	public, err := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	errtest.None(p, err)
	hs256 := with(header, "alg", "HS256") + "." + with(claims, "sub", p.people["admin"].ID())
	mac := hmac.New(sha256.New, public)
	mac.Write([]byte(hs256))
	return map[string]string{
		"another's id":            parts[0] + "." + with(claims, "sub", p.people["admin"].ID()) + "." + parts[2],
		"a role in the claims":    parts[0] + "." + with(claims, "roles", []string{"admin"}) + "." + parts[2],
		"alg none":                with(header, "alg", "none") + "." + with(claims, "sub", p.people["admin"].ID()) + ".",
		"the public key for HMAC": hs256 + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)),
		"another key's id":        with(header, "kid", "../../dev/null") + "." + parts[1] + "." + parts[2],
		"a key of her own":        with(header, "jwk", set.Keys[0]) + "." + with(claims, "sub", p.people["admin"].ID()) + "." + parts[2],
		"a signature cut short":   p.tokens["ann"][:len(p.tokens["ann"])-4],
	}
}

func (p *product) decoded(part string) (members map[string]any) {
	p.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(part)
	errtest.None(p, err)
	errtest.None(p, json.Unmarshal(raw, &members))
	return members
}

// spoofedHeaders claim to be somebody; they make nobody of nobody, and of a customer
// a customer.
func (p *product) spoofedHeaders() {
	p.Helper()
	for by, want := range map[string]int{"nobody": http.StatusUnauthorized, "ann": http.StatusForbidden, "mod": http.StatusForbidden} {
		req := p.request(by, "GET /api/get-audit-log", "")
		for _, name := range []string{
			"X-User-Id", "X-Kratos-Authenticated-Identity-Id", "Grpc-Metadata-User-Id", "X-Forwarded-User", "X-Remote-User", "X-Auth-Request-User", "Remote-User",
		} {
			req.Header.Set(name, p.people["admin"].ID())
		}
		for name, value := range map[string]string{"X-Admin": "true", "X-Original-Url": "/api/get-plans", "X-Rewrite-Url": "/api/get-plans", "X-Fledge-Internal": "1"} {
			req.Header.Set(name, value)
		}
		if a := p.send(req); a.status != want {
			p.Errorf("%s with an admin's headers: %d %s", by, a.status, a.body)
		}
	}
}
