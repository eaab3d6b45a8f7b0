package support_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/imaptest"
	"fledge.dev/services/platform/waittest"
)

// withMailbox has the rig's service read a mailbox.
func (r *rig) withMailbox() *imaptest.Server {
	r.t.Helper()
	mailbox := imaptest.Start(r.t, nil, imap.CapMove)
	for name, value := range map[string]string{
		"IMAP_ADDR": mailbox.Addr(), "IMAP_TLS": "none", "IMAP_USER": imaptest.User, "IMAP_PASSWORD": imaptest.Password, "IMAP_EVERY": "50ms",
		"MAIL_IN_TRUSTED_HOST": "mx.fledge.example", "MAIL_IN_REPLY_ADDRESS": "reply@fledge.example", "MAIL_IN_REPLY_KEYS": "a key of thirty-two bytes or more",
	} {
		r.environ[name] = value
	}
	return mailbox
}

// aMail is one of ada's, as her provider hands it over.
func aMail(id, to, header, text string) []byte {
	return []byte(strings.ReplaceAll(fmt.Sprintf(`Authentication-Results: mx.fledge.example; dmarc=pass header.from=example.com
From: Ada <ADA@example.com>
To: %s
Message-ID: <%s@example.com>
Subject: Something else
%sContent-Type: text/plain; charset=utf-8

%s
`, to, id, header, text), "\n", "\r\n"))
}

// TestACustomerAnswersByMail from the receipt to staff's answer, and again.
func TestACustomerAnswersByMail(t *testing.T) {
	r := newRig(t)
	mailbox := r.withMailbox()
	s := r.serve()
	made := r.openTicket(r.asUser("ada@example.com"), s, "help")
	receipt := r.sent(1)[0]
	reply := receipt.Header.Get("Reply-To")
	if !strings.HasPrefix(reply, `"Fledge" <reply+1.`) || !strings.HasSuffix(reply, "@fledge.example>") {
		t.Fatalf("the receipt is answered to %s", reply)
	}

	plain, html := parts(t, receipt)
	quote := "> " + strings.ReplaceAll(plain, "\n", "\n> ")
	for range 2 {
		mailbox.Deliver(aMail("1", reply, "", "It is macOS 15.2.\n\n"+quote))
	}
	// Without the address, as programs answer that do not know Reply-To.
	inHTML := aMail("2", "hello@fledge.example", "References: "+receipt.Header.Get("Message-Id")+"\n", "<p>And an M3.</p><blockquote>"+html+"</blockquote>")
	mailbox.Deliver(bytes.Replace(inHTML, []byte("text/plain"), []byte("text/html"), 1))
	waittest.Eventually(t, "the mails are taken", func() bool { return mailbox.Mails("Fledge done") == 3 })
	thread, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: made.GetId()})
	if err != nil || len(thread.GetMessages()) != 2 {
		t.Fatalf("%v, %v", thread, err)
	}
	for i, want := range []string{"It is macOS 15.2.", "And an M3."} {
		if m := thread.GetMessages()[i]; m.GetBody() != want || m.GetAuthor() != supportv1.Author_AUTHOR_CUSTOMER || m.GetAuthorEmail() != "ada@example.com" {
			t.Errorf("message %d is %v", i, m)
		}
	}

	if _, err := s.UpdateTicket(r.asAdmin(), &supportv1.UpdateTicketRequest{Id: made.GetId(), Status: supportv1.Status_STATUS_RESOLVED, Response: "Solved."}); err != nil {
		t.Fatal(err)
	}
	answer := r.sent(2)[1]
	if answer.Header.Get("Reply-To") != reply || answer.Header.Get("In-Reply-To") != receipt.Header.Get("Message-Id") {
		t.Errorf("the answer's header is %v", answer.Header)
	}
	if plain, _ := parts(t, answer); !strings.Contains(plain, "reply to this email or in your profile") {
		t.Errorf("the answer does not say how to go on:\n%s", plain)
	}
	mailbox.Deliver(aMail("3", reply, "In-Reply-To: "+answer.Header.Get("Message-Id")+"\n", "No, it is not."))
	waittest.Eventually(t, "the ticket is open again", func() bool {
		thread, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: made.GetId()})
		return err == nil && thread.GetTicket().GetStatus() == supportv1.Status_STATUS_OPEN
	})
}

// TestALostTicketsAddressLeadsToNoOther: after a restore to before ada's ticket, her answer opens one of her own and is not
// read by zoe, whose ticket is the next.
func TestALostTicketsAddressLeadsToNoOther(t *testing.T) {
	script, err := os.ReadFile("../../deploy/cluster/restore-one.sh")
	errtest.None(t, err)
	numbersGoOn := regexp.MustCompile(`SELECT setval\('ticket_number'[^"]*`).FindString(string(script))
	if numbersGoOn == "" {
		t.Fatal("the script leaves the numbers of tickets as they were")
	}
	r := newRig(t)
	mailbox := r.withMailbox()
	s := r.serve()
	ada, zoe := r.asUser("ada@example.com"), r.asUser("zoe@example.com")
	const atTheMoment = "SELECT setval('ticket_number', 100)"
	r.exec(atTheMoment)
	r.openTicket(ada, s, "help")
	reply := r.sent(1)[0].Header.Get("Reply-To")
	r.recorded(1)
	r.exec("TRUNCATE tickets, mail.river_job CASCADE")
	r.exec(atTheMoment)
	r.exec(numbersGoOn)
	of := r.openTicket(zoe, s, "mine")
	mailbox.Deliver(aMail("1", reply, "", "My address is 5 Elm Street."))
	waittest.Eventually(t, "the mail is taken", func() bool { return mailbox.Mails("Fledge done") == 1 })
	if thread, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: of.GetId()}); err != nil || len(thread.GetMessages()) != 0 {
		t.Errorf("zoe's ticket is %v, %v", thread, err)
	}
	mine, err := s.ListMyTickets(ada, &supportv1.ListMyTicketsRequest{})
	if err != nil || len(mine.GetThreads()) != 1 || mine.GetThreads()[0].GetTicket().GetMessage() != "My address is 5 Elm Street." {
		t.Errorf("ada's are %v, %v", mine, err)
	}
}

// TestACustomerWritesANewMail: it becomes a ticket of the account that has opened one from the
// address before, and a stranger's is for people.
func TestACustomerWritesANewMail(t *testing.T) {
	r := newRig(t)
	mailbox := r.withMailbox()
	s := r.serve()
	ada := r.asUser("ada@example.com")
	r.openTicket(ada, s, "help")
	mailbox.Deliver(aMail("new", "support@fledge.example", "", "Where is the button?"))
	mailbox.Deliver([]byte(strings.ReplaceAll(string(aMail("eve", "support@fledge.example", "", "Who am I?")), "ADA@", "eve@")))
	waittest.Eventually(t, "the mails are taken", func() bool { return mailbox.Mails("Fledge done") == 1 && mailbox.Mails("Fledge for people") == 1 })
	mine, err := s.ListMyTickets(ada, &supportv1.ListMyTicketsRequest{})
	if err != nil || len(mine.GetThreads()) != 2 {
		t.Fatalf("%v, %v", mine, err)
	}
	if made := mine.GetThreads()[0].GetTicket(); made.GetMessage() != "Where is the button?" || made.GetSubject() != "Something else" || made.GetUserEmail() != "ada@example.com" {
		t.Errorf("opened %v", made)
	}
	r.sent(2)
}

// TestAnAccountWritesItsFirstMail without a ticket from before: identity knows whose address it is.
func TestAnAccountWritesItsFirstMail(t *testing.T) {
	r := newRig(t)
	mailbox := r.withMailbox()
	s := r.serve()
	ada := r.asUser("ada@example.com")
	mailbox.Deliver(aMail("first", "support@fledge.example", "", "Where is the button?"))
	mailbox.Deliver(aMail("first", "support@fledge.example", "", "Where is the button?"))
	waittest.Eventually(t, "the mails are taken", func() bool { return mailbox.Mails("Fledge done") == 2 })
	mine, err := s.ListMyTickets(ada, &supportv1.ListMyTicketsRequest{})
	if err != nil || len(mine.GetThreads()) != 1 {
		t.Fatalf("%v, %v", mine, err)
	}
	if made := mine.GetThreads()[0].GetTicket(); made.GetMessage() != "Where is the button?" || made.GetUserEmail() != "ada@example.com" {
		t.Errorf("opened %v", made)
	}
	r.sent(1)
}

// TestABounceReachesTheTicket as what the mail's own server reports of it.
func TestABounceReachesTheTicket(t *testing.T) {
	r := newRig(t)
	mailbox := r.withMailbox()
	s := r.serve()
	made := r.openTicket(r.asUser("ada@example.com"), s, "help")
	id := r.sent(1)[0].Header.Get("Message-Id")
	raw, err := os.ReadFile("internal/inmail/testdata/bounce-ours.eml")
	errtest.None(t, err)
	for _, quoted := range []string{"<guessed@fledge.example>", id} {
		mailbox.Deliver([]byte(strings.NewReplacer("\n", "\r\n", "<c0ffee@fledge.example>", quoted).Replace(string(raw))))
	}
	waittest.Eventually(t, "the reports are taken", func() bool { return mailbox.Mails("Fledge done") == 1 && mailbox.Mails("Fledge for people") == 1 })
	thread, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: made.GetId()})
	if err != nil || thread.GetMailTrouble().GetState() != mailv1.Trouble_STATE_BOUNCED || thread.GetMailTrouble().GetReason() != "5.1.1" {
		t.Errorf("%v, %v", thread.GetMailTrouble(), err)
	}
}
