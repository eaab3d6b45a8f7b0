package refused

import (
	"net/http"
	"strings"
)

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
	for _, value := range []string{`"people":-1`, `"people":0`, `"people":1000001`, `"percent":0`, `"percent":101`, `"percent":1,"people":1`, `"perMinute":-1`, `"perMinute":0`, `"channel":"x"`, `"channel":""`, `"channel":"stable"`, `"source":"x"`, `"source":""`, `"search":"` + strings.Repeat("x", 255) + `"`, `"joinedBefore":"x"`, `"joinedBefore":""`, `"startsAt":"tomorrow"`, `"startsAt":"2126-01-01T00:00:00Z"`} {
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
	for _, query := range []string{"email=0", "joined=-1", "status=x", "source=70000", "dates=us", "order=up", "offset=-1", "offset=16777216"} {
		field, _, _ := strings.Cut(query, "=")
		for _, path := range []string{"/api/preview-waitlist-import", "/api/import-waitlist-users"} {
			rows = append(rows, row{"admin", http.MethodPost, path + "?" + query, "", "invalid_" + field, []string{field}})
		}
	}
	rows = append(rows, search("/api/get-waitlist-users", "search"))
	rows = append(rows, search("/api/export-waitlist-users", "search"))
	rows = append(rows, get("admin", "/api/get-waitlist-users", "status", "x"))
	return append(rows, get("admin", "/api/get-waitlist-users", "cursor", "x"), get("admin", "/api/get-waitlist-users", "cursor", strings.Repeat("x", 513)))
}
