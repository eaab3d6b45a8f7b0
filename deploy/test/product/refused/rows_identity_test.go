package refused

import (
	"slices"
	"strings"
)

func identityRows() (rows []row) {
	for _, roles := range []string{`null`, `[null]`, `[""]`, `["Admin"]`, `["owner"]`, `["user","user","user","user"]`} {
		rows = append(rows, post("admin", "/api/set-user-roles", `{"userId":"`+anID+`","roles":`+roles+`}`, "roles"))
	}
	for _, seen := range []string{`[null]`, `[""]`, `["owner"]`, `["user","user","user","user"]`} {
		rows = append(rows, post("admin", "/api/set-user-roles", `{"userId":"`+anID+`","roles":[],"reason":"x","seenRoles":`+seen+`}`, "seenRoles"))
	}
	for _, id := range noIDs {
		rows = append(rows, post("ann", "/api/auth/revoke-device", `{"device_id":`+id+`}`, "device_id"))
	}
	for path, more := range map[string]map[string]string{
		"/api/set-user-roles": {"roles": "[]"}, "/api/set-person-state": {"state": `"disabled"`}, "/api/revoke-person-device": {"deviceId": `"` + anID + `"`},
		"/api/sign-out-person": {}, "/api/delete-person": {}, "/api/reset-second-factor": {},
	} {
		more["userId"], more["reason"] = `"`+anID+`"`, `"x"`
		for _, reason := range []string{`null`, `""`, `" "`, `"` + strings.Repeat("x", 501) + `"`} {
			rows = append(rows, post("admin", path, with(more, "reason", reason), "reason"))
		}
		for _, id := range noIDs {
			rows = append(rows, post("admin", path, with(more, "userId", id), "userId"))
			if more["deviceId"] != "" {
				rows = append(rows, post("admin", path, with(more, "deviceId", id), "deviceId"))
			}
		}
	}
	for _, person := range []string{"", "jörg@example.com", "用户@例子.example", strings.Repeat("x", 255)} {
		rows = append(rows, get("admin", "/api/get-person", "person", person))
	}
	for _, state := range []string{`null`, `""`, `"deleting"`, `"x"`} {
		rows = append(rows, post("admin", "/api/set-person-state", `{"userId":"`+anID+`","reason":"x","state":`+state+`}`, "state"))
	}
	rows = append(rows, get("admin", "/api/get-users-with-roles", "role", "x"))
	for _, action := range []string{"x", "TICKET.UPDATED", "ticket."} {
		rows = append(rows, get("admin", "/api/get-audit-log", "action", action))
	}
	for _, path := range []string{"/api/get-users-with-roles", "/api/get-audit-log", "/api/get-waitlist-users", "/api/get-support-tickets"} {
		for _, limit := range []string{"", "x", "0", "-1", "101", "99999999999"} {
			rows = append(rows, get("admin", path, "limit", limit))
		}
	}
	rows = append(rows, search("/api/get-users-with-roles", "search"))
	rows = append(rows, search("/api/get-audit-log", "search"))
	rows = append(rows, search("/api/get-audit-log", "actor"))
	for _, path := range []string{"/api/get-users-with-roles", "/api/get-audit-log"} {
		rows = append(rows, get("admin", path, "cursor", "x"), get("admin", path, "cursor", strings.Repeat("x", 513)))
	}
	return slices.Concat(rows, browserRows(), handOffRows())
}

// browserRows are of the routes that the site's pages call with their cookies.
func browserRows() (rows []row) {
	const signIn, confirm = "/api/auth/signin/google", "/api/auth/confirm-second-factor"
	for _, address := range []string{"", "https://evil.com", strings.Repeat("x", 2049)} {
		rows = append(rows, post("nobody", signIn, `{"return_to":"`+address+`"}`, "return_to"))
	}
	rows = append(rows, post("nobody", signIn, `{"return_to":"/","user_id":"`+anID+`"}`, "user_id"), post("nobody", signIn+"?link=true", `{"return_to":"/"}`, "user_id"))
	for _, id := range noIDs {
		if id != "null" {
			rows = append(rows, post("nobody", signIn, `{"flow":`+id+`}`, "flow"))
		}
		rows = append(rows, post("ann", confirm, `{"flow":`+id+`,"code":"123456"}`, "flow"))
	}
	for _, code := range []string{`null`, `""`, `"` + strings.Repeat("1", 33) + `"`} {
		rows = append(rows, post("ann", confirm, `{"flow":"`+anID+`","code":`+code+`}`, "code"), post("ann", "/api/auth/verify-second-factor", `{"code":`+code+`}`, "code"))
	}
	for _, scope := range []string{`""`, `"everywhere"`} {
		rows = append(rows, post("ann", "/api/auth/sign-out", `{"scope":`+scope+`}`, "scope"))
	}
	return rows
}

func handOffRows() (rows []row) {
	const handOff, token, app = "/api/auth/hand-off", "/api/auth/token", `"callback":"fledge://auth/callback"`
	verifier := strings.Repeat("v", 43)
	for body, field := range map[string]string{
		`{}`: "callback", `{"callback":"https://evil.com"}`: "callback", `{"callback":"http://127.0.0.1:1/callback"}`: "callback",
		`{` + app + `,"code_challenge":"x","code_challenge_method":"S256"}`:                 "code_challenge",
		`{` + app + `,"code_challenge":"","code_challenge_method":"S256"}`:                  "code_challenge",
		`{` + app + `,"code_challenge":"` + verifier + `=","code_challenge_method":"S256"}`: "code_challenge",
		`{` + app + `,"code_challenge":"` + verifier + `"}`:                                 "code_challenge_method",
		`{` + app + `,"code_challenge":"` + verifier + `","code_challenge_method":"plain"}`: "code_challenge_method",
	} {
		rows = append(rows, post("ann", handOff, body, field))
	}
	for field, values := range map[string][]string{
		"grant_type": {"", "password"}, "code": {"", strings.Repeat("x", 257)}, "code_verifier": {"", verifier[1:], verifier[1:] + "é", verifier[1:] + "+", verifier + "\n", strings.Repeat("v", 129), strings.Repeat("v", 10_000)},
		"redirect_uri": {"", strings.Repeat("x", 257)}, "device_name": {"a\nb", "\x1b[31m", strings.Repeat("ë", 65)}, "refresh_token": {"x"},
	} {
		for _, value := range values {
			grant := map[string]any{"grant_type": "authorization_code", "code": "x", "code_verifier": verifier, "redirect_uri": "x", field: value}
			rows = append(rows, post("nobody", token, encode(grant), field))
		}
	}
	for _, value := range []string{"", strings.Repeat("x", 513)} {
		rows = append(rows, post("nobody", token, encode(map[string]any{"grant_type": "refresh_token", "refresh_token": value}), "refresh_token"))
	}
	return append(rows, post("nobody", token, `{"grant_type":"refresh_token","refresh_token":"x","code":"x"}`, "code"))
}
