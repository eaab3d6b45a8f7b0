package refused

import "net/http"

const (
	join = "/api/add-waitlist-user"
	anID = "0d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11"
)

func waitlistRows() (rows []row) {
	for _, body := range []string{`{"email":"a@b.co"}`, `{"email":"a@b.co","source":null}`, `{"email":"a@b.co","source":""}`, `{"email":"a@b.co","source":"admin"}`, `{"email":"a@b.co","source":"import"}`} {
		rows = append(rows, row{"nobody", http.MethodPost, join, body, "invalid_source", []string{"source"}})
	}
	return rows
}

func supportRows() (rows []row) {
	create := func(body, code, field string) {
		rows = append(rows, row{"ann", http.MethodPost, "/api/create-support-ticket", body, code, []string{field}})
	}
	create(`{"message":"x","idempotencyKey":"k"}`, "invalid_category", "category")
	for _, status := range []string{`"open"`, `""`, `null`} {
		rows = append(rows,
			row{"admin", http.MethodPut, "/api/update-support-ticket", `{"ticketId":"` + anID + `","status":` + status + `}`, "invalid_status", []string{"status"}},
			row{"admin", http.MethodPost, "/api/bulk-update-support-tickets", `{"tickets":[{"ticketId":"` + anID + `"}],"status":` + status + `}`, "invalid_status", []string{"status"}})
	}
	return rows
}
