package support_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

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

// TestWhoLeavesTheStaff gives back their tickets, and can be given no others; not so whoever has another role of it now.
func TestWhoLeavesTheStaff(t *testing.T) {
	for consumer, told := range map[string]func(id string) (string, proto.Message){
		"support-leavers": func(id string) (string, proto.Message) {
			return "roles_changed", &eventsv1.UserRolesChanged{UserId: id}
		},
		"support-user-disabled": func(id string) (string, proto.Message) { return "disabled", &eventsv1.UserDisabled{UserId: id} },
	} {
		t.Run(consumer, func(t *testing.T) { whoLeavesTheStaff(t, consumer, told) })
	}
}

func whoLeavesTheStaff(t *testing.T, consumer string, told func(id string) (string, proto.Message)) {
	r := newRig(t)
	s := r.serve()
	staff := map[string]string{}
	for _, name := range []string{"cyd", "dan"} {
		id, token := r.issuer.Admin(name + "@example.com")
		ticket := r.openTicket(r.asUser(name+"@example.org"), s, "help").GetId()
		if _, err := s.EditTicket(r.as(token), &supportv1.EditTicketRequest{Id: ticket, AssigneeId: &id}); err != nil {
			t.Fatal(err)
		}
		staff[name] = id
	}
	r.issuer.SetAdmin(staff["cyd"], false)
	for _, id := range staff {
		kind, payload := told(id)
		ev := bus.Event{ID: uuid.New(), Type: "fledge.identity.v1.user." + kind, Subject: id, Time: time.Now(), Payload: payload}
		r.nats.Publish("identity", ev)
		waittest.Eventually(t, "the event is read", func() bool {
			return r.count("SELECT count(*) FROM inbox WHERE consumer = '"+consumer+"' AND event_id = '"+ev.ID.String()+"'") == 1
		})
	}
	free, err := s.ListTickets(r.asAdmin(), &supportv1.ListTicketsRequest{Filter: &supportv1.Filter{Queue: supportv1.Queue_QUEUE_UNASSIGNED}})
	if err != nil || len(free.GetTickets()) != 1 || free.GetTickets()[0].GetUserEmail() != "cyd@example.org" {
		t.Fatalf("nobody's are %v, %v", free.GetTickets(), err)
	}
	id, cyd := free.GetTickets()[0].GetId(), staff["cyd"]
	whole, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: id})
	if h := whole.GetHistory(); err != nil || len(h) != 2 || h[1].GetActorEmail() != "cyd@example.com" || h[1].GetFrom() != "cyd@example.com" || h[1].GetTo() != "" {
		t.Errorf("the history is %v, %v", h, err)
	}
	if _, err := s.EditTicket(r.asAdmin(), &supportv1.EditTicketRequest{Id: id, AssigneeId: &cyd}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("the ticket is given to whoever has left: %v", err)
	}
	desk, err := s.GetDesk(r.asAdmin(), &supportv1.GetDeskRequest{})
	if err != nil || slices.ContainsFunc(desk.GetStaff(), func(m *supportv1.StaffMember) bool { return m.GetId() == cyd }) {
		t.Errorf("the staff are %v, %v", desk.GetStaff(), err)
	}
}
