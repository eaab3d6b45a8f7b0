package refused

import (
	"fmt"
	"net/http"
	"strings"
)

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
	rows = append(rows, get("admin", "/api/get-support-tickets", "page", "200001"), get("ann", "/api/get-my-support-tickets", "limit", "21"))
	for _, parameter := range []string{"status", "category", "priority"} {
		rows = append(rows, get("admin", "/api/get-support-tickets", parameter, "x"))
	}
	for field, values := range map[string][]string{
		"priority": {`"URGENT"`}, "category": {`"Bug"`}, "assigneeId": {`"x"`, `"TKT-000001"`, `"urn:uuid:` + anID + `"`},
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
