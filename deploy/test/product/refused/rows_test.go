package refused

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	join = "/api/add-waitlist-user"
	anID = "0d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11"
)

// noIDs are no UUIDs in the form in which we give them out.
var noIDs = []string{`"x"`, `""`, `null`, `"TKT-000123"`, `"urn:uuid:` + anID + `"`, `"{` + anID + `}"`, `"` + strings.ReplaceAll(anID, "-", "") + `"`, `"` + strings.Repeat("x", 10_001) + `"`}

// post is a row for one field of a body; fields may have the names of more.
func post(who, path, body, field string, more ...string) row {
	return row{who, http.MethodPost, path, body, "invalid_" + snake(field), append([]string{field}, more...)}
}

// get is a row for a parameter.
func get(who, path, parameter, value string) row {
	return row{who: who, method: http.MethodGet, path: path + "?" + parameter + "=" + url.QueryEscape(value), code: "invalid_" + snake(parameter), fields: []string{parameter}}
}

// search is what no list of staff takes.
func search(path, parameter string) row {
	return get("admin", path, parameter, strings.Repeat("x", 255))
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func waitlistRows() (rows []row) {
	for _, body := range []string{`{"email":"a@b.co"}`, `{"email":"a@b.co","source":null}`, `{"email":"a@b.co","source":""}`, `{"email":"a@b.co","source":"admin"}`, `{"email":"a@b.co","source":"import"}`, `{"email":"a@b.co","source":"x"}`} {
		rows = append(rows, post("nobody", join, body, "source"))
	}
	for _, email := range []string{"", "a", "a@b", strings.Repeat("x", 249) + "@b.co", strings.Repeat("x", 10_000)} {
		rows = append(rows, post("nobody", join, `{"email":"`+email+`","source":"hero_section"}`, "email"), post("admin", join, `{"email":"`+email+`"}`, "email"))
	}
	for _, id := range noIDs {
		for _, action := range []string{"approve", "remove", "resend", "undo"} {
			rows = append(rows, post("admin", "/api/approve-waitlist-user", `{"waitlistUserId":`+id+`,"action":"`+action+`"}`, "waitlistUserId"))
		}
		rows = append(rows, post("admin", "/api/bulk-approve-waitlist-users", `{"waitlistUserIds":["`+anID+`",`+id+`]}`, "waitlistUserIds"))
	}
	for _, action := range []string{`null`, `""`, `"Approve"`, `"x"`} {
		rows = append(rows, post("admin", "/api/approve-waitlist-user", `{"waitlistUserId":"`+anID+`","action":`+action+`}`, "action"))
	}
	for _, reason := range []string{`null`, `""`, `" "`, `"` + strings.Repeat("x", 501) + `"`} {
		rows = append(rows, post("admin", "/api/approve-waitlist-user", `{"waitlistUserId":"`+anID+`","action":"resend","reason":`+reason+`}`, "reason"))
	}
	rows = append(rows, post("admin", "/api/approve-waitlist-user", `{"waitlistUserId":"`+anID+`","action":"approve","reason":"x"}`, "reason"))
	for _, body := range []string{`{}`, `{"waitlistUserIds":null}`, `{"waitlistUserIds":[]}`, `{"waitlistUserIds":["` + anID + `","` + strings.ToUpper(anID) + `"]}`, `{"waitlistUserIds":[` + strings.Repeat(`"`+anID+`",`, 100) + `"` + anID + `"]}`} {
		rows = append(rows, post("admin", "/api/bulk-approve-waitlist-users", body, "waitlistUserIds"))
	}
	for _, body := range []string{`{}`, `{"claim":null}`, `{"claim":""}`, `{"claim":"x"}`, `{"claim":"` + strings.Repeat("x", 44) + `"}`, `{"claim":"` + strings.Repeat("x", 10_001) + `"}`} {
		rows = append(rows, post("ann", "/api/get-invitation", body, "claim"), post("ann", "/api/claim-invitation", body, "claim"), post("nobody", "/api/open-invitation", body, "claim"))
	}
	for _, token := range []string{``, `x`, strings.Repeat("x", 36), strings.Repeat("x", 10_001)} {
		rows = append(rows, post("nobody", "/api/confirm-waitlist", `{"token":"`+token+`"}`, "token"))
	}
	for _, value := range []string{`"people":-1`, `"people":0`, `"people":1000001`, `"percent":0`, `"percent":101`, `"percent":1,"people":1`, `"perMinute":-1`, `"perMinute":0`, `"source":"x"`, `"source":""`, `"search":"` + strings.Repeat("x", 255) + `"`, `"joinedBefore":"x"`, `"joinedBefore":""`, `"startsAt":"tomorrow"`, `"startsAt":"2126-01-01T00:00:00Z"`} {
		rows = append(rows, post("admin", "/api/start-wave", `{"waveId":"`+anID+`",`+value+`}`, strings.Split(value, `"`)[1]))
	}
	for _, id := range noIDs {
		rows = append(rows, post("admin", "/api/start-wave", `{"waveId":`+id+`}`, "waveId"), post("admin", "/api/change-wave", `{"waveId":`+id+`,"action":"pause"}`, "waveId"))
	}
	rows = append(rows, post("admin", "/api/change-wave", `{"waveId":"`+anID+`","action":"stop"}`, "action"))
	for _, ids := range []string{`null`, `[]`, `[` + strings.Repeat("1,", 100) + `1]`} {
		rows = append(rows, post("admin", "/api/change-mails", `{"service":"support","ids":`+ids+`,"action":"drop"}`, "ids"))
	}
	rows = append(rows, post("admin", "/api/change-mails", `{"service":"billing","ids":[1],"action":"drop"}`, "service"),
		post("admin", "/api/change-mails", `{"service":"support","ids":[1],"action":"forget"}`, "action"))
	for query, field := range map[string]string{"state=sent": "service", "service=billing&state=sent": "service", "service=support": "state", "service=support&state=all": "state", "service=support&state=sent&cursor=x": "cursor"} {
		rows = append(rows, row{"admin", http.MethodGet, "/api/get-mails?" + query, "", "invalid_" + field, []string{field}})
	}
	rows = append(rows, search("/api/get-waitlist-users", "search"))
	rows = append(rows, search("/api/export-waitlist-users", "search"))
	rows = append(rows, get("admin", "/api/get-waitlist-users", "status", "x"))
	return append(rows, get("admin", "/api/get-waitlist-users", "cursor", "x"), get("admin", "/api/get-waitlist-users", "cursor", strings.Repeat("x", 513)))
}

func supportRows() (rows []row) {
	const create, reply, update, bulk = "/api/create-support-ticket", "/api/reply-support-ticket", "/api/update-support-ticket", "/api/bulk-update-support-tickets"
	put := func(body, field string) row {
		return row{"admin", http.MethodPut, update, body, "invalid_" + snake(field), []string{field}}
	}
	for _, category := range []string{`"Bug"`, `"all"`, `"unspecified"`, `""`, `null`} {
		rows = append(rows, post("ann", create, `{"category":`+category+`,"message":"x","idempotencyKey":"k"}`, "category"))
	}
	rows = append(rows,
		post("ann", create, `{"message":"x","idempotencyKey":"k"}`, "category"), post("ann", create, `{"category":"bug","priority":"URGENT","message":"x","idempotencyKey":"k"}`, "priority"),
		post("ann", create, `{"category":"bug","idempotencyKey":"k"}`, "message"), post("ann", create, `{"category":"bug","message":" \n\t ","idempotencyKey":"k"}`, "message"),
	)
	long := map[string]int{"message": 10_000, "subject": 200, "appVersion": 64, "operatingSystem": 128}
	for field, most := range long {
		value, other := strings.Repeat("é", most+1), `"message":"x",`
		if field == "message" {
			other = ""
		}
		rows = append(rows, post("ann", create, fmt.Sprintf(`{"category":"bug",%s"idempotencyKey":"k","%s":"%s"}`, other, field, value), field))
		if field == "message" {
			rows = append(rows, post("ann", reply, fmt.Sprintf(`{"ticketId":"%s","idempotencyKey":"k","message":"%s"}`, anID, value), field),
				put(fmt.Sprintf(`{"ticketId":"%s","status":"closed","adminResponse":"%s"}`, anID, value), "adminResponse"))
		}
	}
	for _, key := range []string{`""`, `null`, `"é"`, `"` + strings.Repeat("k", 256) + `"`} {
		rows = append(rows, post("ann", create, `{"category":"bug","message":"x","idempotencyKey":`+key+`}`, "idempotencyKey"),
			post("ann", reply, `{"ticketId":"`+anID+`","message":"x","idempotencyKey":`+key+`}`, "idempotencyKey"))
	}
	for _, message := range []string{`" "`, `"\n"`, `null`} {
		rows = append(rows, post("ann", reply, `{"ticketId":"`+anID+`","message":`+message+`,"idempotencyKey":"k"}`, "message"))
	}
	for _, status := range []string{`"open"`, `"x"`, `"Closed"`, `""`, `null`} {
		rows = append(rows, put(`{"ticketId":"`+anID+`","status":`+status+`}`, "status"), post("admin", bulk, `{"tickets":[{"ticketId":"`+anID+`"}],"status":`+status+`}`, "status"))
	}
	for _, id := range noIDs {
		rows = append(rows, post("ann", reply, `{"ticketId":`+id+`,"message":"x","idempotencyKey":"k"}`, "ticketId"),
			put(`{"ticketId":`+id+`,"status":"closed"}`, "ticketId"), post("admin", bulk, `{"tickets":[{"ticketId":`+id+`}],"status":"closed"}`, "ticketId"))
	}
	for path, rest := range map[string]string{"/api/add-support-note": `"note":"x"`, "/api/edit-support-ticket": `"priority":"low"`} {
		for _, id := range noIDs {
			rows = append(rows, post("admin", path, `{"ticketId":`+id+`,`+rest+`}`, "ticketId"))
		}
	}
	for _, key := range []string{`""`, `"é"`, `"` + strings.Repeat("k", 256) + `"`} {
		rows = append(rows, put(`{"ticketId":"`+anID+`","status":"closed","idempotencyKey":`+key+`}`, "idempotencyKey"))
	}
	for _, version := range []string{"0", "-1"} {
		rows = append(rows, put(`{"ticketId":"`+anID+`","status":"closed","version":`+version+`}`, "version"), post("admin", bulk, `{"tickets":[{"ticketId":"`+anID+`","version":`+version+`}],"status":"closed"}`, "version"))
	}
	for _, id := range []string{"", "x", "TKT-000123", "{" + anID + "}", "urn:uuid:" + anID} {
		rows = append(rows, get("admin", "/api/get-support-ticket", "id", id))
	}
	for _, parameter := range []string{"status", "category", "priority"} {
		rows = append(rows, get("admin", "/api/get-support-tickets", parameter, "x"))
	}
	for field, values := range map[string][]string{
		"priority": {`"URGENT"`}, "category": {`"Bug"`}, "assigneeId": {`"x"`, `"TKT-000001"`},
		"tags": {`["a b"]`, `[""]`, `["` + strings.Repeat("x", 33) + `"]`, `["a","b","c","d","e","f","g","h","i","j","k"]`},
	} {
		for _, value := range values {
			rows = append(rows, post("admin", "/api/edit-support-ticket", `{"ticketId":"`+anID+`","`+field+`":`+value+`}`, field))
		}
	}
	for _, text := range []string{`""`, `" \n"`, `"` + strings.Repeat("é", 10_001) + `"`} {
		rows = append(rows, post("admin", "/api/add-support-note", `{"ticketId":"`+anID+`","note":`+text+`}`, "note"),
			post("admin", "/api/save-canned-answer", `{"title":"x","body":`+text+`}`, "body"), post("admin", "/api/save-canned-answer", `{"title":`+text+`,"body":"x"}`, "title"))
	}
	rows = append(rows, post("admin", "/api/save-canned-answer", `{"id":"x","title":"x","body":"x"}`, "id"), post("admin", "/api/delete-canned-answer", `{"id":"x"}`, "id"),
		get("admin", "/api/get-earlier-support-messages", "id", "x"), get("ann", "/api/get-my-earlier-support-messages", "id", "x"),
		get("admin", "/api/get-support-tickets", "queue", "x"), get("admin", "/api/get-support-tickets", "sort", "x"), get("admin", "/api/get-support-tickets", "tag", "a b"))
	rows = append(rows, post("admin", "/api/set-support-notices", `{"notices":"weekly"}`, "notices"), post("admin", "/api/view-support-ticket", `{"ticketId":"x"}`, "ticketId"))
	for field, body := range map[string]string{
		"category": `"category":"Bug","message":"x","idempotencyKey":"k"`, "priority": `"category":"bug","priority":"URGENT","message":"x","idempotencyKey":"k"`,
		"subject": `"category":"bug","message":"x","idempotencyKey":"k","subject":"` + strings.Repeat("é", 201) + `"`,
		"message": `"category":"bug","message":" ","idempotencyKey":"k"`, "idempotencyKey": `"category":"bug","message":"x","idempotencyKey":""`,
	} {
		rows = append(rows, post("admin", "/api/open-support-ticket-for", `{"email":"ann@fledge.test",`+body+`}`, field))
	}
	for _, email := range []string{"", " ", "x", "a b", strings.Repeat("x", 300), strings.Repeat("x", 10_000)} {
		rows = append(rows, post("admin", "/api/open-support-ticket-for", `{"email":"`+email+`","category":"bug","message":"x","idempotencyKey":"k"}`, "email"))
	}
	one := `{"ticketId":"` + anID + `"}`
	for _, tickets := range []string{`[]`, `null`, `[` + one + `,{"ticketId":"` + strings.ToUpper(anID) + `"}]`, `[` + strings.Repeat(one+`,`, 100) + one + `]`} {
		rows = append(rows, post("admin", bulk, `{"tickets":`+tickets+`,"status":"closed"}`, "tickets"))
	}
	rows = append(rows, search("/api/get-support-tickets", "search"))
	rows = append(rows, search("/api/export-support-tickets", "search"))
	return append(rows, get("ann", "/api/get-my-support-tickets", "cursor", "x"), get("ann", "/api/get-my-support-tickets", "cursor", strings.Repeat("x", 513)))
}

// noNames are no names of what somebody else keeps, noAddresses none of the profile page.
var (
	noNames     = []string{"", strings.Repeat("x", 256)}
	noAddresses = []string{"", "https://evil.com/profile", "/profile"}
)

func encode(body map[string]any) string {
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps of texts
	}
	return string(encoded)
}

// with is a JSON object of some fields and a further one, which may replace one of them.
func with(body map[string]string, field, value string) string {
	all := []string{`"` + field + `":` + value}
	for other, text := range body {
		if other != field {
			all = append(all, `"`+other+`":`+text)
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

func billingRows(site, annID string) (rows []row) {
	spend := func(amount, description, key string) string {
		return `{"amount":` + amount + `,"description":` + description + `,"idempotencyKey":` + key + `}`
	}
	const decide = "/api/decide-billing-case"
	for _, object := range []string{`""`, `null`, `"in 1"`, `"` + strings.Repeat("x", 256) + `"`} {
		rows = append(rows, post("admin", decide, `{"object":`+object+`,"decision":"accept","reason":"x"}`, "object"))
	}
	for _, seen := range []string{`""`, `"In 1"`, `"` + strings.Repeat("x", 101) + `"`} {
		rows = append(rows, post("admin", decide, `{"object":"in_1","decision":"accept","reason":"x","seenReason":`+seen+`}`, "seenReason"))
	}
	for _, month := range []string{"", "2026-13", "2026-1", "1999-12", "2026-10-01", strings.Repeat("1", 1000)} {
		rows = append(rows, get("admin", "/api/export-month-end", "month", month))
	}
	for _, decision := range []string{`""`, `null`, `"Accept"`, `"refund"`} {
		rows = append(rows, post("admin", decide, `{"object":"in_1","decision":`+decision+`,"reason":"x"}`, "decision"))
	}
	for _, body := range []string{`"grant"`, `"grant","amount":0`, `"grant","amount":-1`, `"grant","amount":10000.01`, `"accept","amount":1`} {
		rows = append(rows, post("admin", decide, `{"object":"in_1","reason":"x","decision":`+body+`}`, "amount"))
	}
	for _, reason := range []string{`null`, `""`, `" "`, `"` + strings.Repeat("x", 501) + `"`} {
		rows = append(rows, post("admin", decide, `{"object":"in_1","decision":"accept","reason":`+reason+`}`, "reason"))
	}
	for _, path := range []string{"/api/consume-credits", "/api/hold-credits"} {
		for _, amount := range []string{"0", "-1", "100000.01", "null"} {
			rows = append(rows, post("ann", path, spend(amount, `"a"`, `"k"`), "amount"))
		}
		for _, description := range []string{`null`, `""`, `" "`, `"a\nb"`, `"` + strings.Repeat("é", 201) + `"`, `"` + strings.Repeat("x", 10_001) + `"`} {
			rows = append(rows, post("ann", path, spend("1", description, `"k"`), "description"))
		}
		for _, key := range []string{`null`, `""`, `"é"`, `"` + strings.Repeat("k", 256) + `"`} {
			rows = append(rows, post("ann", path, spend("1", `"a"`, key), "idempotencyKey"))
		}
		rows = append(rows, post("ann", path, `{}`, "amount", "description", "idempotencyKey"))
	}
	adjust := map[string]string{"userId": `"` + anID + `"`, "amount": "1", "reason": `"x"`, "idempotencyKey": `"k"`}
	for field, values := range map[string][]string{
		"userId": noIDs, "amount": {"null", "0", "-10000.01", "10000.01"}, "reason": {`null`, `""`, `" "`, `"` + strings.Repeat("x", 501) + `"`},
		"idempotencyKey": {`null`, `""`, `"é"`, `"` + strings.Repeat("k", 256) + `"`},
	} {
		for _, value := range values {
			rows = append(rows, post("admin", "/api/adjust-credits", with(adjust, field, value), field))
		}
	}
	for path, body := range map[string]map[string]string{
		"/api/consume-credits": {"amount": "1", "description": `"a"`, "idempotencyKey": `"k"`}, "/api/hold-credits": {"amount": "1", "description": `"a"`, "idempotencyKey": `"k"`},
		"/api/settle-credits":          {"holdId": `"` + anID + `"`, "amount": "1"},
		"/api/create-checkout-session": {"productId": `"p"`, "priceId": `"p"`, "successUrl": `"` + site + `/profile"`, "cancelUrl": `"` + site + `/profile"`},
		"/api/create-portal-session":   {"returnUrl": `"` + site + `/profile"`},
	} {
		rows = append(rows, post("ann", path, with(body, "userId", `"x"`), "userId"), post("ann", path, with(body, "userId", `"`+strings.Repeat("x", 10_001)+`"`), "userId"))
	}
	for _, lifetime := range []string{"0", "-1", "86401"} {
		rows = append(rows, post("ann", "/api/hold-credits", `{"lifetimeSeconds":`+lifetime+`,"amount":1,"description":"a","idempotencyKey":"k"}`, "lifetimeSeconds"))
	}
	for _, id := range noIDs {
		rows = append(rows, post("ann", "/api/settle-credits", `{"holdId":`+id+`,"amount":1}`, "holdId"))
	}
	for _, amount := range []string{"null", "-0.01", "100000.01"} {
		rows = append(rows, post("ann", "/api/settle-credits", `{"holdId":"`+anID+`","amount":`+amount+`}`, "amount"))
	}
	for field, values := range map[string][]string{"productId": noNames, "priceId": noNames, "successUrl": noAddresses, "cancelUrl": noAddresses} {
		for _, value := range values {
			checkout := map[string]any{"productId": "p", "priceId": "p", "successUrl": site + "/profile", "cancelUrl": site + "/profile", "userId": annID, field: value}
			rows = append(rows, post("ann", "/api/create-checkout-session", encode(checkout), field))
		}
	}
	for _, address := range noAddresses {
		rows = append(rows, post("ann", "/api/create-portal-session", encode(map[string]any{"returnUrl": address, "userId": annID}), "returnUrl"))
	}
	for _, name := range noNames {
		rows = append(rows, post("ann", "/api/sync-checkout-session", encode(map[string]any{"sessionId": name}), "sessionId"))
	}
	return append(rows, get("ann", "/api/get-credit-history", "cursor", "x"), get("ann", "/api/get-credit-history", "cursor", strings.Repeat("x", 513)))
}

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
	for _, state := range []string{`null`, `""`, `"deleting"`, `"x"`} {
		rows = append(rows, post("admin", "/api/set-person-state", `{"userId":"`+anID+`","reason":"x","state":`+state+`}`, "state"))
	}
	rows = append(rows, get("admin", "/api/get-users-with-roles", "role", "x"))
	for _, action := range []string{"x", "TICKET.UPDATED", "ticket."} {
		rows = append(rows, get("admin", "/api/get-audit-log", "action", action))
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
		`{` + app + `,"code_challenge":"` + verifier + `"}`:                                 "code_challenge_method",
		`{` + app + `,"code_challenge":"` + verifier + `","code_challenge_method":"plain"}`: "code_challenge_method",
	} {
		rows = append(rows, post("ann", handOff, body, field))
	}
	for field, values := range map[string][]string{
		"grant_type": {"", "password"}, "code": {"", strings.Repeat("x", 257)}, "code_verifier": {"", verifier[1:], verifier[1:] + "é"},
		"redirect_uri": {"", strings.Repeat("x", 257)}, "device_name": {"a\nb", strings.Repeat("x", 65)}, "refresh_token": {"x"},
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

func releasesRows() (rows []row) {
	const toggle, rollout, channel = "/api/toggle-release-availability", "/api/set-release-rollout", "/api/set-release-channel"
	const required, link = "/api/set-release-required", "/api/create-preview-link"
	for path, rest := range map[string]string{toggle: `"isAvailable":true}`, rollout: `"percentage":1}`, channel: `"channel":"beta"}`, required: `"isRequired":true}`, link: `"days":7}`} {
		for _, id := range []string{"null", "0", "-1"} {
			rows = append(rows, post("admin", path, `{"releaseId":`+id+`,"version":"1.2.3",`+rest, "releaseId"))
		}
		for _, version := range []string{`null`, `""`, `"latest"`, `"1.2"`, `"` + strings.Repeat("1", 10_001) + `"`} {
			rows = append(rows, post("admin", path, `{"releaseId":1,"version":`+version+`,`+rest, "version"))
		}
	}
	for _, percentage := range []string{"null", "-1", "101"} {
		rows = append(rows, post("admin", rollout, `{"releaseId":1,"version":"1.2.3","percentage":`+percentage+`}`, "percentage"))
	}
	for _, value := range []string{"null", `""`, `"latest"`} {
		rows = append(rows, post("admin", channel, `{"releaseId":1,"version":"1.2.3","channel":`+value+`}`, "channel"))
	}
	for _, days := range []string{"null", "0", "31"} {
		rows = append(rows, post("admin", link, `{"releaseId":1,"version":"1.2.3","days":`+days+`}`, "days"))
	}
	for _, id := range []string{"null", "0", "-1"} {
		rows = append(rows, post("admin", "/api/revoke-preview-link", `{"linkId":`+id+`}`, "linkId"))
	}
	rows = append(rows, get("admin", "/api/get-preview-links", "version", "latest"), get("admin", "/api/get-person-channel", "userId", "ann"))
	const give, somebody = "/api/set-person-channel", `{"userId":"5d2c7b10-8e4f-4a3b-9c6d-2f1e0a9b8c7d",`
	rows = append(rows, post("admin", give, `{"userId":"ann","channel":"beta","reason":"because"}`, "userId"))
	for _, value := range []string{"null", `""`, `"latest"`} {
		rows = append(rows, post("admin", give, somebody+`"channel":`+value+`,"reason":"because"}`, "channel"))
	}
	for _, reason := range []string{"null", `""`, `"` + strings.Repeat("x", 501) + `"`} {
		rows = append(rows, post("admin", give, somebody+`"channel":"beta","reason":`+reason+`}`, "reason"))
	}
	for parameter, value := range map[string]string{"stagingId": strings.Repeat("x", 65), "channel": "latest", "arch": "ppc", "version": "1.2"} {
		rows = append(rows, get("admin", "/api/explain-update", parameter, value))
	}
	return append(rows, post("admin", toggle, `{"releaseId":1,"version":"1.2.3"}`, "isAvailable"),
		post("admin", required, `{"releaseId":1,"version":"1.2.3"}`, "isRequired"))
}
