package refused

import "strings"

// noNames are no names of what somebody else keeps, noAddresses none of the profile page.
var (
	noNames     = []string{"", strings.Repeat("x", 256)}
	noAddresses = []string{"", "https://evil.com/profile", "/profile"}
)

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
	renewal := map[string]string{"userId": `"` + anID + `"`, "renews": "true", "reason": `"x"`}
	for field, values := range map[string][]string{"userId": noIDs, "renews": {"null"}, "reason": {`null`, `""`, `" "`, `"` + strings.Repeat("x", 501) + `"`}} {
		for _, value := range values {
			rows = append(rows, post("admin", "/api/set-person-renewal", with(renewal, field, value), field))
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
	return append(rows, get("ann", "/api/get-credit-history", "limit", "101"), get("ann", "/api/get-credit-history", "cursor", "x"), get("ann", "/api/get-credit-history", "cursor", strings.Repeat("x", 513)))
}
