package support_test

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/errtest"
)

// TestStaffSeeWhoElseHasATicketOpen, until they close it or are not heard of.
func TestStaffSeeWhoElseHasATicketOpen(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	id := r.openTicket(r.asUser("ada@example.com"), s, "help").GetId()
	_, ann := r.issuer.Admin("ann@example.com")
	_, bea := r.issuer.Admin("bea@example.com")
	view := func(token string, req *supportv1.ViewTicketRequest) []*supportv1.Viewer {
		t.Helper()
		req.Id = id
		resp, err := s.ViewTicket(r.as(token), req)
		errtest.None(t, err)
		return resp.GetOthers()
	}
	if others := view(ann, &supportv1.ViewTicketRequest{}); len(others) != 0 {
		t.Errorf("ann sees %v", others)
	}
	if others := view(bea, &supportv1.ViewTicketRequest{Writing: true}); len(others) != 1 || others[0].GetEmail() != "ann@example.com" || others[0].GetWriting() {
		t.Errorf("bea sees %v", others)
	}
	if others := view(ann, &supportv1.ViewTicketRequest{}); len(others) != 1 || !others[0].GetWriting() {
		t.Errorf("ann sees %v", others)
	}
	view(bea, &supportv1.ViewTicketRequest{Left: true})
	if others := view(ann, &supportv1.ViewTicketRequest{}); len(others) != 0 {
		t.Errorf("after bea has left, ann sees %v", others)
	}
	r.exec("UPDATE ticket_viewers SET seen_at = seen_at - interval '1 minute'")
	if others := view(bea, &supportv1.ViewTicketRequest{}); len(others) != 0 {
		t.Errorf("a minute later, bea sees %v", others)
	}
	for _, change := range []supportv1.Priority{supportv1.Priority_PRIORITY_LOW, supportv1.Priority_PRIORITY_HIGH} {
		edited, err := s.EditTicket(r.as(bea), &supportv1.EditTicketRequest{Id: id, Priority: change})
		errtest.None(t, err)
		seen, err := s.ViewTicket(r.as(ann), &supportv1.ViewTicketRequest{Id: id})
		if err != nil || seen.GetVersion() != edited.GetTicket().GetVersion() || seen.GetVersion() < 2 {
			t.Errorf("ann is told of version %d, %v; it is %d", seen.GetVersion(), err, edited.GetTicket().GetVersion())
		}
	}
	for _, words := range []string{"A note.", "Another."} { // which make no version
		noted, err := s.AddNote(r.as(bea), &supportv1.AddNoteRequest{Id: id, Note: words})
		errtest.None(t, err)
		seen, err := s.ViewTicket(r.as(ann), &supportv1.ViewTicketRequest{Id: id})
		if err != nil || seen.GetLastNote() == "" || seen.GetLastNote() != noted.GetNote().GetId() {
			t.Errorf("ann is told of note %q, %v; it is %v", seen.GetLastNote(), err, noted)
		}
	}
	_, err := s.ViewTicket(r.as(ann), &supportv1.ViewTicketRequest{Id: "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"})
	if status.Code(err) != codes.NotFound {
		t.Errorf("no ticket: %v", err)
	}
}

// TestATicketForSomebody is theirs, is mailed to them as it is, and names who opened it to staff.
func TestATicketForSomebody(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	adaID, token := r.issuer.User("ada@example.com")
	_, mod := r.issuer.Admin("mod@example.com")
	req := &supportv1.OpenTicketForRequest{UserId: adaID, Category: supportv1.Category_CATEGORY_BILLING, Message: "Charged twice, she says.", IdempotencyKey: "k"}
	var id string
	for range 2 { // the second is a repetition
		made, err := s.OpenTicketFor(r.as(mod), req)
		if err != nil || made.GetTicket().GetUserEmail() != "ada@example.com" {
			t.Fatalf("%v, %v", made, err)
		}
		id = made.GetTicket().GetId()
	}
	if receipt := r.sent(1)[0]; receipt.To != "ada@example.com" || receipt.Header.Get("Subject") != "[TKT-000001] Your message to Fledge" {
		t.Errorf("sent %v", receipt)
	}
	mine, err := s.ListMyTickets(r.as(token), &supportv1.ListMyTicketsRequest{})
	if err != nil || len(mine.GetThreads()) != 1 || mine.GetThreads()[0].GetTicket().GetId() != id {
		t.Errorf("ada sees %v, %v", mine, err)
	}
	whole, err := s.GetTicket(r.as(mod), &supportv1.GetTicketRequest{Id: id})
	if h := whole.GetHistory(); err != nil || len(h) != 1 || h[0].GetField() != "opened" || h[0].GetActorEmail() != "mod@example.com" {
		t.Errorf("history %v, %v", h, err)
	}
	if e := r.effects(); e.Tickets != 1 || e.Events != 1 || e.Emails != 1 {
		t.Errorf("left behind %+v", e)
	}
	req.UserId, req.IdempotencyKey = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8", "l"
	if _, err := s.OpenTicketFor(r.as(mod), req); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("for nobody: %v", err)
	}
}
