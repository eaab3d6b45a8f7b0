package waitlist_test

import (
	"strings"
	"testing"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/waittest"
)

const emailsQueued = `SELECT count(*) FROM mail.river_job`

func TestApprovalSendsOneEmail(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	// No part of an email's boundary or of the link's token is her name: neither has a dot.
	id := r.joined(s, "zoe.stranger@example.com")
	r.nats.Stop() // which an email does not wait for
	for range 3 {
		r.approve(s, id)
	}
	waittest.Eventually(t, "an email arrives", func() bool { return r.mailbox.count("zoe.stranger@example.com") > 0 })

	emails, bodies := r.mailbox.to("zoe.stranger@example.com")
	if got := emails[0].Header.Get("Subject"); !strings.Contains(got, "closed beta") {
		t.Errorf("subject %q", got)
	}
	if !strings.Contains(bodies[0], authntest.Origin+"/closed-beta") {
		t.Errorf("no link to the closed beta page in %s", bodies[0])
	}
	if strings.Contains(bodies[0], "zoe.stranger") {
		t.Errorf("the email repeats what the person typed: %s", bodies[0])
	}
	// Imported and added people never joined.
	if body := strings.Join(strings.Fields(strings.ReplaceAll(bodies[0], "=\r\n", "")), " "); !strings.Contains(body, "because this address is on the") {
		t.Errorf("the email does not say why it was sent: %s", bodies[0])
	}
	if jobs := r.count(emailsQueued); jobs != 1 {
		t.Errorf("%d emails queued", jobs)
	}
}

func TestNobodyIsToldOfAnApprovalThatWasTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	removed, readmitted := r.joined(s, "removed@example.com"), r.joined(s, "readmitted@example.com")
	arrived, drop := r.mailbox.stall() // their emails will be tried again
	for _, id := range []string{removed, readmitted} {
		r.approve(s, id)
		<-arrived
		r.remove(s, id)
	}
	drop()
	if _, err := s.AddUser(r.asAdmin(), &waitlistv1.AddUserRequest{Email: "readmitted@example.com"}); err != nil {
		t.Fatal(err)
	}
	r.approve(s, readmitted)
	waittest.Eventually(t, "no email is left to be sent", func() bool {
		return r.count(`SELECT count(*) FROM mail.river_job WHERE state = 'completed'`) == 3
	})
	if wrong, right := r.mailbox.count("removed@example.com"), r.mailbox.count("readmitted@example.com"); wrong != 0 || right != 1 {
		t.Errorf("%d emails to the person who was removed, %d to the other", wrong, right)
	}
}

// TestAnEmailOutlivesAKillBetweenTheCommitAndTheSending, and is sent once.
func TestAnEmailOutlivesAKillBetweenTheCommitAndTheSending(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mailServer := r.environ["SMTP_ADDR"]
	r.environ["SMTP_ADDR"] = "127.0.0.1:1" // nobody is there
	first := r.spawn()
	id := r.joined(first, "ada@example.com")
	r.approve(first, id)
	first.kill()
	if jobs, emails := r.count(emailsQueued), r.mailbox.count("ada@example.com"); jobs != 1 || emails != 0 {
		t.Errorf("%d emails queued, %d arrived before the kill", jobs, emails)
	}

	r.environ["SMTP_ADDR"] = mailServer
	second := r.serve()
	r.approve(second, id)
	waittest.Eventually(t, "the email is sent", func() bool {
		return r.count(`SELECT count(*) FROM mail.river_job WHERE state = 'completed'`) == 1
	})
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
