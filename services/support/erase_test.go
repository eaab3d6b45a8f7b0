package support_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
)

// person is somebody who has a ticket with all that can be in it, and who as staff has answered
// another customer's, has it open, and is told of what customers write.
func (r *rig) person(s instance, name, customersTicket string) (account erasure.Account, token string) {
	r.t.Helper()
	email := name + "@example.com"
	id, token := r.issuer.Admin(email)
	own := r.openTicket(r.as(token), s, "I am "+email).GetId()
	if _, err := s.ReplyToTicket(r.as(token), &supportv1.ReplyToTicketRequest{Id: own, Message: "I am still " + email, IdempotencyKey: "reply"}); err != nil {
		r.t.Fatal(err)
	}
	for _, ticket := range []string{own, customersTicket} {
		_, err := s.UpdateTicket(r.as(token), &supportv1.UpdateTicketRequest{Id: ticket, Status: supportv1.Status_STATUS_RESOLVED, Response: "Solved by " + name + "."})
		errtest.None(r.t, err)
		if _, err := s.AddNote(r.as(token), &supportv1.AddNoteRequest{Id: ticket, Note: "A note."}); err != nil {
			r.t.Fatal(err)
		}
		if _, err := s.EditTicket(r.as(token), &supportv1.EditTicketRequest{Id: ticket, AssigneeId: &id}); err != nil {
			r.t.Fatal(err)
		}
	}
	if _, err := s.ViewTicket(r.as(token), &supportv1.ViewTicketRequest{Id: customersTicket}); err != nil {
		r.t.Fatal(err)
	}
	if _, err := s.SetNotices(r.as(token), &supportv1.SetNoticesRequest{Notices: supportv1.Notices_NOTICES_DAILY}); err != nil {
		r.t.Fatal(err)
	}
	return erasure.Account{ID: uuid.MustParse(id), Emails: []string{email, name + "@old.example.com"}}, token
}

// TestADeletedAccountLeavesOnlyItsIdWhereItWasStaff, also when the process is killed between any two steps.
func TestADeletedAccountLeavesOnlyItsIdWhereItWasStaff(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	customer := r.asUser("customer@example.org")
	ticket := r.openTicket(customer, s, "help").GetId()
	ann, token := r.person(s, "ann", ticket)
	joann, _ := r.person(s, "joann", ticket)
	r.sent(7) // three receipts, and an answer to each of the four updates
	others := erasuretest.Search(t, r.pool, joann.Words()...)
	before := r.effects()

	steps := []string{"inbox", "tickets", "ticket_messages", "desk_staff", "staff_news", "ticket_viewers", "outbox"}
	erasuretest.Kill(t, r.pool, "inbox", steps...)
	for n := range 2 { // the second is a repetition
		erasuretest.Delete(t, r.nats, r.pool, "support", ann)
		if n == 0 {
			erasuretest.Killed(t, r.pool, steps...)
		}
		if found := erasuretest.Search(t, r.pool, ann.Emails...); len(found) != 0 {
			t.Errorf("an address is still in %q", found)
		}
		// What staff did to the customer's ticket, and the answer.
		want := []string{"outbox.subject", "outbox.payload", "ticket_changes.actor_id", "ticket_messages.author_id", "ticket_notes.author_id"}
		if found := erasuretest.Search(t, r.pool, ann.ID.String()); !slices.Equal(found, want) {
			t.Errorf("the id is in %q", found)
		}
	}
	if found := erasuretest.Search(t, r.pool, joann.Words()...); !slices.Equal(found, others) {
		t.Errorf("the other person is in %q, was in %q", found, others)
	}
	// Nor does anything come back that is late.
	r.plan(ann.ID.String(), true, time.Now())
	if _, err := s.CreateTicket(r.as(token), &supportv1.CreateTicketRequest{Category: supportv1.Category_CATEGORY_BUG, Message: "late", IdempotencyKey: "late"}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a ticket of an account that is deleted: %v", err)
	}
	if found := erasuretest.Search(t, r.pool, ann.Words()...); len(found) != 5 {
		t.Errorf("what is late has left %q", found)
	}
	after := r.effects()
	// Of the events, ann's six are gone, and joann's that took a ticket from ann; the two answers are new.
	want := before
	want.Tickets, want.Versions, want.Messages, want.Changes, want.Emails = before.Tickets-1, before.Versions-4, before.Messages-2, before.Changes-4, before.Emails-2
	want.Events = before.Events - 7 + 2
	if after != want {
		t.Errorf("%+v is left of %+v, want %+v", after, before, want)
	}

	whole, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: ticket})
	if err != nil || len(whole.GetMessages()) != 2 {
		t.Fatalf("the customer's ticket: %v, %v", whole, err)
	}
	if m := whole.GetMessages()[0]; m.GetAuthorEmail() != "" || m.GetAuthor() != supportv1.Author_AUTHOR_STAFF || m.GetBody() != "Solved by ann." {
		t.Errorf("the answer of somebody who left: %v", m)
	}
	if h := whole.GetHistory()[0]; h.GetActorEmail() != "" {
		t.Errorf("the history names %v", h)
	}
	if got := whole.GetMessages()[1].GetAuthorEmail(); got != "joann@example.com" {
		t.Errorf("the other answer is by %q", got)
	}

	mine, err := s.ListMyTickets(r.as(token), &supportv1.ListMyTicketsRequest{})
	if err != nil || len(mine.GetThreads()) != 0 {
		t.Errorf("tickets are left: %v, %v", mine, err)
	}
}
