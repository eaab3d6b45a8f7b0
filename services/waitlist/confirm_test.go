package waitlist_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/waittest"
)

var confirmLink = regexp.MustCompile(`/confirm-waitlist#([0-9a-f-]{36})`)

// confirming has addresses confirmed.
func confirming(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.environ["CONFIRM_SIGN_UPS"] = "true"
	return r
}

func (r *rig) confirmToken(address string) string {
	r.t.Helper()
	waittest.Eventually(r.t, "the email arrives", func() bool { return r.mailbox.count(address) > 0 })
	_, bodies := r.mailbox.to(address)
	link := confirmLink.FindStringSubmatch(plain(bodies[0]))
	if link == nil {
		r.t.Fatalf("no link in %s", bodies[0])
	}
	return link[1]
}

func TestAnAddressIsConfirmedByTheLinkInItsEmail(t *testing.T) {
	t.Parallel()
	r := confirming(t)
	s := r.serve()
	join := &waitlistv1.JoinRequest{Email: "ada@example.com", Source: waitlistv1.Source_SOURCE_HERO_SECTION}
	for range 2 { // new and known addresses get the same answer
		if resp, err := s.Join(t.Context(), join); err != nil || !resp.GetConfirm() {
			t.Fatalf("%v, %v", resp, err)
		}
	}
	token := r.confirmToken("ada@example.com")
	list, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{})
	if err != nil || len(list.GetUsers()) != 0 || list.GetUnconfirmed() != 1 {
		t.Errorf("before the confirmation staff see %v, %v", list, err)
	}
	waittest.Eventually(t, "staff see that the email was sent", func() bool {
		waiting, err := s.ListUnconfirmed(r.asAdmin(), &waitlistv1.ListUnconfirmedRequest{Search: "ada"})
		return err == nil && len(waiting.GetSignUps()) == 1 && waiting.GetSignUps()[0].GetMail() == waitlistv1.Mail_MAIL_SENT
	})
	if _, err := s.Confirm(t.Context(), &waitlistv1.ConfirmRequest{Token: token}); err != nil {
		t.Fatal(err)
	}
	list, err = s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{})
	if err != nil || len(list.GetUsers()) != 1 || list.GetUsers()[0].GetStatus() != waitlistv1.Status_STATUS_PENDING || list.GetUnconfirmed() != 0 {
		t.Errorf("after it %v, %v", list, err)
	}
	if _, err := s.Confirm(t.Context(), &waitlistv1.ConfirmRequest{Token: "ada"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a token that is none: %v", err)
	}
	if n := r.mailbox.count("ada@example.com"); n != 1 {
		t.Errorf("%d emails", n)
	}
}

// TestNothingHappensToUnconfirmedPeople: a wave and an approval of all leave them out.
func TestNothingHappensToUnconfirmedPeople(t *testing.T) {
	t.Parallel()
	r := confirming(t)
	s := r.serve()
	r.join(s, "ada@example.com")
	r.confirmToken("ada@example.com")
	if _, err := s.StartWave(r.asAdmin(), &waitlistv1.StartWaveRequest{Id: uuid.NewString()}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a wave of nobody: %v", err)
	}
	stats, err := s.GetStats(r.asAdmin(), &waitlistv1.GetStatsRequest{})
	if err != nil || stats.GetTotal() != 0 || slices.ContainsFunc(stats.GetDays(), func(d *waitlistv1.DayStats) bool { return d.GetSignUps() > 0 }) {
		t.Errorf("statistics %v, %v", stats, err)
	}
	_, token := r.issuer.User("ada@example.com")
	if got := r.status(s, token); got != waitlistv1.Status_STATUS_UNSPECIFIED {
		t.Errorf("on the list as %s", got)
	}
	chunk, err := s.ExportUsers(r.asAdmin(), &waitlistv1.ExportUsersRequest{})
	if err != nil || len(chunk.GetUsers()) != 0 {
		t.Errorf("exported %v, %v", chunk, err)
	}
}
