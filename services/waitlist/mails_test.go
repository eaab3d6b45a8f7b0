package waitlist_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/waitlist"
)

// eventuallyMail waits until staff see this of the approval email to the address.
func (r *rig) eventuallyMail(s instance, address string, want waitlistv1.Mail, reply string) {
	r.t.Helper()
	waittest.Seen(r.t, "the email is "+want.String(), func() (bool, string) {
		resp, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{Search: address})
		if err != nil || len(resp.GetUsers()) != 1 {
			return false, resp.String()
		}
		u := resp.GetUsers()[0]
		return u.GetMail() == want && u.GetMailReply() == reply, resp.String()
	})
}

func TestStaffSeeWhoseEmailBouncedAndSendItAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	r.mailbox.refuse("gone@example.com")
	gone, ada := r.joined(s, "gone@example.com"), r.joined(s, "ada@example.com")
	r.approve(s, gone)
	r.approve(s, ada)
	r.eventuallyMail(s, "gone@example.com", waitlistv1.Mail_MAIL_BOUNCED, "550 5.1.1")
	r.eventuallyMail(s, "ada@example.com", waitlistv1.Mail_MAIL_SENT, "")
	list, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{Undelivered: true, Status: waitlistv1.Status_STATUS_APPROVED})
	if err != nil || list.GetUndelivered() != 1 || len(list.GetUsers()) != 1 || list.GetUsers()[0].GetId() != gone {
		t.Errorf("undelivered: %v, %v", list, err)
	}

	r.mailbox.refuse("")
	if _, err := s.ResendApproval(r.asAdmin(), &waitlistv1.ResendApprovalRequest{Id: gone}); err != nil {
		t.Fatal(err)
	}
	r.eventuallyMail(s, "gone@example.com", waitlistv1.Mail_MAIL_SENT, "")
	if n := r.mailbox.count("gone@example.com"); n != 1 {
		t.Errorf("%d emails arrived", n)
	}
	pending := r.joined(s, "pending@example.com")
	if _, err := s.ResendApproval(r.asAdmin(), &waitlistv1.ResendApprovalRequest{Id: pending}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("sent to somebody who was not approved: %v", err)
	}
}

// TestAdminsSendEmailsAgain from the list of emails, in their name.
func TestAdminsSendEmailsAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	r.mailbox.refuse("gone@example.com")
	r.approve(s, r.joined(s, "gone@example.com"))
	r.eventuallyMail(s, "gone@example.com", waitlistv1.Mail_MAIL_BOUNCED, "550 5.1.1")
	waittest.Eventually(t, "its job has ended", func() bool { return r.count(emailsQueued+" WHERE state = 'cancelled'") == 1 })
	r.mailbox.refuse("")
	ask := &mailv1.ListMailsRequest{State: mailv1.MailState_MAIL_STATE_BOUNCED}
	_, moderator := r.issuer.Moderator("moderator@example.com")
	if _, err := s.ListMails(r.as(moderator), ask); status.Code(err) != codes.PermissionDenied {
		t.Errorf("a moderator reads emails: %v", err)
	}
	list, err := s.ListMails(r.asAdmin(), ask)
	if err != nil || len(list.GetMails()) != 1 || list.GetMails()[0].GetTo() != "gone@example.com" {
		t.Fatalf("%v, %v", list, err)
	}
	id := list.GetMails()[0].GetId()
	changed, err := s.ChangeMails(r.asAdmin(), &mailv1.ChangeMailsRequest{Ids: []int64{id}, Action: mailv1.ChangeMailsRequest_ACTION_RESEND})
	if err != nil || !slices.Equal(changed.GetIds(), []int64{id}) {
		t.Fatalf("%v, %v", changed, err)
	}
	r.eventuallyMail(s, "gone@example.com", waitlistv1.Mail_MAIL_SENT, "")
	actions := audittest.Actions(t, r.pool)
	if last := actions[len(actions)-1]; last.GetAction() != "mail.resent" || last.GetActorEmail() != "admin@example.com" || !strings.Contains(last.GetBefore(), "bounced") || strings.Contains(last.String(), "gone@") {
		t.Errorf("recorded %v", last)
	}
}

func TestOperatorsSendBouncedEmailsAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	r.mailbox.refuse("gone@example.com")
	r.approve(s, r.joined(s, "gone@example.com"))
	r.eventuallyMail(s, "gone@example.com", waitlistv1.Mail_MAIL_BOUNCED, "550 5.1.1")
	waittest.Eventually(t, "its job has ended", func() bool { return r.count(emailsQueued+" WHERE state = 'cancelled'") == 1 })
	r.mailbox.refuse("")
	commands := waitlist.Commands()
	at := slices.IndexFunc(commands, func(c service.Command) bool { return c.Name == "mails" })
	var out bytes.Buffer
	err := commands[at].Run(t.Context(), service.Call{
		Args: []string{"resend", "operator@example.test", "gone@example.com"}, Environ: []string{"DATABASE_URL=" + r.environ["DATABASE_URL"]}, Out: &out,
		Runtime: service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)),
	})
	if err != nil || !strings.HasSuffix(out.String(), "1 resent\n") {
		t.Fatalf("%s, %v", &out, err)
	}
	r.eventuallyMail(s, "gone@example.com", waitlistv1.Mail_MAIL_SENT, "")
}

func TestWhoeverHasTheEmailCanLeave(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	approved, readmitted := r.joined(s, "approved@example.com"), r.joined(s, "readmitted@example.com")
	for _, id := range []string{approved, readmitted} {
		r.approve(s, id)
	}
	waittest.Eventually(t, "both emails arrive", func() bool {
		return r.mailbox.count("approved@example.com") > 0 && r.mailbox.count("readmitted@example.com") > 0
	})
	token := func(address string) string {
		emails, _ := r.mailbox.to(address)
		return regexp.MustCompile(`token=([0-9a-f-]{36})>$`).FindStringSubmatch(emails[0].Header.Get("List-Unsubscribe"))[1]
	}
	r.remove(s, readmitted)
	if _, err := s.AddUser(r.asAdmin(), &waitlistv1.AddUserRequest{Email: "readmitted@example.com"}); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"approved@example.com", "readmitted@example.com"} {
		for range 2 {
			if _, err := s.Leave(t.Context(), &waitlistv1.LeaveRequest{Token: token(address)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{})
	errtest.None(t, err)
	for _, u := range list.GetUsers() {
		want := map[string]waitlistv1.Status{approved: waitlistv1.Status_STATUS_APPROVED, readmitted: waitlistv1.Status_STATUS_REJECTED}[u.GetId()]
		if !u.GetLeft() || u.GetStatus() != want {
			t.Errorf("after leaving: %v", u)
		}
	}
	if _, err := s.ResendApproval(r.asAdmin(), &waitlistv1.ResendApprovalRequest{Id: approved}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("sent to somebody who has left: %v", err)
	}
	if _, err := s.Leave(t.Context(), &waitlistv1.LeaveRequest{Token: uuid.NewString()}); status.Code(err) != codes.NotFound {
		t.Errorf("left by a guess: %v", err)
	}
	if _, err := s.Leave(t.Context(), &waitlistv1.LeaveRequest{Token: "x"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("left by nonsense: %v", err)
	}
}

// TestTheProvidersReportsReachTheEntries: also when the server took the email at first.
func TestTheProvidersReportsReachTheEntries(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	ids := map[string]string{}
	for _, name := range []string{"gone", "cross", "away", "pending"} {
		ids[name] = r.joined(s, name+"@example.com")
		if name != "pending" {
			r.approve(s, ids[name])
			r.eventuallyMail(s, name+"@example.com", waitlistv1.Mail_MAIL_SENT, "")
		}
	}
	report := func(id string, kinds map[string]mailv1.Kind) {
		t.Helper()
		req := &mailv1.ReportRequest{Events: []*mailv1.Event{{Id: "1", Address: "stranger@example.com", Kind: mailv1.Kind_KIND_BOUNCED, At: timestamppb.Now()}}}
		for name, kind := range kinds {
			req.Events = append(req.Events, &mailv1.Event{Id: id, Address: name + "@Example.com", Kind: kind, Reason: "550 5.1.1", At: timestamppb.Now()})
		}
		if _, err := s.Report(r.t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		report("1", map[string]mailv1.Kind{
			"gone": mailv1.Kind_KIND_BOUNCED, "cross": mailv1.Kind_KIND_COMPLAINED, "away": mailv1.Kind_KIND_UNSUBSCRIBED, "pending": mailv1.Kind_KIND_COMPLAINED,
		})
	}
	list, err := s.ListUsers(r.asAdmin(), &waitlistv1.ListUsersRequest{})
	errtest.None(t, err)
	got := map[string]string{}
	for _, u := range list.GetUsers() {
		got[u.GetEmail()] = fmt.Sprintf("%s %s %q %t", enum.Name(u.GetStatus()), enum.Name(u.GetMail()), u.GetMailReply(), u.GetLeft())
	}
	want := map[string]string{
		"gone@example.com": `approved bounced "550 5.1.1" false`, "cross@example.com": `approved complained "550 5.1.1" true`,
		"away@example.com": `approved sent "" true`, "pending@example.com": `rejected  "" true`,
	}
	if !maps.Equal(got, want) {
		t.Errorf("staff see %v", got)
	}

	// A file keeps both that somebody wants no emails and that they get none.
	report("3", map[string]mailv1.Kind{"away": mailv1.Kind_KIND_BOUNCED})
	exported, err := s.ExportUsers(r.asAdmin(), &waitlistv1.ExportUsersRequest{Search: "away@"})
	if err != nil || len(exported.GetRecords()) != 1 || exported.GetRecords()[0].GetSuppressed() != "bounced" || exported.GetRecords()[0].GetLeftAt() == "" {
		t.Errorf("exported %v, %v", exported, err)
	}

	// Staff send it again: they know that the mailbox is there.
	if _, err := s.ResendApproval(r.asAdmin(), &waitlistv1.ResendApprovalRequest{Id: ids["gone"]}); err != nil {
		t.Fatal(err)
	}
	r.eventuallyMail(s, "gone@example.com", waitlistv1.Mail_MAIL_SENT, "")
	if _, err := s.ResendApproval(r.asAdmin(), &waitlistv1.ResendApprovalRequest{Id: ids["cross"]}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("sent again to somebody who called it spam: %v", err)
	}
	// An email waits whose person had unsubscribed before they joined.
	report("2", map[string]mailv1.Kind{"early": mailv1.Kind_KIND_UNSUBSCRIBED})
	r.approve(s, r.joined(s, "early@example.com"))
	r.eventuallyMail(s, "early@example.com", 0, "")
	if n := r.count("SELECT count(*) FROM waitlist_users WHERE email = 'early@example.com' AND status = 'approved' AND left_at IS NOT NULL"); n != 1 {
		t.Error("who wants no emails has not left")
	}
	waittest.Eventually(t, "its job has ended", func() bool { return r.count(emailsQueued+" WHERE state = 'cancelled'") == 1 })

	// Who asks to be added again is written to.
	if _, err := s.AddUser(r.asAdmin(), &waitlistv1.AddUserRequest{Email: "pending@example.com"}); err != nil {
		t.Fatal(err)
	}
	r.approve(s, ids["pending"])
	r.eventuallyMail(s, "pending@example.com", waitlistv1.Mail_MAIL_SENT, "")
}

// TestWhoeverDoesNotUseTheInvitationIsReminded by an email with a link that works, and by which they can leave.
func TestWhoeverDoesNotUseTheInvitationIsReminded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.environ["INVITATION_EXPIRES_AFTER"] = "336h"
	s := r.serve()
	r.invited(s, "ann@example.com")
	r.eventuallyMail(s, "ann@example.com", waitlistv1.Mail_MAIL_SENT, "")
	if n := r.count("WITH aged AS (UPDATE waitlist_users SET invited_at = now() - interval '30 hours' RETURNING 1) SELECT count(*) FROM aged"); n != 1 {
		t.Fatal(n)
	}
	r.environ["INVITATION_REMINDER_AFTER"] = "24h"
	s = r.serve()
	waittest.Eventually(t, "the reminder arrives", func() bool { return r.mailbox.count("ann@example.com") == 2 })
	emails, bodies := r.mailbox.to("ann@example.com")
	if subject := emails[1].Header.Get("Subject"); !strings.Contains(subject, "is waiting") || emails[1].Header.Get("List-Unsubscribe") != emails[0].Header.Get("List-Unsubscribe") {
		t.Errorf("%q", emails[1].Header)
	}
	if !strings.Contains(plain(bodies[1]), "Please use your invitation by") {
		t.Errorf("it does not say until when: %s", bodies[1])
	}
	_, relay := r.issuer.User("x7k2@relay.example.com")
	if err := r.claim(s, relay, claimLink.FindStringSubmatch(plain(bodies[1]))[1]); err != nil {
		t.Error(err)
	}
}
