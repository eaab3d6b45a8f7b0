package support_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

func TestOpeningATicket(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Post("/api/create-support-ticket", apitest.NewTicket, apitest.Bearer(token)).Is(http.StatusOK, `{"data":{`+apitest.TicketFields+`}}`)
	got, caller := g.Support.Last()
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
		g.Post("/api/create-support-ticket", least, apitest.Bearer(token)).Is(http.StatusOK)
	}
	g.Post("/api/create-support-ticket", `{"category":"all","priority":"URGENT","message":"x","idempotencyKey":"k"}`, apitest.Bearer(token)).Is(http.StatusOK)
	if got, _ := g.Support.Last(); got.(*supportv1.CreateTicketRequest).GetCategory() != -1 || got.(*supportv1.CreateTicketRequest).GetPriority() != -1 {
		t.Errorf("support was asked %v", got)
	}
	before := g.Support.Count()
	for body, code := range map[string]string{
		`{"category":"bug","message":"x","idempotencyKey":"k","email":"v@example.com"}`:                 "unknown_field",
		`{"category":"bug","message":"x","idempotencyKey":"k","userEmail":"v@example.com"}`:             "unknown_field",
		`{"category":"bug","message":"x","idempotencyKey":"k","status":"closed","userId":"` + id + `"}`: "unknown_field",
	} {
		g.Post("/api/create-support-ticket", body, apitest.Bearer(token)).Fails(http.StatusBadRequest, code)
	}
	if g.Support.Count() != before {
		t.Error("a refused ticket reached support")
	}
	g.Support.Fail(fault.New(fault.RateLimited, "too_many_tickets", "Please wait.").RetryAfter(7 * time.Minute))
	if a := g.Post("/api/create-support-ticket", apitest.NewTicket, apitest.Bearer(token)).Fails(http.StatusTooManyRequests, "too_many_tickets"); a.Header.Get("Retry-After") != "420" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
}

func TestMyTickets(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Get("/api/get-my-support-tickets", apitest.Bearer(token)).Is(http.StatusOK, `{"data":[],"nextCursor":null}`)
	g.Support.Mine = &supportv1.ListMyTicketsResponse{NextCursor: "next", Threads: []*supportv1.Thread{
		{Ticket: apitest.ATicket()},
		{Ticket: apitest.ATicket(), Messages: []*supportv1.Message{{
			Id: apitest.AnyID, Author: supportv1.Author_AUTHOR_STAFF, Body: "We look", CreatedAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)),
		}}},
	}}
	g.Get("/api/get-my-support-tickets?cursor=c&limit=3", apitest.Bearer(token)).Is(http.StatusOK, `{"data":[{`+apitest.TicketFields+`,"messages":[],"earlier":false},
		{`+apitest.TicketFields+`,"messages":[{"id":"`+apitest.AnyID+`","author":"staff","body":"We look","created_at":"2026-01-02T03:04:06Z"}],"earlier":false}],"nextCursor":"next"}`)
	got, _ := g.Support.Last()
	if r := got.(*supportv1.ListMyTicketsRequest); r.GetCursor() != "c" || r.GetLimit() != 3 {
		t.Errorf("support was asked %v", r)
	}
	before := g.Support.Count()
	for _, query := range []string{"?limit=0", "?limit=x", "?user_id=" + apitest.AnyID, "?email=v@example.com"} {
		g.Get("/api/get-my-support-tickets"+query, apitest.Bearer(token)).Is(http.StatusBadRequest)
	}
	if g.Support.Count() != before {
		t.Error("a refused request reached support")
	}
}

func TestReplying(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Post("/api/reply-support-ticket", apitest.NewReply, apitest.Bearer(token)).Is(http.StatusOK, `{"data":{`+apitest.TicketFields+`}}`)
	got, _ := g.Support.Last()
	if r := got.(*supportv1.ReplyToTicketRequest); r.GetId() != apitest.AnyID || r.GetMessage() != "Still broken" || r.GetIdempotencyKey() != "k2" {
		t.Errorf("support was asked %v", r)
	}
}

func TestAnExport(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	evil := proto.Clone(apitest.ATicket()).(*supportv1.Ticket)
	evil.Message, evil.Subject = "=cmd|' /C calc'!A0\nsecond \"line\"", "@SUM(A1)"
	evil.Desk = &supportv1.Desk{AssigneeEmail: "staff@example.com", Tags: []string{"crash", "mac"}, AnsweredAt: evil.GetCreatedAt(), ResolvedAt: evil.GetUpdatedAt()}
	g.Support.Pieces = map[string]*supportv1.ExportTicketsResponse{
		"": {Tickets: []*supportv1.Ticket{apitest.ATicket()}, NextCursor: "2"}, "2": {Tickets: []*supportv1.Ticket{evil}},
	}
	a := g.Get("/api/export-support-tickets?status=in_progress&category=bug&priority=all&search=x", apitest.Bearer(admin)).Is(http.StatusOK)
	want := "\ufeffticket_id,created_at,updated_at,status,priority,category,user_email,subject,message,app_version,operating_system,assignee,tags,first_answer_at,waiting_since,resolved_at,first_answer_seconds,resolve_seconds\r\n" +
		"TKT-000123,2026-01-02T03:04:05Z,2026-01-02T03:04:06Z,in_progress,high,feature_request,user@example.com,,<b>Help</b>,1.2.3,,,,,,,,\r\n" +
		"TKT-000123,2026-01-02T03:04:05Z,2026-01-02T03:04:06Z,in_progress,high,feature_request,user@example.com,'@SUM(A1),\"'=cmd|' /C calc'!A0\r\nsecond \"\"line\"\"\",1.2.3,,staff@example.com,crash mac,2026-01-02T03:04:05Z,,2026-01-02T03:04:06Z,0,1\r\n"
	if string(a.Body) != want {
		t.Errorf("got\n%s\nwant\n%s", a.Body, want)
	}
	if a.Header.Get("Content-Type") != csvfile.ContentType || !strings.HasPrefix(a.Header.Get("Content-Disposition"), `attachment; filename="support-tickets-`) {
		t.Errorf("headers %v", a.Header)
	}
	got, _ := g.Support.Last()
	filter := &supportv1.Filter{Status: supportv1.Status_STATUS_IN_PROGRESS, Category: supportv1.Category_CATEGORY_BUG, Search: "x"}
	if r := got.(*supportv1.ExportTicketsRequest); r.GetCursor() != "2" || !proto.Equal(r.GetFilter(), filter) {
		t.Errorf("support was asked %v", r)
	}
}

// TestAnExportThatBreaksOff: half a list must not look like the whole.
func TestAnExportThatBreaksOff(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Support.Pieces = map[string]*supportv1.ExportTicketsResponse{"": {Tickets: []*supportv1.Ticket{apitest.ATicket()}, NextCursor: "gone"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL+"/api/export-support-tickets", nil)
	errtest.None(t, err)
	apitest.Bearer(admin)(req)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err == nil { // the first rows were sent already
		defer func() { _ = resp.Body.Close() }()
		_, err = io.ReadAll(resp.Body)
	}
	if err == nil {
		t.Error("half a list looks like a whole one")
	}
	g.Support.Pieces = nil
	g.Get("/api/export-support-tickets", apitest.Bearer(admin)).Is(http.StatusServiceUnavailable)
}

func TestFiltersOfTickets(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for _, path := range []string{"/api/get-support-tickets", "/api/export-support-tickets"} {
		for _, good := range []string{"", "?status=all&category=all&priority=all&search=", "?status=&category=&priority=", "?search=%25_%5C%27%3B--"} {
			g.Get(path+good, apitest.Bearer(admin)).Is(http.StatusOK)
		}
		if a := g.Get(path+"?status=x", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_status"); !strings.Contains(string(a.Body), "is not all, open, in_progress, resolved or closed.") {
			t.Errorf("%s", a.Body)
		}
		before := g.Support.Count()
		for _, bad := range []string{
			"?status=Open", "?status=OPEN", "?status=in%20progress", "?status=x", "?category=Bug", "?category=1", "?priority=critical", "?status=open&status=closed",
			"?status[]=open", "?search=%00", "?search=%ff", "?sort=id", "?user_email=a@b.co",
		} {
			g.Get(path+bad, apitest.Bearer(admin)).Is(http.StatusBadRequest)
		}
		if g.Support.Count() != before {
			t.Errorf("%s: a refused filter reached support", path)
		}
	}
	before := g.Support.Count()
	for _, bad := range []string{"0", "-1", "1.5", "1e2", "x", "", "9999999999999999999", "%201", "+1"} {
		g.Get("/api/get-support-tickets?page="+bad, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_page")
	}
	for _, bad := range []string{"0", "-1", "x", ""} {
		g.Get("/api/get-support-tickets?limit="+bad, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_limit")
	}
	if g.Support.Count() != before {
		t.Error("a refused page reached support")
	}
}
