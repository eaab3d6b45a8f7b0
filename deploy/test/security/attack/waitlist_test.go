package attack

import (
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"fledge.dev/deploy/local/person"
	"fledge.dev/services/platform/errtest"
)

const join = "POST /api/add-waitlist-user"

// theWaitlist are the form that anybody may send, and the staff's list behind it.
func (p *product) theWaitlist() {
	var bad []attack
	for what, email := range map[string]string{
		"nothing": "", "spaces": "   ", "a header": `a@b.co\r\nBcc: v@x.co`, "a subject": `a@b.co\nSubject: x`, "no domain": "ada", "two": "a@b.co,c@d.co", "two at": "a@b@c.co",
		"an IP": "a@[127.0.0.1]", "a quoted part": `\"a b\"@c.co`, "a comment": "a(x)@b.co", "a Cyrillic letter": "аdmin@fledge.test", "a full-width letter": "ａ@b.co",
		"a hidden letter": "a\u200bda@b.co", "a joiner in the domain": "ada@b\u200c.co", "a word that is read backwards": "a\u202emoc.live@b.co", "one label": "a@localhost",
		"a number for a name": "a@1.2.3.4", "65 characters": strings.Repeat("a", 65) + "@b.co", "255 characters": "a@" + strings.Repeat("b.", 126) + "co", "SQL": "' OR 1=1--", "a template": "${jndi:ldap://x}@",
		"a file": "file:///etc/passwd", "a display name": "Ada <ada@b.co>", "a per cent sign": "a%40b.co", "a final dot": "a@b.co.", "an empty label": "a@b..co", "a tab inside": `a@b\t.co`,
	} {
		bad = append(bad, attack{what, "nobody", join, fmt.Sprintf(`{"email":"%s","source":"hero_section"}`, email), http.StatusBadRequest, "invalid_email"})
	}
	for what, source := range map[string]string{
		"no source": "null", "staff's": `"admin"`, "the import's": `"import"`, "a space": `"hero_section "`, "another case": `"HERO_SECTION"`, "a long one": `"` + strings.Repeat("x", 10<<10) + `"`, "an enum": "1",
	} {
		bad = append(bad, attack{what, "nobody", join, `{"email":"eve@fledge.test","source":` + source + `}`, http.StatusBadRequest, ""})
	}
	for _, status := range []string{"approved", "pending"} {
		bad = append(bad, attack{"a status", "nobody", join, `{"email":"eve@fledge.test","source":"cta_section","status":"` + status + `"}`, http.StatusBadRequest, "unknown_field"})
	}
	for by, status := range map[string]int{"nobody": 400, "ann": 403, "mod": 403} {
		bad = append(bad, attack{"an admin's form", by, join, `{"email":"eve@fledge.test"}`, status, ""})
	}
	for _, route := range []string{"POST /api/get-invitation", "POST /api/claim-invitation"} {
		bad = append(bad, attack{"a claim that was never sent", "ann", route, `{"claim":"` + strings.Repeat("A", 43) + `"}`, http.StatusNotFound, "invitation_not_found"})
	}
	p.refuses(bad...)
	p.theAnswerTellsNothing()
	p.oneAddressFromManyClients()
	p.theStaffsList()
	p.noEmails("v@x.co", "eve@fledge.test", "c@d.co")
}

// theAnswerTellsNothing about who is on the list: it is the same, byte by byte, for
// whoever is new, waits, was approved or was rejected, and for many at once.
func (p *product) theAnswerTellsNothing() {
	p.Helper()
	answers := map[string]int{}
	var mu sync.Mutex
	ask := func(email string) {
		a := p.send(p.request("nobody", join, `{"email":"`+email+`","source":"hero_section"}`))
		a.header.Del("Date")
		a.header.Del("X-Request-Id")
		var headers []string
		for _, name := range slices.Sorted(maps.Keys(a.header)) {
			headers = append(headers, name+": "+strings.Join(a.header[name], ","))
		}
		mu.Lock()
		defer mu.Unlock()
		answers[fmt.Sprint(a.status, headers, a.body)]++
	}
	ask("new@fledge.test")
	ask("new@fledge.test")
	ask(" New@Fledge.TEST ")
	ask("tester@fledge.test") // approved
	entry := p.entry("new@fledge.test")
	remove := fmt.Sprintf(`{"waitlistUserId":%q,"action":"remove"}`, entry)
	p.try(attack{"removing", "admin", "POST /api/approve-waitlist-user", remove, http.StatusOK, ""})
	p.without("a rejected address that asks again", func() { ask("new@fledge.test") })
	var many sync.WaitGroup
	for range 20 {
		many.Go(func() { ask("many@fledge.test") })
	}
	many.Wait()
	if len(answers) != 1 {
		p.Errorf("the answers differ: %v", answers)
	}
	if n := p.ask("waitlist", "SELECT count(*) FROM waitlist_users WHERE email = 'many@fledge.test'"); n != "1" {
		p.Errorf("twenty at once made %s entries", n)
	}
}

// oneAddressFromManyClients: each is far below its own limit, and they have one effect
// together. Nobody can tell their answers apart.
func (p *product) oneAddressFromManyClients() {
	p.Helper()
	answers := map[string]int{}
	ask := func(client int) {
		req := p.request("nobody", join, `{"email":"wanted@fledge.test","source":"cta_section"}`)
		var err error
		req.URL, err = url.Parse(p.stack.GatewayURL() + req.URL.Path)
		errtest.None(p, err)
		req.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", client))
		a := p.send(req)
		answers[fmt.Sprint(a.status, a.body)]++
	}
	ask(0)
	p.without("the same address from others", func() {
		for client := range 100 {
			ask(client + 1)
		}
	})
	if len(answers) != 1 {
		p.Errorf("the answers differ: %v", answers)
	}
}

func (p *product) entry(email string) string {
	p.Helper()
	return p.ask("waitlist", "SELECT id FROM waitlist_users WHERE email = '"+email+"'")
}

func (p *product) theStaffsList() {
	p.Helper()
	const approve, list = "POST /api/approve-waitlist-user", "GET /api/get-waitlist-users"
	rejected, pending := p.entry("new@fledge.test"), p.entry("many@fledge.test")
	change := func(id, action string) string { return fmt.Sprintf(`{"waitlistUserId":%q,"action":%q}`, id, action) }
	attacks := []attack{
		{"a rejected entry", "admin", approve, change(rejected, "approve"), http.StatusConflict, ""},
		{"removed already", "admin", approve, change(rejected, "remove"), http.StatusOK, ""},
		{"nobody's id", "admin", approve, change("00000000-0000-0000-0000-000000000000", "approve"), http.StatusNotFound, ""},
		{"her own entry", "ann", approve, change(pending, "approve"), http.StatusForbidden, "forbidden"},
		{"a moderator", "mod", approve, change(pending, "approve"), http.StatusForbidden, "forbidden"},
		{"nobody", "nobody", approve, change(pending, "approve"), http.StatusUnauthorized, "no_token"},
		{"many by a moderator", "mod", "POST /api/bulk-approve-waitlist-users", `{"waitlistUserIds":["` + pending + `"]}`, http.StatusForbidden, "forbidden"},
		{"a wave by a moderator", "mod", "POST /api/start-wave", `{"waveId":"` + pending + `"}`, http.StatusForbidden, "forbidden"},
		{"another's cursor", "admin", list + "?cursor=" + strings.Repeat("A", 34), "", http.StatusBadRequest, ""},
		{"a cursor too long", "admin", list + "?cursor=" + strings.Repeat("A", 513), "", http.StatusBadRequest, ""},
		{"a NUL", "admin", list + "?search=%00", "", http.StatusBadRequest, ""},
		{"no text", "admin", list + "?search=%ff", "", http.StatusBadRequest, ""},
	}
	for _, id := range []string{"", "42", "urn:uuid:" + pending, "{" + pending + "}", pending + " ", pending + "' OR '1'='1", strings.ReplaceAll(pending, "-", "")} {
		attacks = append(attacks, attack{"an id in another form", "admin", approve, change(id, "approve"), http.StatusBadRequest, ""})
	}
	for _, action := range []string{"", "Approve", "approve ", "reject", "delete"} {
		attacks = append(attacks, attack{"an action", "admin", approve, change(pending, action), http.StatusBadRequest, ""})
	}
	for _, query := range []string{"status=PENDING", "status=x", "status=pending&status=approved", "limit=0", "limit=-1", "limit=101", "limit=1e1", "limit=%201", "limit=9223372036854775808"} {
		attacks = append(attacks, attack{"a query", "admin", list + "?" + query, "", http.StatusBadRequest, ""})
	}
	p.refuses(attacks...)
	p.formulas()
}

// formulas come in by a file and go out by one; no cell of it is computed.
func (p *product) formulas() {
	p.Helper()
	req := p.request("admin", "POST /api/import-waitlist-users", "email\r\n=1+1@fledge.test\r\n+cmd|'/c calc'!a0@fledge.test\r\n-2@fledge.test\r\n\"=a,b\"\r\n")
	req.Header.Set("Content-Type", "text/csv")
	if a := p.send(req); a.status != http.StatusOK {
		p.Errorf("import: %d %s", a.status, a.body)
	}
	message := map[string]any{"category": "bug", "message": `=HYPERLINK("https://evil.example","x")`, "subject": "@SUM(1)", "appVersion": "+1", "operatingSystem": "-1+1", "idempotencyKey": "formula"}
	call[any](p, "ann", http.MethodPost, "/api/create-support-ticket", message)
	for _, route := range []string{"GET /api/export-waitlist-users", "GET /api/export-support-tickets"} {
		a := p.send(p.request("admin", route, ""))
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.body, "\ufeff"))).ReadAll()
		errtest.None(p, err)
		shielded := 0
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
					p.Errorf("%s computes %q", route, cell)
				}
				if strings.HasPrefix(cell, "'") {
					shielded++
				}
			}
		}
		if shielded == 0 {
			p.Errorf("%s holds no formula: %s", route, a.body)
		}
	}
}

// noEmails were sent to addresses that somebody smuggled in.
func (p *product) noEmails(to ...string) {
	p.Helper()
	for _, email := range to {
		var box struct{ Messages []any }
		errtest.None(p, person.New(p.stack.URLs().Mail).Call(p.Context(), http.MethodGet, "/messages?to="+email, nil, &box))
		if len(box.Messages) != 0 {
			p.Errorf("%s got %d emails", email, len(box.Messages))
		}
	}
}
