package support_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/fault"
)

func TestAPageOfTickets(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Get("/api/get-support-tickets", apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[],"pagination":{"page":1,"limit":50,"total":0,"totalPages":0}}`)
	g.Support.Page = &supportv1.ListTicketsResponse{Tickets: []*supportv1.Ticket{apitest.ATicket()}, Total: 101}
	g.Get("/api/get-support-tickets?page=2&limit=20&status=open&category=other&priority=low&search=TKT", apitest.Bearer(admin)).
		Is(http.StatusOK, `{"data":[{`+apitest.TicketFields+`}],"pagination":{"page":2,"limit":20,"total":101,"totalPages":6}}`)
	got, _ := g.Support.Last()
	want := &supportv1.ListTicketsRequest{Page: 2, Limit: 20, Filter: &supportv1.Filter{
		Status: supportv1.Status_STATUS_OPEN, Category: supportv1.Category_CATEGORY_OTHER, Priority: supportv1.Priority_PRIORITY_LOW, Search: "TKT",
	}}
	if !proto.Equal(got.(proto.Message), want) {
		t.Errorf("support was asked %v", got)
	}
	g.Identity.States = &identityv1.ListUserStatesResponse{States: []*identityv1.EmailState{
		{Email: apitest.ATicket().GetUserEmail(), State: identityv1.UserState_USER_STATE_DELETING},
	}}
	g.Get("/api/get-support-tickets", apitest.Bearer(admin)).
		Is(http.StatusOK, `{"data":[{`+apitest.TicketFields+`,"user_state":"deleting"}],"pagination":{"page":1,"limit":50,"total":101,"totalPages":3}}`)
	g.Support.Page = &supportv1.ListTicketsResponse{Total: 1, Snippets: map[string]string{apitest.AnyID: "…the hit…"}}
	g.Get("/api/get-support-tickets?search=hit", apitest.Bearer(admin)).Is(http.StatusOK,
		`{"data":[],"pagination":{"page":1,"limit":50,"total":1,"totalPages":1},"snippets":{"`+apitest.AnyID+`":"…the hit…"}}`)
	g.Support.Page = &supportv1.ListTicketsResponse{Total: 100}
	g.Get("/api/get-support-tickets?page=3", apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[],"pagination":{"page":3,"limit":50,"total":100,"totalPages":2}}`)
}

func TestOneTicket(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC))
	g.Support.Detail = &supportv1.GetTicketResponse{
		Ticket:   apitest.ATicket(),
		Messages: []*supportv1.Message{{Id: apitest.AnyID, Author: supportv1.Author_AUTHOR_CUSTOMER, Body: "Hm", CreatedAt: at, AuthorEmail: "user@example.com"}},
		History: []*supportv1.Change{
			{Id: "1", At: at, ActorEmail: "admin@example.com", Field: "status", From: "open", To: "in_progress"},
			{Id: "2", At: at, ActorEmail: "user@example.com", Field: "message", To: "customer"},
		},
		MailTrouble: &mailv1.Trouble{State: mailv1.Trouble_STATE_BOUNCED, Reason: "550 5.1.1", At: at},
	}
	g.Get("/api/get-support-ticket?id="+apitest.AnyID, apitest.Bearer(admin)).Is(http.StatusOK, `{"data":{`+apitest.TicketFields+`,
		"messages":[{"id":"`+apitest.AnyID+`","author":"customer","body":"Hm","created_at":"2026-01-02T03:04:06Z","author_email":"user@example.com"}],"earlier":false,"notes":[],
		"history":[{"id":"1","at":"2026-01-02T03:04:06Z","actor_email":"admin@example.com","field":"status","from":"open","to":"in_progress"},
		{"id":"2","at":"2026-01-02T03:04:06Z","actor_email":"user@example.com","field":"message","from":null,"to":"customer"}],"mail_trouble":{"state":"bounced","reason":"550 5.1.1","at":"2026-01-02T03:04:06Z"}}}`)
	before := g.Support.Count()
	for _, bad := range []string{"?id=" + apitest.AnyID + "&id=" + apitest.AnyID, "?ticketId=" + apitest.AnyID} {
		g.Get("/api/get-support-ticket"+bad, apitest.Bearer(admin)).Is(http.StatusBadRequest)
	}
	if g.Support.Count() != before {
		t.Error("a refused request reached support")
	}
}

func TestUpdatingATicket(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	update := func(body string) apitest.Answer {
		return g.Do(http.MethodPut, "/api/update-support-ticket", apitest.Bearer(admin), apitest.JSONBody(body))
	}
	update(apitest.UpdateBody).Is(http.StatusOK, `{"data":{`+apitest.TicketFields+`}}`)
	got, _ := g.Support.Last()
	want := &supportv1.UpdateTicketRequest{Id: apitest.AnyID, Status: supportv1.Status_STATUS_RESOLVED, Response: "Done", Version: 3}
	if !proto.Equal(got.(proto.Message), want) {
		t.Errorf("support was asked %v", got)
	}
	for _, silent := range []string{`,"adminResponse":""`, `,"adminResponse":null`, `,"version":null`, ``} {
		update(`{"ticketId":"` + apitest.AnyID + `","status":"closed"` + silent + `}`).Is(http.StatusOK)
		got, _ = g.Support.Last()
		if r := got.(*supportv1.UpdateTicketRequest); r.GetResponse() != "" || r.GetVersion() != 0 {
			t.Errorf("%s: support was asked %v", silent, r)
		}
	}
	update(`{"ticketId":"` + apitest.AnyID + `","status":"Resolved","version":0}`).Is(http.StatusOK)
	if got, _ = g.Support.Last(); got.(*supportv1.UpdateTicketRequest).GetStatus() != -1 || got.(*supportv1.UpdateTicketRequest).GetVersion() != -1 {
		t.Errorf("support was asked %v", got)
	}
	before := g.Support.Count()
	for _, status := range []string{`2`, `["closed"]`} {
		update(`{"ticketId":"` + apitest.AnyID + `","status":` + status + `}`).Is(http.StatusBadRequest)
	}
	for _, id := range []string{`7`, `{"$ne":1}`} {
		update(`{"ticketId":` + id + `,"status":"closed"}`).Is(http.StatusBadRequest)
	}
	for _, extra := range []string{`"version":1.5`, `"version":"1"`, `"priority":"low"`} {
		update(`{"ticketId":"` + apitest.AnyID + `","status":"closed",` + extra + `}`).Is(http.StatusBadRequest)
	}
	if g.Support.Count() != before {
		t.Error("a refused update reached support")
	}
	a := g.Post("/api/update-support-ticket", apitest.UpdateBody, apitest.Bearer(admin)).Fails(http.StatusMethodNotAllowed, "method_not_allowed")
	if a.Header.Get("Allow") != http.MethodPut {
		t.Errorf("Allow %q", a.Header.Get("Allow"))
	}
}

func TestAStaleUpdateShowsTheTicket(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Support.Stale = true
	a := g.Do(http.MethodPut, "/api/update-support-ticket", apitest.Bearer(admin), apitest.JSONBody(apitest.UpdateBody)).Fails(http.StatusConflict, "stale_ticket")
	want := fmt.Sprintf(`{"error":"Somebody else has changed this ticket in the meantime.","code":"stale_ticket","requestId":%q,"current":{%s}}`,
		a.Header.Get("X-Request-Id"), apitest.TicketFields)
	a.Is(http.StatusConflict, want)
	g.Support.Fail(fault.New(fault.NotFound, "ticket_not_found", "There is no such ticket."))
	g.Do(http.MethodPut, "/api/update-support-ticket", apitest.Bearer(admin), apitest.JSONBody(apitest.UpdateBody)).Fails(http.StatusNotFound, "ticket_not_found")
}

func TestUpdatingManyTickets(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Support.Bulk = &supportv1.BulkUpdateTicketsResponse{Results: []*supportv1.BulkUpdateTicketsResponse_Result{
		{Id: apitest.AnyID}, {Id: apitest.OtherID, Error: "There is no such ticket.", Code: "ticket_not_found"},
	}}
	body := `{"tickets":[{"ticketId":"` + apitest.AnyID + `","version":3},{"ticketId":"` + apitest.OtherID + `"}],"status":"in_progress"}`
	g.Post("/api/bulk-update-support-tickets", body, apitest.Bearer(admin)).Is(http.StatusOK, `{"results":[{"ticketId":"`+apitest.AnyID+`","ok":true},
		{"ticketId":"`+apitest.OtherID+`","ok":false,"error":"There is no such ticket.","code":"ticket_not_found"}]}`)
	got, _ := g.Support.Last()
	want := &supportv1.BulkUpdateTicketsRequest{Status: supportv1.Status_STATUS_IN_PROGRESS, Tickets: []*supportv1.BulkUpdateTicketsRequest_Item{
		{Id: apitest.AnyID, Version: 3}, {Id: apitest.OtherID},
	}}
	if !proto.Equal(got.(proto.Message), want) {
		t.Errorf("support was asked %v", got)
	}
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf(`{"ticketId":"1d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d%04x"}`, i)
	}
	g.Post("/api/bulk-update-support-tickets", `{"tickets":[`+strings.Join(many[:100], ",")+`],"status":"closed"}`, apitest.Bearer(admin)).Is(http.StatusOK)
	before := g.Support.Count()
	g.Post("/api/bulk-update-support-tickets", `{"tickets":{"ticketId":"`+apitest.AnyID+`"},"status":"closed"}`, apitest.Bearer(admin)).Is(http.StatusBadRequest)
	if g.Support.Count() != before {
		t.Error("a refused request reached support")
	}
}
