package support_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"google.golang.org/protobuf/types/known/timestamppb"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/errtest"
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

// TestATeamThatCannotBeReachedIsSeen, for the alert.
func TestATeamThatCannotBeReachedIsSeen(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ address, want string }{{"team@fledge.example", "1"}, {"others@fledge.example", "0"}, {"", "0"}} {
		r.environ["TEAM_ADDRESS"] = c.address
		s := r.serve()
		_, err := s.Report(t.Context(), &mailv1.ReportRequest{Events: []*mailv1.Event{
			{Id: "1", Address: "team@fledge.example", Kind: mailv1.Kind_KIND_BOUNCED, Reason: "550 5.1.1", At: timestamppb.Now()},
		}})
		errtest.None(t, err)
		want := "# HELP support_team_unreachable 1 while emails to TEAM_ADDRESS do not arrive, as far as is known.\n# TYPE support_team_unreachable gauge\nsupport_team_unreachable " + c.want + "\n"
		if err := testutil.GatherAndCompare(s.rt.Metrics, strings.NewReader(want), "support_team_unreachable"); err != nil {
			t.Errorf("%q: %v", c.address, err)
		}
	}
}
