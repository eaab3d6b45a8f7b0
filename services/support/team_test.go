package support_test

import (
	"slices"
	"testing"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

// TestTheTeamIsTold of each new ticket and each message of a customer, and of nothing that staff
// do.
func TestTheTeamIsTold(t *testing.T) {
	r := newRig(t)
	r.environ["TEAM_ADDRESS"] = "team@fledge.example"
	s := r.serve()
	customer := r.asUser("ada@example.com")
	id := r.openTicket(customer, s, "help").GetId()
	if _, err := s.UpdateTicket(r.asAdmin(), &supportv1.UpdateTicketRequest{Id: id, Response: "Which version?"}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second is a repetition
		if _, err := s.ReplyToTicket(customer, &supportv1.ReplyToTicketRequest{Id: id, Message: "1.2", IdempotencyKey: "reply"}); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	for _, d := range r.sent(4) {
		told = append(told, d.To+" "+d.Header.Get("Subject"))
	}
	slices.Sort(told)
	// The customer's subject is encoded.
	if told[2] != "team@fledge.example [TKT-000001] New message from a customer" || told[3] != "team@fledge.example [TKT-000001] New ticket" {
		t.Errorf("sent %q", told)
	}
	if e := r.effects(); e.Emails != 4 {
		t.Errorf("%d emails", e.Emails)
	}
}
