package attack

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// attack is a request that must be refused with the status, and with the code
// unless that is "".
type attack struct {
	what string
	by   string
	// route is "POST /api/…"; a body goes along as JSON.
	route, body string
	status      int
	code        string
}

// TestAttacks is the catalogue of the threat model against the whole product.
func TestAttacks(t *testing.T) {
	p := start(t)
	p.settle()
	slow := p.slowBody()
	for _, group := range []struct {
		name string
		run  func(*product)
	}{
		{"every route", (*product).everyRoute}, {"text is data", (*product).textIsData}, {"tokens", (*product).forgedTokens}, {"other people's things", (*product).othersThings},
		{"the waitlist", (*product).theWaitlist}, {"money", (*product).money}, {"releases", (*product).releases}, {"support", (*product).support},
		{"signing in", (*product).signingIn}, {"staff's sessions", (*product).staffSessions}, {"the front door", (*product).frontDoor},
	} {
		t.Run(strings.ReplaceAll(group.name, " ", "_"), func(t *testing.T) {
			inner := *p
			inner.T = t
			group.run(&inner)
		})
	}
	slow()
	p.everyTableIsKnown()
	p.standsUnharmed()
}

// refuses sends the attacks, each of which is refused and leaves nothing behind.
func (p *product) refuses(attacks ...attack) {
	p.Helper()
	p.without("refused requests", func() {
		p.Helper()
		for _, a := range attacks {
			p.try(a)
		}
	})
}

func (p *product) try(a attack) {
	p.Helper()
	answer := p.send(p.request(a.by, a.route, a.body))
	if answer.status != a.status || a.code != "" && !strings.Contains(answer.body, fmt.Sprintf(`"code":%q`, a.code)) {
		p.Errorf("%s: %s by %q: %d %.300s, want %d %s", a.what, a.route, a.by, answer.status, answer.body, a.status, a.code)
	}
}

// request makes a request by one of the people, or with a token that is given.
func (p *product) request(by, route, body string) *http.Request {
	p.Helper()
	method, path, _ := strings.Cut(route, " ")
	req, err := http.NewRequestWithContext(p.Context(), method, p.site+path, strings.NewReader(body))
	errtest.None(p, err)
	if body == "" {
		req.Body = http.NoBody
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	token, known := p.tokens[by]
	if !known {
		token = by
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Origin", p.site)
	return req
}
