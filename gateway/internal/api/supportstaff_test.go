package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/fault"
)

const (
	updateBody = `{"ticketId":"` + anyID + `","status":"resolved","adminResponse":"Done","version":3}`
	bulkBody   = `{"tickets":[{"ticketId":"` + anyID + `","version":3}],"status":"closed"}`
	otherID    = "1d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11"
)

func TestAPageOfTickets(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	g.get("/api/get-support-tickets", bearer(admin)).is(http.StatusOK, `{"data":[],"pagination":{"page":1,"limit":50,"total":0,"totalPages":0}}`)
	g.support.page = &supportv1.ListTicketsResponse{Tickets: []*supportv1.Ticket{aTicket()}, Total: 101}
	g.get("/api/get-support-tickets?page=2&limit=20&status=open&category=other&priority=low&search=TKT", bearer(admin)).
		is(http.StatusOK, `{"data":[{`+ticketFields+`}],"pagination":{"page":2,"limit":20,"total":101,"totalPages":6}}`)
	got, _ := g.support.last()
	want := &supportv1.ListTicketsRequest{Page: 2, Limit: 20, Filter: &supportv1.Filter{
		Status: supportv1.Status_STATUS_OPEN, Category: supportv1.Category_CATEGORY_OTHER, Priority: supportv1.Priority_PRIORITY_LOW, Search: "TKT",
	}}
	if !proto.Equal(got.(proto.Message), want) {
		t.Errorf("support was asked %v", got)
	}
	g.support.page = &supportv1.ListTicketsResponse{Total: 100}
	g.get("/api/get-support-tickets?page=3", bearer(admin)).is(http.StatusOK, `{"data":[],"pagination":{"page":3,"limit":50,"total":100,"totalPages":2}}`)
}

func TestOneTicket(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC))
	g.support.detail = &supportv1.GetTicketResponse{
		Ticket:   aTicket(),
		Messages: []*supportv1.Message{{Id: anyID, Author: supportv1.Author_AUTHOR_CUSTOMER, Body: "Hm", CreatedAt: at, AuthorEmail: "user@example.com"}},
		History: []*supportv1.Change{
			{Id: "1", At: at, ActorEmail: "admin@example.com", Field: "status", From: "open", To: "in_progress"},
			{Id: "2", At: at, ActorEmail: "user@example.com", Field: "message", To: "customer"},
		},
	}
	g.get("/api/get-support-ticket?id="+anyID, bearer(admin)).is(http.StatusOK, `{"data":{`+ticketFields+`,
		"messages":[{"id":"`+anyID+`","author":"customer","body":"Hm","created_at":"2026-01-02T03:04:06Z","author_email":"user@example.com"}],
		"history":[{"id":"1","at":"2026-01-02T03:04:06Z","actor_email":"admin@example.com","field":"status","from":"open","to":"in_progress"},
		{"id":"2","at":"2026-01-02T03:04:06Z","actor_email":"user@example.com","field":"message","from":null,"to":"customer"}]}}`)
	before := g.support.count()
	for _, bad := range []string{"", "?id=", "?id=TKT-000123", "?id=7", "?id={" + anyID + "}", "?id=" + anyID + "&id=" + anyID, "?ticketId=" + anyID} {
		g.get("/api/get-support-ticket"+bad, bearer(admin)).is(http.StatusBadRequest)
	}
	if g.support.count() != before {
		t.Error("a refused request reached support")
	}
}

func TestUpdatingATicket(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	update := func(body string) answer {
		return g.do(http.MethodPut, "/api/update-support-ticket", bearer(admin), jsonBody(body))
	}
	update(updateBody).is(http.StatusOK, `{"data":{`+ticketFields+`}}`)
	got, _ := g.support.last()
	want := &supportv1.UpdateTicketRequest{Id: anyID, Status: supportv1.Status_STATUS_RESOLVED, Response: "Done", Version: 3}
	if !proto.Equal(got.(proto.Message), want) {
		t.Errorf("support was asked %v", got)
	}
	for _, silent := range []string{`,"adminResponse":""`, `,"adminResponse":null`, `,"version":null`, ``} {
		update(`{"ticketId":"` + anyID + `","status":"closed"` + silent + `}`).is(http.StatusOK)
		got, _ = g.support.last()
		if r := got.(*supportv1.UpdateTicketRequest); r.GetResponse() != "" || r.GetVersion() != 0 {
			t.Errorf("%s: support was asked %v", silent, r)
		}
	}
	before := g.support.count()
	for _, status := range []string{`"open"`, `""`, `"Resolved"`, `"IN_PROGRESS"`, `"in progress"`, `"all"`, `null`, `2`, `["closed"]`} {
		update(`{"ticketId":"` + anyID + `","status":` + status + `}`).is(http.StatusBadRequest)
	}
	for _, id := range []string{`"TKT-000123"`, `""`, `null`, `7`, `{"$ne":1}`, `"` + strings.Repeat("x", 300) + `"`} {
		update(`{"ticketId":` + id + `,"status":"closed"}`).is(http.StatusBadRequest)
	}
	for _, extra := range []string{`"version":0`, `"version":-1`, `"version":1.5`, `"version":"1"`, `"adminResponse":"` + strings.Repeat("é", 10_001) + `"`, `"priority":"low"`} {
		update(`{"ticketId":"` + anyID + `","status":"closed",` + extra + `}`).is(http.StatusBadRequest)
	}
	if g.support.count() != before {
		t.Error("a refused update reached support")
	}
	a := g.post("/api/update-support-ticket", updateBody, bearer(admin)).fails(http.StatusMethodNotAllowed, "method_not_allowed")
	if a.header.Get("Allow") != http.MethodPut {
		t.Errorf("Allow %q", a.header.Get("Allow"))
	}
}

func TestAStaleUpdateShowsTheTicket(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	g.support.stale = true
	a := g.do(http.MethodPut, "/api/update-support-ticket", bearer(admin), jsonBody(updateBody)).fails(http.StatusConflict, "stale_ticket")
	want := fmt.Sprintf(`{"error":"Somebody else has changed this ticket in the meantime.","code":"stale_ticket","requestId":%q,"current":{%s}}`,
		a.header.Get("X-Request-Id"), ticketFields)
	a.is(http.StatusConflict, want)
	g.support.fail(fault.New(fault.NotFound, "ticket_not_found", "There is no such ticket."))
	g.do(http.MethodPut, "/api/update-support-ticket", bearer(admin), jsonBody(updateBody)).fails(http.StatusNotFound, "ticket_not_found")
}

func TestUpdatingManyTickets(t *testing.T) {
	g := ready(t)
	_, admin := g.issuer.Admin("admin@example.com")
	g.support.bulk = &supportv1.BulkUpdateTicketsResponse{Results: []*supportv1.BulkUpdateTicketsResponse_Result{
		{Id: anyID}, {Id: otherID, Error: "There is no such ticket.", Code: "ticket_not_found"},
	}}
	body := `{"tickets":[{"ticketId":"` + anyID + `","version":3},{"ticketId":"` + otherID + `"}],"status":"in_progress"}`
	g.post("/api/bulk-update-support-tickets", body, bearer(admin)).is(http.StatusOK, `{"results":[{"ticketId":"`+anyID+`","ok":true},
		{"ticketId":"`+otherID+`","ok":false,"error":"There is no such ticket.","code":"ticket_not_found"}]}`)
	got, _ := g.support.last()
	want := &supportv1.BulkUpdateTicketsRequest{Status: supportv1.Status_STATUS_IN_PROGRESS, Tickets: []*supportv1.BulkUpdateTicketsRequest_Item{
		{Id: anyID, Version: 3}, {Id: otherID},
	}}
	if !proto.Equal(got.(proto.Message), want) {
		t.Errorf("support was asked %v", got)
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf(`{"ticketId":"1d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d%04x"}`, i)
	}
	g.post("/api/bulk-update-support-tickets", `{"tickets":[`+strings.Join(many[:100], ",")+`],"status":"closed"}`, bearer(admin)).is(http.StatusOK)
	before := g.support.count()
	for _, tickets := range []string{
		`[]`, `null`, `[{}]`, `[{"ticketId":"TKT-000123"}]`, `[{"ticketId":"` + anyID + `","version":0}]`, `[null]`, `{"ticketId":"` + anyID + `"}`,
		`[{"ticketId":"` + anyID + `"},{"ticketId":"` + strings.ToUpper(anyID) + `"}]`, `[` + strings.Join(many, ",") + `]`,
	} {
		g.post("/api/bulk-update-support-tickets", `{"tickets":`+tickets+`,"status":"closed"}`, bearer(admin)).is(http.StatusBadRequest)
	}
	g.post("/api/bulk-update-support-tickets", strings.Replace(bulkBody, "closed", "open", 1), bearer(admin)).fails(http.StatusBadRequest, "invalid_status")
	if g.support.count() != before {
		t.Error("a refused request reached support")
	}
}
