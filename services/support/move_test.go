package support_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/waittest"
)

// TestTicketsFollowTheirCustomer to another address: emails go there, and staff find them by it. Those of
// others stay.
func TestTicketsFollowTheirCustomer(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	id, token := r.issuer.User("ada@old.example")
	ticket := r.openTicket(r.as(token), s, "help").GetId()
	r.openTicket(r.asUser("bob@old.example"), s, "help, too")
	r.sent(2)
	// An admin who has the ticket.
	admin, adminToken := r.issuer.Admin("cyd@old.example")
	if _, err := s.EditTicket(r.as(adminToken), &supportv1.EditTicketRequest{Id: ticket, AssigneeId: &admin}); err != nil {
		t.Fatal(err)
	}
	for account, email := range map[string]string{id: "ada@new.example", admin: "cyd@new.example"} {
		r.issuer.Token(account, email, nil) // from now on the account has this address
		ev := bus.Event{
			ID: uuid.New(), Type: "fledge.identity.v1.user.email_changed", Subject: account, Time: time.Now(),
			Payload: &eventsv1.UserEmailChanged{UserId: account},
		}
		r.nats.Publish("identity", ev)
		waittest.Eventually(t, "the event is read", func() bool {
			return r.count("SELECT count(*) FROM inbox WHERE consumer = 'support-user-email-changed' AND event_id = '"+ev.ID.String()+"'") == 1
		})
	}
	if n := r.count("SELECT count(*) FROM tickets WHERE user_email = 'ada@new.example' AND assignee_email = 'cyd@new.example'"); n != 1 {
		t.Errorf("%d tickets have moved", n)
	}
	if n := r.count("SELECT count(*) FROM desk_staff WHERE email = 'cyd@new.example'"); n != 1 {
		t.Errorf("%d members of staff have", n)
	}
	if _, err := s.UpdateTicket(r.asAdmin(), &supportv1.UpdateTicketRequest{Id: ticket, Status: supportv1.Status_STATUS_RESOLVED, Response: "Solved."}); err != nil {
		t.Fatal(err)
	}
	if last := r.sent(3)[2]; last.To != "ada@new.example" {
		t.Errorf("the answer goes to %q", last.To)
	}
	waittest.Eventually(t, "staff find the ticket by the new address", func() bool {
		found, err := s.ListTickets(r.asAdmin(), &supportv1.ListTicketsRequest{Filter: &supportv1.Filter{Search: "ada@new"}})
		return err == nil && len(found.GetTickets()) == 1
	})
}
