package waitlist_test

import (
	"strings"
	"testing"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/waittest"
)

const (
	handledByMailer = `SELECT count(*) FROM inbox WHERE consumer = 'waitlist-approval-mail'`
	emailsQueued    = `SELECT count(*) FROM mail.river_job`
)

func TestApprovalSendsOneEmail(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	// No part of an email's boundary, which is made of random digits up to f, is her name.
	id := r.joined(s, "zoe@example.com")
	for range 3 {
		r.approve(s, id)
	}
	waittest.Eventually(t, "an email arrives", func() bool { return r.mailbox.count("zoe@example.com") > 0 })

	emails, bodies := r.mailbox.to("zoe@example.com")
	if got := emails[0].Header.Get("Subject"); !strings.Contains(got, "closed beta") {
		t.Errorf("subject %q", got)
	}
	if !strings.Contains(bodies[0], authntest.Origin+"/closed-beta") {
		t.Errorf("no link to the closed beta page in %s", bodies[0])
	}
	if strings.Contains(bodies[0], "zoe") {
		t.Errorf("the email repeats what the person typed: %s", bodies[0])
	}
	// Imported and added people never joined.
	if body := strings.Join(strings.Fields(strings.ReplaceAll(bodies[0], "=\r\n", "")), " "); !strings.Contains(body, "because this address is on the") {
		t.Errorf("the email does not say why it was sent: %s", bodies[0])
	}
	if jobs, events := r.count(emailsQueued), r.count(handledByMailer); jobs != 1 || events != 1 {
		t.Errorf("%d emails queued for %d events, want one for one", jobs, events)
	}
}

func TestNobodyIsToldOfAnApprovalThatWasTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	removed, readmitted := r.joined(s, "removed@example.com"), r.joined(s, "readmitted@example.com")
	r.nats.Stop() // holds the events back until the decisions have changed
	for _, id := range []string{removed, readmitted} {
		r.approve(s, id)
		r.remove(s, id)
	}
	if _, err := s.AddUser(r.asAdmin(), &waitlistv1.AddUserRequest{Email: "readmitted@example.com"}); err != nil {
		t.Fatal(err)
	}
	r.approve(s, readmitted)
	r.nats.Restart()
	waittest.Eventually(t, "all three approvals are handled", func() bool { return r.count(handledByMailer) == 3 })
	waittest.Eventually(t, "an email arrives", func() bool { return r.mailbox.count("readmitted@example.com") > 0 })
	if jobs, emails := r.count(emailsQueued), r.mailbox.count("removed@example.com"); jobs != 1 || emails != 0 {
		t.Errorf("%d emails queued, %d to the person who was removed", jobs, emails)
	}
}

func TestAnEmailOutlivesAKillBetweenTheCommitAndTheEvent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := r.spawn()
	id := r.joined(first, "ada@example.com")
	r.nats.Stop() // the approval is committed and cannot leave the database
	r.approve(first, id)
	first.kill()
	r.nats.Restart()

	second := r.serve()
	waittest.Eventually(t, "the email arrives", func() bool { return r.mailbox.count("ada@example.com") > 0 })
	r.approve(second, id)
	if jobs, emails := r.count(emailsQueued), r.mailbox.count("ada@example.com"); jobs != 1 || emails != 1 {
		t.Errorf("%d emails queued, %d arrived", jobs, emails)
	}
}

func TestAnEmailOutlivesAKillWhileItIsSent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := r.spawn()
	id := r.joined(first, "ada@example.com")
	arrived, drop := r.mailbox.stall()
	r.approve(first, id)
	<-arrived // the whole email is with the server, which has not said 250
	first.kill()
	drop()

	r.serve()
	waittest.Eventually(t, "the email arrives", func() bool { return r.mailbox.count("ada@example.com") > 0 })
	waittest.Eventually(t, "its job is done", func() bool {
		return r.count(`SELECT count(*) FROM mail.river_job WHERE state = 'completed'`) == 1
	})
	if jobs, emails := r.count(emailsQueued), r.mailbox.count("ada@example.com"); jobs != 1 || emails != 1 {
		t.Errorf("%d emails queued, %d arrived", jobs, emails)
	}
}
