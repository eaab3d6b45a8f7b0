package support_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

// TestTheDeskIsForStaff: what only staff see of a ticket is in what they read, and left out of what
// customers do.
func TestTheDeskIsForStaff(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	_, user := g.Issuer.User("user@example.com")
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	worked := proto.Clone(apitest.ATicket()).(*supportv1.Ticket)
	worked.Desk = &supportv1.Desk{
		LastMessageAt: at, LastMessageBy: supportv1.Author_AUTHOR_CUSTOMER, WaitingSince: at, AnswerDue: at, AnsweredInTime: new(true),
		AssigneeId: apitest.OtherID, AssigneeEmail: "staff@example.com", Tags: []string{"crash"},
	}
	desk := `,"desk":{"last_message_at":"2026-01-02T03:04:05Z","last_message_by":"customer","waiting_since":"2026-01-02T03:04:05Z","answer_due":"2026-01-02T03:04:05Z","answered_in_time":true,
		"assignee_id":"` + apitest.OtherID + `","assignee_email":"staff@example.com","tags":["crash"]}`
	g.Support.Page = &supportv1.ListTicketsResponse{Tickets: []*supportv1.Ticket{worked}, Total: 1}
	g.Get("/api/get-support-tickets?queue=mine&tag=crash&sort=waiting", apitest.Bearer(admin)).Is(http.StatusOK,
		`{"data":[{`+apitest.TicketFields+desk+`}],"pagination":{"page":1,"limit":50,"total":1,"totalPages":1}}`)
	asked, _ := g.Support.Last()
	want := &supportv1.ListTicketsRequest{
		Filter: &supportv1.Filter{Queue: supportv1.Queue_QUEUE_MINE, Tag: "crash"}, Page: 1, Limit: 50, Sort: supportv1.Sort_SORT_WAITING,
	}
	if !proto.Equal(asked.(proto.Message), want) {
		t.Errorf("support was asked %v, want %v", asked, want)
	}
	g.Support.Mine = &supportv1.ListMyTicketsResponse{Threads: []*supportv1.Thread{{Ticket: apitest.ATicket(), Earlier: true}}}
	g.Get("/api/get-my-support-tickets", apitest.Bearer(user)).Is(http.StatusOK,
		`{"data":[{`+apitest.TicketFields+`,"messages":[],"earlier":true}],"nextCursor":null}`)
}

func TestAnAnswerAlone(t *testing.T) {
	g := apitest.Ready(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Do(http.MethodPut, "/api/update-support-ticket", apitest.JSONBody(`{"ticketId":"`+apitest.AnyID+`","adminResponse":"Hello","idempotencyKey":"k"}`), apitest.Bearer(admin)).Is(http.StatusOK)
	asked, _ := g.Support.Last()
	if want := (&supportv1.UpdateTicketRequest{Id: apitest.AnyID, Response: "Hello", IdempotencyKey: "k"}); !proto.Equal(asked.(proto.Message), want) {
		t.Errorf("support was asked %v, want %v", asked, want)
	}
}

// TestATicketIsOpenedForTheAccountOfAnAddress, in any case, and not for one whose address has more.
func TestATicketIsOpenedForTheAccountOfAnAddress(t *testing.T) {
	g := apitest.Ready(t)
	_, moderator := g.Issuer.Moderator("mod@example.com")
	open := func(email string) apitest.Answer {
		return g.Do(http.MethodPost, "/api/open-support-ticket-for", apitest.JSONBody(`{"email":"`+email+`","category":"bug","message":"Hello","idempotencyKey":"k"}`), apitest.Bearer(moderator))
	}
	open(" ZOE@example.com ").Is(http.StatusOK)
	asked, _ := g.Support.Last()
	want := &supportv1.OpenTicketForRequest{UserId: apitest.AnyID, Category: supportv1.Category_CATEGORY_BUG, Message: "Hello", IdempotencyKey: "k"}
	if !proto.Equal(asked.(proto.Message), want) {
		t.Errorf("support was asked %v, want %v", asked, want)
	}
	open("oe@example.com").Fails(http.StatusNotFound, "unknown_user")
	g.Identity.Users = &identityv1.ListUsersResponse{NextCursor: "c2", Users: []*identityv1.ListedUser{{User: &identityv1.User{Email: "chloe@example.com"}}}}
	open("zoe@example.com").Is(http.StatusOK)
}

// TestATicketForNoAddressLooksNobodyUp: "" is part of every address.
func TestATicketForNoAddressLooksNobodyUp(t *testing.T) {
	g := apitest.Ready(t)
	_, moderator := g.Issuer.Moderator("mod@example.com")
	for _, email := range []string{"", " ", "x", "a b", strings.Repeat("x", 300)} {
		g.Do(http.MethodPost, "/api/open-support-ticket-for", apitest.JSONBody(`{"email":"`+email+`","category":"bug","message":"Hello","idempotencyKey":"k"}`), apitest.Bearer(moderator)).Fails(http.StatusBadRequest, "invalid_email")
		if asked, _ := g.Identity.Last(); asked != nil {
			t.Errorf("of %.10q identity was asked %v", email, asked)
		}
	}
}
