package support_test

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/types/known/timestamppb"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

// hostile is what a customer may write and an email must not act on.
const hostile = "<script>alert(1)</script> & <img src=x onerror=alert(1)>\n\n.\nBcc: victim@example.com\n{{.Subject}} \u202egnp.exe"

// openTicket opens the one ticket of the key "k".
func (r *rig) openTicket(ctx context.Context, s instance, message string) *supportv1.Ticket {
	r.t.Helper()
	resp, err := s.CreateTicket(ctx, &supportv1.CreateTicketRequest{
		Category: supportv1.Category_CATEGORY_BUG, Subject: "Größe <b>falsch</b>", Message: message, IdempotencyKey: "k",
	})
	errtest.None(r.t, err)
	return resp.GetTicket()
}

// parts are an email's plain text and its HTML, decoded.
func parts(t *testing.T, d smtptest.Delivery) (plain, html string) {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(d.Source))
	errtest.None(t, err)
	found := map[string]string{}
	collect(t, m.Header.Get("Content-Type"), m.Body, found)
	return found["text/plain"], found["text/html"]
}

func collect(t *testing.T, contentType string, body io.Reader, found map[string]string) {
	t.Helper()
	_, params, err := mime.ParseMediaType(contentType)
	errtest.None(t, err)
	reader := multipart.NewReader(body, params["boundary"])
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return
		}
		errtest.None(t, err)
		inner := part.Header.Get("Content-Type")
		kind, _, _ := mime.ParseMediaType(inner)
		if strings.HasPrefix(kind, "multipart/") {
			collect(t, inner, part, found)
			continue
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err == nil {
			found[kind] = strings.ReplaceAll(string(text), "\r\n", "\n")
		}
	}
}

func TestTheEmailsOfATicketAreOneConversation(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	made := r.openTicket(r.asUser("ada@example.com"), s, hostile)
	r.sent(1)
	for _, u := range []*supportv1.UpdateTicketRequest{
		{Id: made.GetId(), Status: supportv1.Status_STATUS_IN_PROGRESS},
		{Id: made.GetId(), Status: supportv1.Status_STATUS_IN_PROGRESS, Response: "Which <version>?\nAnd which Mac?"},
		{Id: made.GetId(), Status: supportv1.Status_STATUS_RESOLVED},
	} {
		before := len(r.smtp.Accepted())
		if _, err := s.UpdateTicket(r.asAdmin(), u); err != nil {
			t.Fatal(err)
		}
		if u.GetResponse() != "" {
			r.sent(before + 1) // one after the other, so that their order is known
		}
	}
	emails := r.sent(3)
	if len(emails) != 3 {
		t.Fatalf("%d emails", len(emails))
	}
	root := emails[0].Header.Get("Message-Id")
	decode := new(mime.WordDecoder)
	for i, email := range emails {
		subject, err := decode.DecodeHeader(email.Header.Get("Subject"))
		want := "[TKT-000001] Größe <b>falsch</b>"
		if i > 0 {
			want = "Re: " + want
			if email.Header.Get("In-Reply-To") != root || !strings.HasSuffix(email.Header.Get("References"), " "+root) || email.Header.Get("Message-Id") == root {
				t.Errorf("email %d stands alone: %v", i, email.Header)
			}
		}
		if err != nil || subject != want {
			t.Errorf("email %d has the subject %q, %v", i, subject, err)
		}
		if email.To != "ada@example.com" || email.Header.Get("Bcc") != "" {
			t.Errorf("email %d goes to %s", i, email.To)
		}
		plain, html := parts(t, email)
		for _, text := range []string{plain, html} {
			if !strings.Contains(text, authntest.Origin+"/signin") {
				t.Errorf("email %d has no link to sign in", i)
			}
		}
		if strings.Contains(html, "<script>") || strings.Contains(html, "<img src=x") || strings.Contains(html, "<version>") || strings.Contains(html, "<b>falsch") {
			t.Errorf("email %d takes text for markup:\n%s", i, html)
		}
	}
	plain, html := parts(t, emails[0])
	if !strings.Contains(plain, "> <script>alert(1)</script>") || !strings.Contains(plain, "\n> .\n> Bcc: victim@example.com\n> {{.Subject}}") {
		t.Errorf("the receipt does not quote what was written:\n%s", plain)
	}
	if !strings.Contains(html, "&lt;script&gt;alert(1)&lt;/script&gt; &amp;") {
		t.Errorf("the receipt does not quote what was written:\n%s", html)
	}
	if plain, _ := parts(t, emails[1]); !strings.Contains(plain, "> Which <version>?\n> And which Mac?") {
		t.Errorf("the answer is missing:\n%s", plain)
	}
	if plain, _ := parts(t, emails[2]); !strings.Contains(plain, "Your ticket is resolved") {
		t.Errorf("nobody says that it is resolved:\n%s", plain)
	}
}

// TestAKillBetweenCommitAndMail: the answer is sent once all the same.
func TestAKillBetweenCommitAndMail(t *testing.T) {
	r := newRig(t)
	doomed := r.spawn()
	made := r.openTicket(r.asUser("ada@example.com"), doomed, "help")
	r.recorded(1) // or the receipt is sent again, too
	arrived := make(chan struct{})
	tell := sync.OnceFunc(func() { close(arrived) })
	killed := make(chan struct{})
	r.smtp.OnRecipient(func(string) error {
		tell()
		<-killed
		return smtptest.Refusal(451, "Too late")
	})
	if _, err := doomed.UpdateTicket(r.asAdmin(), &supportv1.UpdateTicketRequest{
		Id: made.GetId(), Status: supportv1.Status_STATUS_RESOLVED, Response: "Done",
	}); err != nil {
		t.Fatal(err)
	}
	<-arrived
	doomed.kill()
	close(killed)
	r.smtp.OnRecipient(nil)
	for _, sql := range []string{ // the time that River waits for: the leader's lease and a job's timeout
		"DELETE FROM mail.river_leader",
		"UPDATE mail.river_job SET attempted_at = attempted_at - interval '1 hour' WHERE state = 'running'",
	} {
		if _, err := r.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s := r.serve()
	r.recorded(2)
	if n := len(r.smtp.Accepted()); n != 2 {
		t.Errorf("%d emails, want the receipt and one answer", n)
	}
	resp, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: made.GetId()})
	if err != nil || len(resp.GetMessages()) != 1 || resp.GetTicket().GetVersion() != 2 {
		t.Errorf("the ticket is %v, %v", resp, err)
	}
}

// TestAKillBeforeTheCommit: a request that was cut off and is sent again opens one
// ticket and sends one receipt.
func TestAKillBeforeTheCommit(t *testing.T) {
	r := newRig(t)
	doomed := r.spawn()
	tx, err := r.pool.Begin(t.Context())
	errtest.None(t, err)
	if _, err := tx.Exec(t.Context(), "LOCK TABLE mail.river_job IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	_, token := r.issuer.User("ada@example.com")
	request := &supportv1.CreateTicketRequest{Category: supportv1.Category_CATEGORY_BUG, Message: "help", IdempotencyKey: "k"}
	failed := make(chan error, 1)
	go func() {
		_, err := doomed.CreateTicket(r.as(token), request)
		failed <- err
	}()
	waittest.Eventually(t, "the ticket waits for its receipt", func() bool {
		var waiting int
		err := r.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%INSERT INTO%river_job%'
			AND datname = current_database()`).Scan(&waiting)
		return err == nil && waiting > 0
	})
	doomed.kill()
	if err := <-failed; err == nil {
		t.Error("a killed service answered")
	}
	errtest.None(t, tx.Rollback(t.Context()))
	waittest.Eventually(t, "the killed one's transaction is gone", func() bool {
		var others int
		err := r.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'support' AND datname = current_database()
			AND state <> 'idle'`).Scan(&others)
		return err == nil && others == 0
	})
	s := r.serve()
	for range 2 {
		if _, err := s.CreateTicket(r.as(token), request); err != nil {
			t.Fatal(err)
		}
	}
	r.sent(1)
	if e := r.effects(); e != (effects{Tickets: 1, Versions: 1, Emails: 1}) {
		t.Errorf("left behind %+v", e)
	}
}

// TestStaffSeeThatEmailsDoNotArrive: refused at once, or as the provider reports later.
func TestStaffSeeThatEmailsDoNotArrive(t *testing.T) {
	r := newRig(t)
	r.smtp.OnRecipient(func(address string) error {
		if address == "gone@example.com" {
			return smtptest.EnhancedRefusal(550, 1, 1, "No such user")
		}
		return nil
	})
	s := r.serve()
	gone, ada := r.openTicket(r.asUser("gone@example.com"), s, "Hello"), r.openTicket(r.asUser("ada@example.com"), s, "Hello")
	trouble := func(id string) *mailv1.Trouble {
		resp, err := s.GetTicket(r.asAdmin(), &supportv1.GetTicketRequest{Id: id})
		errtest.None(t, err)
		return resp.GetMailTrouble()
	}
	waittest.Eventually(t, "the refused receipt is seen", func() bool {
		got := trouble(gone.GetId())
		return got.GetState() == mailv1.Trouble_STATE_BOUNCED && got.GetReason() == "550 5.1.1"
	})
	r.sent(1)
	if got := trouble(ada.GetId()); got != nil {
		t.Errorf("an email that arrived is in trouble: %v", got)
	}
	_, err := s.Report(r.t.Context(), &mailv1.ReportRequest{Events: []*mailv1.Event{
		{Id: "1", Address: "ada@example.com", Kind: mailv1.Kind_KIND_COMPLAINED, Reason: "abuse", At: timestamppb.Now()},
	}})
	errtest.None(t, err)
	if got := trouble(ada.GetId()); got.GetState() != mailv1.Trouble_STATE_COMPLAINED || got.GetReason() != "abuse" {
		t.Errorf("after a complaint: %v", got)
	}
	// Who asks us gets an answer all the same.
	if _, err := s.UpdateTicket(r.asAdmin(), &supportv1.UpdateTicketRequest{Id: ada.GetId(), Response: "Yes."}); err != nil {
		t.Fatal(err)
	}
	r.sent(2)
}
