package mail_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/smtptest"
)

func TestEmailIsSentIfAndOnlyIfItsReasonCommits(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.work(q)
	undone := errors.New("undone")
	err := pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error {
		if err := q.Enqueue(t.Context(), tx, emailTo("approved/1", "never@example.test")); err != nil {
			return err
		}
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	// The same key twice is one email; another key is another.
	r.enqueue(q, emailTo("approved/2", "ada@example.test"), emailTo("approved/2", "ada@example.test"))
	r.enqueue(q, emailTo("approved/2", "ada@example.test"), emailTo("approved/3", "grace@example.test"))
	r.eventuallyJobs("completed", 2)

	to := map[string]int{}
	for _, d := range r.smtp.Accepted() {
		to[d.To]++
	}
	if len(to) != 2 || to["ada@example.test"] != 1 || to["grace@example.test"] != 1 {
		t.Errorf("sent to %v", to)
	}
}

// TestAnEmailThatIsNoLongerDueIsWithdrawn: the worker asks before each try, and waits for an
// answer.
func TestAnEmailThatIsNoLongerDueIsWithdrawn(t *testing.T) {
	r := newRig(t)
	q, rt := r.queue(plainConfig(r.smtp.Addr()))
	var asked atomic.Int32
	q.Ask(func(_ context.Context, key string) (bool, error) {
		if key == "approved/2" && asked.Add(1) == 1 {
			return false, errors.New("no database")
		}
		return key != "approved/1", nil
	})
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "never@example.test"), emailTo("approved/2", "ada@example.test"))
	r.eventuallyJobs("completed", 2)
	sent := r.smtp.Accepted()
	if len(sent) != 1 || sent[0].To != "ada@example.test" || asked.Load() != 2 {
		t.Errorf("sent %v after asking %d times", sent, asked.Load())
	}
	if !tried(t, rt, "withdrawn") {
		t.Error("no email counts as withdrawn")
	}
}

// TestWordsThatFailDoNotUndoTheirReason: a value that the samples do not have may be more than an installed
// template can take.
func TestWordsThatFailDoNotUndoTheirReason(t *testing.T) {
	r := newRig(t)
	cfg := plainConfig(r.smtp.Addr())
	cfg.TemplatesDir = installing(t, "place.txt", "Subject: {{.Subject}}\nHeading: {{slice .Subject 0 16}}\nAction: Go\nReason: You asked.\n\nThese are our words.")
	q, rt := r.queue(cfg)
	r.work(q)
	short := emailTo("approved/1", "ada@example.test")
	short.Values = map[string]string{"Subject": "Mac"}
	r.enqueue(q, short, emailTo("approved/2", "grace@example.test"))
	r.eventuallyJobs("completed", 2)
	for _, sent := range r.smtp.Accepted() {
		want := map[string]string{"ada@example.test": "Your place is ready.", "grace@example.test": "These are our words."}[sent.To]
		if !strings.Contains(sent.Source, want) {
			t.Errorf("%s does not get %q", sent.To, want)
		}
	}
	if err := testutil.GatherAndCompare(rt.Metrics, strings.NewReader(`# HELP mail_templates_failed_total Emails that got the built-in words because the installed template, or the layout, could not take their values, by template.
# TYPE mail_templates_failed_total counter
mail_templates_failed_total{template="place"} 1
`), "mail_templates_failed_total"); err != nil {
		t.Error(err)
	}
	short.To = "nobody"
	err := pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error { return q.Enqueue(t.Context(), tx, short) })
	if !errors.Is(err, fault.Invalid) {
		t.Errorf("an email that no words make good: %v", err)
	}
}

func TestEmailOnTheWire(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "ada@example.test"))
	r.eventuallyJobs("completed", 1)
	sent := r.smtp.Accepted()[0]

	decoder := new(mime.WordDecoder)
	subject, err := decoder.DecodeHeader(sent.Header.Get("Subject"))
	if err != nil || subject != "Du bist dabei, Jürgen – los!" {
		t.Errorf("subject %q: %v", subject, err)
	}
	from, err := sent.Header.AddressList("From")
	if err != nil || from[0].Name != "Flédge" || from[0].Address != "hello@fledge.test" || sent.From != "hello@fledge.test" {
		t.Errorf("from %v, envelope %s: %v", from, sent.From, err)
	}
	if got := sent.Header.Get("Reply-To"); got != "<support@fledge.test>" {
		t.Errorf("reply to %q", got)
	}
	if got := sent.Header.Get("Message-Id"); !strings.HasSuffix(got, "@fledge.test>") || sent.Header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("message ID %q, %v", got, sent.Header)
	}
	if got := sent.Header.Get("X-Auto-Response-Suppress"); got != "DR, RN, NRN, OOF, AutoReply" || sent.Header.Get("Precedence") != "" {
		t.Errorf("suppressed %q, precedence %q", got, sent.Header.Get("Precedence"))
	}
	if _, err := sent.Header.Date(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"User-Agent", "X-Mailer"} {
		if got := sent.Header.Get(name); got != "" {
			t.Errorf("%s tells which program sends: %s", name, got)
		}
	}
	for i, line := range strings.Split(sent.Source, "\r\n") {
		if strings.IndexFunc(line, func(c rune) bool { return c > 126 }) >= 0 || len(line) > 998 {
			t.Errorf("line %d does not travel well: %q", i+1, line)
		}
	}
	parts := map[string]string{}
	collect(t, sent.Header, strings.NewReader(strings.SplitN(sent.Source, "\r\n\r\n", 2)[1]), parts)
	if !strings.Contains(parts["text/plain"], "http://localhost:8080/closed-beta") || !strings.Contains(parts["text/html"], `src="cid:mark"`) ||
		parts["image/png"] != "<mark>" {
		t.Errorf("parts %q", parts)
	}
}

// collect walks a MIME tree: texts by their type, pictures by their content ID.
func collect(t *testing.T, header netmail.Header, body io.Reader, into map[string]string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	errtest.None(t, err)
	if !strings.HasPrefix(kind, "multipart/") {
		content, err := io.ReadAll(body)
		errtest.None(t, err)
		into[kind] = string(content)
		if id := header.Get("Content-Id"); id != "" {
			into[kind] = id
		}
		return
	}
	reader := multipart.NewReader(body, params["boundary"])
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return
		}
		errtest.None(t, err)
		collect(t, netmail.Header(part.Header), part, into)
	}
}

// TestAKeyThatIsUsedAgainGivesAnotherMessageID, as after the database was restored to before the first email, whose
// mailbox would drop the second one. Of an email to which others refer the key alone makes it.
func TestAKeyThatIsUsedAgainGivesAnotherMessageID(t *testing.T) {
	for name, tt := range map[string]struct {
		followed bool
		follows  string
		action   string
		same     bool
	}{
		"another text":                        {false, "", "http://localhost:8080/another", false},
		"the same text":                       {false, "", "http://localhost:8080/closed-beta", true},
		"another text, starts a conversation": {true, "", "http://localhost:8080/another", true},
		"another text, follows in one":        {false, "ticket/1", "http://localhost:8080/another", false},
		"the same text, follows in one":       {false, "ticket/1", "http://localhost:8080/closed-beta", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			q, _ := r.queue(plainConfig(r.smtp.Addr()))
			r.work(q)
			e := emailTo("approved/1", "ada@example.test")
			e.Followed, e.Follows = tt.followed, tt.follows
			r.enqueue(q, e)
			r.eventuallyJobs("completed", 1)
			if _, err := r.pool.Exec(t.Context(), "DELETE FROM mail.river_job"); err != nil {
				t.Fatal(err)
			}
			e.Action = tt.action
			r.enqueue(q, e)
			r.eventuallyJobs("completed", 1)
			sent := r.smtp.Accepted()
			if first, second := sent[0].Header.Get("Message-Id"), sent[1].Header.Get("Message-Id"); first == "" || (first == second) != tt.same {
				t.Errorf("message IDs %q and %q", first, second)
			}
		})
	}
}

func TestServerThatIsDownCostsOnlyTime(t *testing.T) {
	r := newRig(t)
	q, rt := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.Stop()
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "ada@example.test"))
	r.eventuallyTried(rt, "blocked")
	r.smtp.Restart()
	r.eventuallyJobs("completed", 1)
	if got := len(r.smtp.Accepted()); got != 1 {
		t.Errorf("%d emails", got)
	}
}

func TestTemporaryRefusalIsTriedAgain(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	var tries atomic.Int32
	r.smtp.OnRecipient(func(string) error {
		if tries.Add(1) == 1 {
			return smtptest.Refusal(451, "Greylisted, try again later")
		}
		return nil
	})
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "ada@example.test"))
	r.eventuallyJobs("completed", 1)
	if got := len(r.smtp.Accepted()); got != 1 || tries.Load() != 2 {
		t.Errorf("%d emails after %d tries", got, tries.Load())
	}
}

func TestPermanentRefusalIsRecordedAndNotRepeated(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	var tries atomic.Int32
	r.smtp.OnRecipient(func(address string) error {
		if address != "gone@example.test" {
			return nil
		}
		tries.Add(1)
		return smtptest.Refusal(550, "No such mailbox")
	})
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "gone@example.test"), emailTo("approved/2", "ada@example.test"))
	r.eventuallyJobs("cancelled", 1)
	r.eventuallyJobs("completed", 1)
	if seen := r.states(); tries.Load() != 1 || !strings.Contains(seen, "550 5.0.0") {
		t.Errorf("%d tries, %s", tries.Load(), seen)
	}
}

// TestNoLogNamesWhoAnEmailIsFor, and none repeats its words, whatever the server says.
func TestNoLogNamesWhoAnEmailIsFor(t *testing.T) {
	r := newRig(t)
	lines := &logtest.Log{}
	rt := service.NewRuntime("waitlist", "test", slog.New(slog.NewJSONHandler(lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
	q, err := mail.NewQueue(r.pool, plainConfig(r.smtp.Addr()), place, rt)
	errtest.None(t, err)
	var tries atomic.Int32
	r.smtp.OnRecipient(func(address string) error {
		switch {
		case strings.HasPrefix(address, "gone"):
			return smtptest.Refusal(550, "No mailbox <"+address+">")
		case strings.HasPrefix(address, "full") && tries.Add(1) == 1:
			return smtptest.Refusal(450, "Full: <"+address+">")
		default:
			return nil
		}
	})
	r.work(q)
	r.enqueue(q, emailTo("approved/1", "gone@example.test"), emailTo("approved/2", "full@example.test"))
	r.eventuallyJobs("cancelled", 1)
	r.eventuallyJobs("completed", 1)
	seen := lines.String() + r.states()
	for _, secret := range []string{"example.test", "mailbox", "Full", "Jürgen", "dabei"} {
		if strings.Contains(seen, secret) {
			t.Errorf("%q is told:\n%s", secret, seen)
		}
	}
	for _, told := range []string{`"email bounced","unit":"mail","email":{"key":"approved/1"}`, "550 5.0.0", "450 4.0.0", "email sent"} {
		if !strings.Contains(seen, told) {
			t.Errorf("%q is not told:\n%s", told, seen)
		}
	}
}

func TestEnqueueRefusesWhatNoServerWouldTake(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	for name, spoil := range map[string]func(*mail.Email){
		"no recipient":     func(e *mail.Email) { e.To = "" },
		"two recipients":   func(e *mail.Email) { e.To = "a@example.test, b@example.test" },
		"recipient header": func(e *mail.Email) { e.To = "a@example.test\r\nBcc: b@example.test" },
		"named recipient":  func(e *mail.Email) { e.To = "Ada <a@example.test>" },
		"subject header":   func(e *mail.Email) { e.Values["Subject"] = "Hi\rBcc: b@example.test" },
		"no subject":       func(e *mail.Email) { e.Values["Subject"] = "" },
		"no key":           func(e *mail.Email) { e.Key = "" },
	} {
		t.Run(name, func(t *testing.T) {
			e := emailTo("approved/1", "ada@example.test")
			spoil(&e)
			err := pgx.BeginFunc(t.Context(), r.pool, func(tx pgx.Tx) error { return q.Enqueue(t.Context(), tx, e) })
			if !errors.Is(err, fault.Invalid) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAnEmailFollowsAnother(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.work(q)
	opening := emailTo("ticket/1", "ada@example.test")
	opening.Followed = true
	r.enqueue(q, opening)
	r.eventuallyJobs("completed", 1)
	second := emailTo("ticket/2", "ada@example.test")
	second.Follows = "ticket/1"
	r.enqueue(q, second)
	r.eventuallyJobs("completed", 2)
	sent := r.smtp.Accepted()
	first, next := sent[0].Header, sent[1].Header
	// Should the provider give the first another Message-ID, both still refer to the same conversation.
	conversation := first.Get("References")
	if conversation == "" || first.Get("In-Reply-To") != "" || strings.Contains(conversation, first.Get("Message-Id")) {
		t.Errorf("the first does not start a conversation: %v", first)
	}
	if id := first.Get("Message-Id"); next.Get("In-Reply-To") != id || next.Get("References") != conversation+" "+id || next.Get("Message-Id") == id {
		t.Errorf("the second is not part of the conversation: %v", next)
	}
}
