package attack

import (
	"encoding/json"
	"net/http"
	"strings"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/services/platform/errtest"
)

// staffSessions: what staff may do, they may do in a browser that signed in lately. A Mac that
// was stolen from an admin, and a browser that was left open, open nothing of it.
func (p *product) staffSessions() {
	for name, age := range map[string]string{"admin13h": "13 hours", "admin16m": "16 minutes"} {
		p.signIn(name, stack.AdminEmail)
		p.aged(name, age)
	}
	p.mac("admin", "adminMac")
	fresh := []string{
		"POST /api/set-user-roles", "POST /api/set-person-state", "POST /api/delete-person", "POST /api/reset-second-factor", "POST /api/adjust-credits", "POST /api/set-person-renewal", "GET /api/export-month-end",
		"GET /api/export-waitlist-users", "GET /api/export-support-tickets",
	}
	var attacks []attack
	for _, op := range p.operations() {
		if !op.bearers() || !p.staffOnly(op) {
			continue
		}
		for _, by := range []string{"adminMac", "admin13h"} {
			attacks = append(attacks, attack{"staff's work", by, op.route, "", http.StatusForbidden, "staff_sign_in_required"})
		}
	}
	for _, route := range fresh {
		attacks = append(attacks, attack{"what gives power", "admin16m", route, "", http.StatusForbidden, "fresh_sign_in_required"})
	}
	if len(attacks) < 2*15 {
		p.Errorf("found only %d attacks on the staff's routes", len(attacks))
	}
	attacks = append(attacks, attack{"adding by hand", "adminMac", "POST /api/add-waitlist-user", `{"email":"mac@example.test"}`, http.StatusForbidden, "staff_sign_in_required"})
	p.refuses(attacks...)
	// Everything else is theirs, and a quarter of an hour takes nothing else.
	for who, route := range map[string]string{"adminMac": "GET /api/auth/user", "admin13h": "GET /api/auth/devices", "admin16m": "GET /api/get-users-with-roles"} {
		if a := p.send(p.request(who, route, "")); a.status != http.StatusOK {
			p.Errorf("%s: %s: %d %s", who, route, a.status, a.body)
		}
	}
}

// aged makes the sign-in of somebody's session older.
func (p *product) aged(who, by string) {
	p.Helper()
	_, err := p.databases["identity"].Exec(p.Context(),
		"UPDATE session_families SET authenticated_at = authenticated_at - $1::text::interval WHERE id = $2",
		by, p.decoded(strings.Split(p.tokens[who], ".")[1])["sid"])
	errtest.None(p, err)
}

// mac hands somebody's sign-in over to a Mac.
func (p *product) mac(of, name string) {
	p.Helper()
	a := p.send(p.request(of, "POST /api/auth/hand-off", `{"callback":"fledge://auth/callback"}`))
	var answer struct {
		Session struct {
			AccessToken string `json:"access_token"`
		}
	}
	errtest.None(p, json.Unmarshal([]byte(a.body), &answer))
	if answer.Session.AccessToken == "" {
		p.Fatalf("no tokens for a Mac: %d %s", a.status, a.body)
	}
	p.tokens[name] = answer.Session.AccessToken
}
