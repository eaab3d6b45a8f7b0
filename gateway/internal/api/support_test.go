package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/csvfile"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/fault"
)

func aTicket() *supportv1.Ticket {
	return &supportv1.Ticket{
		Id: anyID, Number: "TKT-000123", UserEmail: "user@example.com", CreatedAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		UpdatedAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)), Status: supportv1.Status_STATUS_IN_PROGRESS,
		Priority: supportv1.Priority_PRIORITY_HIGH, Category: supportv1.Category_CATEGORY_FEATURE_REQUEST, Message: "<b>Help</b>", AppVersion: "1.2.3", Version: 4,
	}
}

const (
	ticketFields = `"id":"` + anyID + `","ticket_id":"TKT-000123","user_email":"user@example.com","created_at":"2026-01-02T03:04:05Z",
		"updated_at":"2026-01-02T03:04:06Z","status":"in_progress","priority":"high","category":"feature_request","subject":null,
		"message":"<b>Help</b>","app_version":"1.2.3","operating_system":null,"version":4`
	newTicket = `{"category":"bug","message":"It broke","subject":"Broken","priority":"urgent","appVersion":"1.2.3","operatingSystem":"macOS 15.1","idempotencyKey":"k1"}`
	newReply  = `{"ticketId":"` + anyID + `","message":"Still broken","idempotencyKey":"k2"}`
)

func TestOpeningATicket(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	g.post("/api/create-support-ticket", newTicket, bearer(token)).is(http.StatusOK, `{"data":{`+ticketFields+`}}`)
	got, caller := g.support.last()
	want := &supportv1.CreateTicketRequest{
		Category: supportv1.Category_CATEGORY_BUG, Priority: supportv1.Priority_PRIORITY_URGENT, Subject: "Broken", Message: "It broke",
		AppVersion: "1.2.3", OperatingSystem: "macOS 15.1", IdempotencyKey: "k1",
	}
	if !proto.Equal(got.(proto.Message), want) || caller.UserID != id || caller.Email != "user@example.com" {
		t.Errorf("support was asked %v by %+v", got, caller)
	}
	for _, least := range []string{
		`{"category":"bug","message":"x","idempotencyKey":"k"}`,
		`{"category":"bug","message":"x","idempotencyKey":"k","subject":null,"appVersion":null,"operatingSystem":null}`,
		`{"category":"bug","message":"` + strings.Repeat("é", 10_000) + `","idempotencyKey":"k"}`,
		`{"category":"bug","message":"{{7*7}} ${jndi:ldap://x} %s%n '; DROP TABLE x","idempotencyKey":"k"}`,
	} {
		g.post("/api/create-support-ticket", least, bearer(token)).is(http.StatusOK)
	}
	before := g.support.count()
	for body, code := range map[string]string{
		`{"message":"x","idempotencyKey":"k"}`:                                                          "invalid_category",
		`{"category":"Bug","message":"x","idempotencyKey":"k"}`:                                         "invalid_category",
		`{"category":"all","message":"x","idempotencyKey":"k"}`:                                         "invalid_category",
		`{"category":"bug","message":" \n\t ","idempotencyKey":"k"}`:                                    "invalid_message",
		`{"category":"bug","idempotencyKey":"k"}`:                                                       "invalid_message",
		`{"category":"bug","message":"` + strings.Repeat("é", 10_001) + `","idempotencyKey":"k"}`:       "invalid_message",
		`{"category":"bug","message":"x","priority":"URGENT","idempotencyKey":"k"}`:                     "invalid_priority",
		`{"category":"bug","message":"x","subject":"a\r\nBcc: v@x","idempotencyKey":"k"}`:               "invalid_subject",
		`{"category":"bug","message":"x","subject":"` + strings.Repeat("x", 201) + `"}`:                 "invalid_subject",
		`{"category":"bug","message":"x","appVersion":"` + strings.Repeat("x", 65) + `"}`:               "invalid_app_version",
		`{"category":"bug","message":"x","operatingSystem":"` + strings.Repeat("x", 129) + `"}`:         "invalid_operating_system",
		`{"category":"bug","message":"x"}`:                                                              "invalid_idempotency_key",
		`{"category":"bug","message":"x","idempotencyKey":"é"}`:                                         "invalid_idempotency_key",
		`{"category":"bug","message":"x","idempotencyKey":"` + strings.Repeat("x", 256) + `"}`:          "invalid_idempotency_key",
		`{"category":"bug","message":"x","idempotencyKey":"k","email":"v@example.com"}`:                 "unknown_field",
		`{"category":"bug","message":"x","idempotencyKey":"k","userEmail":"v@example.com"}`:             "unknown_field",
		`{"category":"bug","message":"x","idempotencyKey":"k","status":"closed","userId":"` + id + `"}`: "unknown_field",
	} {
		g.post("/api/create-support-ticket", body, bearer(token)).fails(http.StatusBadRequest, code)
	}
	if g.support.count() != before {
		t.Error("a refused ticket reached support")
	}
	g.support.fail(fault.New(fault.RateLimited, "too_many_tickets", "Please wait.").RetryAfter(7 * time.Minute))
	if a := g.post("/api/create-support-ticket", newTicket, bearer(token)).fails(http.StatusTooManyRequests, "too_many_tickets"); a.header.Get("Retry-After") != "420" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
}

// TestTextsAreRefusedByTheirOwnNames: what support would refuse never gets there, because
// support calls some fields by other names.
func TestTextsAreRefusedByTheirOwnNames(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.Admin("admin@example.com")
	const update = "PUT /api/update-support-ticket"
	open := func(field string) string {
		return `{"category":"bug","message":"x","idempotencyKey":"k","` + field + `":"%s"}`
	}
	texts := []string{`\u0001`, `\u001b[31m`, `\u0085x`, `\rx`, `\u007f`}
	lines := append([]string{`\n`, `\t`, `\u2028`, `\u202e`, `\u2066`, `\u2069`}, texts...)
	for _, tt := range []struct {
		route, body, field string
		bad                []string
	}{
		{update, `{"ticketId":"` + anyID + `","status":"closed","adminResponse":"%s"}`, "adminResponse", texts},
		{"POST /api/create-support-ticket", `{"category":"bug","idempotencyKey":"k","message":"%s"}`, "message", texts},
		{"POST /api/reply-support-ticket", `{"ticketId":"` + anyID + `","idempotencyKey":"k","message":"%s"}`, "message", texts},
		{"POST /api/create-support-ticket", open("subject"), "subject", lines},
		{"POST /api/create-support-ticket", open("appVersion"), "appVersion", lines},
		{"POST /api/create-support-ticket", open("operatingSystem"), "operatingSystem", lines},
	} {
		method, path, _ := strings.Cut(tt.route, " ")
		for _, bad := range tt.bad {
			before := g.support.count()
			a := g.do(method, path, bearer(token), jsonBody(fmt.Sprintf(tt.body, "a"+bad+"b"))).is(http.StatusBadRequest)
			var said struct{ Fields map[string]string }
			if err := json.Unmarshal(a.body, &said); err != nil || len(said.Fields) != 1 || said.Fields[tt.field] == "" || g.support.count() != before {
				t.Errorf("%s with %s in %s: %s", tt.route, bad, tt.field, a.body)
			}
		}
		if len(tt.bad) == len(texts) { // lines end as a browser has them
			g.do(method, path, bearer(token), jsonBody(fmt.Sprintf(tt.body, `a\r\n\tb\n`+strings.Repeat(`\r\n`, 4_990)+`c`))).is(http.StatusOK)
		}
	}
}

func TestMyTickets(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	g.get("/api/get-my-support-tickets", bearer(token)).is(http.StatusOK, `{"data":[],"nextCursor":null}`)
	g.support.mine = &supportv1.ListMyTicketsResponse{NextCursor: "next", Threads: []*supportv1.Thread{
		{Ticket: aTicket()},
		{Ticket: aTicket(), Messages: []*supportv1.Message{{
			Id: anyID, Author: supportv1.Author_AUTHOR_STAFF, Body: "We look", CreatedAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)),
		}}},
	}}
	g.get("/api/get-my-support-tickets?cursor=c&limit=3", bearer(token)).is(http.StatusOK, `{"data":[{`+ticketFields+`,"messages":[]},
		{`+ticketFields+`,"messages":[{"id":"`+anyID+`","author":"staff","body":"We look","created_at":"2026-01-02T03:04:06Z"}]}],"nextCursor":"next"}`)
	got, _ := g.support.last()
	if r := got.(*supportv1.ListMyTicketsRequest); r.GetCursor() != "c" || r.GetLimit() != 3 {
		t.Errorf("support was asked %v", r)
	}
	before := g.support.count()
	for _, query := range []string{"?limit=0", "?limit=21", "?limit=x", "?cursor=" + strings.Repeat("x", 513), "?user_id=" + anyID, "?email=v@example.com"} {
		g.get("/api/get-my-support-tickets"+query, bearer(token)).is(http.StatusBadRequest)
	}
	if g.support.count() != before {
		t.Error("a refused request reached support")
	}
}

func TestReplying(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	g.post("/api/reply-support-ticket", newReply, bearer(token)).is(http.StatusOK, `{"data":{`+ticketFields+`}}`)
	got, _ := g.support.last()
	if r := got.(*supportv1.ReplyToTicketRequest); r.GetId() != anyID || r.GetMessage() != "Still broken" || r.GetIdempotencyKey() != "k2" {
		t.Errorf("support was asked %v", r)
	}
	before := g.support.count()
	for _, body := range []string{
		strings.Replace(newReply, anyID, "TKT-000123", 1), strings.Replace(newReply, "Still broken", `\n`, 1),
		strings.Replace(newReply, "k2", "", 1), strings.Replace(newReply, `"message":"Still broken",`, "", 1),
	} {
		g.post("/api/reply-support-ticket", body, bearer(token)).is(http.StatusBadRequest)
	}
	if g.support.count() != before {
		t.Error("a refused reply reached support")
	}
}

func TestAnExport(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	evil := proto.Clone(aTicket()).(*supportv1.Ticket)
	evil.Message, evil.Subject = "=cmd|' /C calc'!A0\nsecond \"line\"", "@SUM(A1)"
	g.support.pieces = map[string]*supportv1.ExportTicketsResponse{
		"": {Tickets: []*supportv1.Ticket{aTicket()}, NextCursor: "2"}, "2": {Tickets: []*supportv1.Ticket{evil}},
	}
	a := g.get("/api/export-support-tickets?status=in_progress&category=bug&priority=all&search=x", bearer(admin)).is(http.StatusOK)
	want := "\ufeffticket_id,created_at,updated_at,status,priority,category,user_email,subject,message,app_version,operating_system\r\n" +
		"TKT-000123,2026-01-02T03:04:05Z,2026-01-02T03:04:06Z,in_progress,high,feature_request,user@example.com,,<b>Help</b>,1.2.3,\r\n" +
		"TKT-000123,2026-01-02T03:04:05Z,2026-01-02T03:04:06Z,in_progress,high,feature_request,user@example.com,'@SUM(A1),\"'=cmd|' /C calc'!A0\r\nsecond \"\"line\"\"\",1.2.3,\r\n"
	if string(a.body) != want {
		t.Errorf("got\n%s\nwant\n%s", a.body, want)
	}
	if a.header.Get("Content-Type") != csvfile.ContentType || !strings.HasPrefix(a.header.Get("Content-Disposition"), `attachment; filename="support-tickets-`) {
		t.Errorf("headers %v", a.header)
	}
	got, _ := g.support.last()
	filter := &supportv1.Filter{Status: supportv1.Status_STATUS_IN_PROGRESS, Category: supportv1.Category_CATEGORY_BUG, Search: "x"}
	if r := got.(*supportv1.ExportTicketsRequest); r.GetCursor() != "2" || !proto.Equal(r.GetFilter(), filter) {
		t.Errorf("support was asked %v", r)
	}
}

// TestAnExportThatBreaksOff: half a list must not look like the whole.
func TestAnExportThatBreaksOff(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	g.support.pieces = map[string]*supportv1.ExportTicketsResponse{"": {Tickets: []*supportv1.Ticket{aTicket()}, NextCursor: "gone"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+"/api/export-support-tickets", nil)
	if err != nil {
		t.Fatal(err)
	}
	bearer(admin)(req)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil { // the first rows were sent already
		defer func() { _ = resp.Body.Close() }()
		_, err = io.ReadAll(resp.Body)
	}
	if err == nil {
		t.Error("half a list looks like a whole one")
	}
	g.support.pieces = nil
	g.get("/api/export-support-tickets", bearer(admin)).is(http.StatusServiceUnavailable)
}

func TestFiltersOfTickets(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	for _, path := range []string{"/api/get-support-tickets", "/api/export-support-tickets"} {
		for _, good := range []string{"", "?status=all&category=all&priority=all&search=", "?status=&category=&priority=", "?search=%25_%5C%27%3B--"} {
			g.get(path+good, bearer(admin)).is(http.StatusOK)
		}
		before := g.support.count()
		for _, bad := range []string{
			"?status=Open", "?status=OPEN", "?status=in%20progress", "?status=x", "?category=Bug", "?category=1", "?priority=critical", "?status=open&status=closed",
			"?status[]=open", "?search=" + strings.Repeat("x", 255), "?search=%00", "?search=%ff", "?sort=id", "?user_email=a@b.co",
		} {
			g.get(path+bad, bearer(admin)).is(http.StatusBadRequest)
		}
		if g.support.count() != before {
			t.Errorf("%s: a refused filter reached support", path)
		}
	}
	before := g.support.count()
	for _, bad := range []string{"0", "-1", "1.5", "1e2", "x", "", "200001", "9999999999999999999", "%201", "+1"} {
		g.get("/api/get-support-tickets?page="+bad, bearer(admin)).fails(http.StatusBadRequest, "invalid_page")
	}
	for _, bad := range []string{"0", "-1", "101", "x", ""} {
		g.get("/api/get-support-tickets?limit="+bad, bearer(admin)).fails(http.StatusBadRequest, "invalid_limit")
	}
	if g.support.count() != before {
		t.Error("a refused page reached support")
	}
}
