package mail_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/smtptest"
)

func TestOperatorsDealWithEmailsThatWereNotDelivered(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.OnRecipient(func(address string) error {
		if strings.HasPrefix(address, "ada") {
			return nil
		}
		return smtptest.EnhancedRefusal(550, 1, 1, "No such user")
	})
	r.work(q)
	r.enqueue(q, emailTo("well", "ada@example.test"), emailTo("gone", "Gone@example.test"), emailTo("lost", "lost@example.test"),
		emailTo("other", "other@example.test"))
	r.eventuallyJobs("completed", 1)
	r.eventuallyJobs("cancelled", 3)

	var log []string
	command := mail.Command(func(string) mail.BuiltIn { return place }, func(_ context.Context, _ pgx.Tx, operator string, done mail.Done, e mail.Undelivered) error {
		log = append(log, fmt.Sprint(operator, " ", done, " ", e.Key, " ", e.State))
		return nil
	}, func(_ context.Context, _ pgx.Tx, key string, o mail.Outcome) error {
		log = append(log, fmt.Sprint(key, " is ", o.State))
		return nil
	})
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := command.Run(t.Context(), service.Call{
			Args: args, Environ: []string{"DATABASE_URL=" + r.url}, Out: &out,
			Runtime: service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)),
		})
		return out.String(), err
	}
	out, err := run("list")
	if err != nil || !strings.HasSuffix(out, "3 emails not delivered\n") || !strings.Contains(out, "bounced\tgone\tGone@example.test") || !strings.Contains(out, "550 5.1.1\tRCPT TO\n") {
		t.Errorf("list: %q, %v", out, err)
	}
	if _, err := run("test", "op@example.test", "layout"); err == nil || !strings.HasSuffix(err.Error(), "there is no template layout; there are place") {
		t.Errorf("what is no template: %v", err)
	}
	// What was sent and is yet to be recorded is none of them.
	for _, to := range []string{"state = 'scheduled', finalized_at = NULL, scheduled_at = now() + interval '1 hour', metadata = metadata || '{\"output\": {\"state\": \"sent\"}, \"snoozes\": 1}'",
		"state = 'completed', finalized_at = now()"} {
		if _, err := r.pool.Exec(t.Context(), "UPDATE mail.river_job SET "+to+" WHERE args->>'key' = 'well'"); err != nil {
			t.Fatal(err)
		}
		if out, err := run("list"); err != nil || !strings.HasSuffix(out, "3 emails not delivered\n") {
			t.Errorf("list: %q, %v", out, err)
		}
	}
	for _, misuse := range [][]string{{}, {"preview"}, {"test", "op@example.test", "nothing"}, {"list", "all"}, {"resend", "op@example.test"}, {"forget", "op@example.test", "gone"}, {"drop", "12", "13"}, {"test", "place", "op@example.test"}} {
		if _, err := run(misuse...); err == nil {
			t.Errorf("%q is taken for a command", misuse)
		}
	}
	if out, err := run("drop", "op@example.test", "Other@Example.test"); err != nil || !strings.HasSuffix(out, "1 dropped\n") {
		t.Errorf("drop: %q, %v", out, err)
	}

	r.smtp.OnRecipient(nil)
	r.enqueue(q, emailTo("lost", "lost@example.test")) // by its service, meanwhile
	r.eventuallyJobs("completed", 2)
	if out, err := run("resend", "op@example.test", "bounced"); err != nil || !strings.HasSuffix(out, "1 resent\n") {
		t.Errorf("resend: %q, %v", out, err)
	}
	r.eventuallyJobs("completed", 3)
	to := map[string]int{}
	for _, sent := range r.smtp.Accepted() {
		to[sent.To]++
	}
	if len(to) != 3 || to["Gone@example.test"] != 1 || to["lost@example.test"] != 1 {
		t.Errorf("sent to %v", to)
	}
	want := []string{"op@example.test dropped other bounced", "op@example.test resent gone bounced", "gone is waiting"}
	if fmt.Sprint(log) != fmt.Sprint(want) {
		t.Errorf("recorded %q", log)
	}
}

// TestAnEmailThatIsWithdrawnWaitsNoMore: after it was sent again, it is told as what it was before.
func TestAnEmailThatIsWithdrawnWaitsNoMore(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.OnRecipient(func(string) error { return smtptest.EnhancedRefusal(550, 1, 1, "No such user") })
	var isOver atomic.Bool
	q.Ask(func(context.Context, string) (bool, error) { return !isOver.Load(), nil })
	told := make(chan mail.Outcome, 10)
	tell := func(_ context.Context, _ pgx.Tx, _ string, o mail.Outcome) error {
		told <- o
		return nil
	}
	q.Tell(tell)
	r.work(q)
	r.enqueue(q, emailTo("reminder", "ada@example.test"))
	r.eventuallyJobs("cancelled", 1)
	isOver.Store(true)
	command := mail.Command(func(string) mail.BuiltIn { return place }, func(context.Context, pgx.Tx, string, mail.Done, mail.Undelivered) error { return nil }, tell)
	if err := command.Run(t.Context(), service.Call{
		Args: []string{"resend", "op@example.test", "reminder"}, Environ: []string{"DATABASE_URL=" + r.url}, Out: io.Discard,
		Runtime: service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)),
	}); err != nil {
		t.Fatal(err)
	}
	r.eventuallyJobs("completed", 1)
	bounced := mail.Outcome{State: mail.Bounced, Reply: "550 5.1.1", At: "RCPT TO"}
	for _, want := range []mail.Outcome{bounced, {State: mail.Waiting}, bounced} {
		select {
		case got := <-told:
			if got != want {
				t.Errorf("told %+v, want %+v", got, want)
			}
		default:
			t.Errorf("not told of %+v", want)
		}
	}
}

func TestOperatorsLookAtWhatIsSent(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	q.Ask(func(context.Context, string) (bool, error) { return false, nil }) // nothing is due
	r.work(q)
	var log []string
	answered := place
	answered.Samples = slices.Clone(place.Samples)
	answered.Samples[0].ReplyTo = "somebody@example.test" // whom the sample made up
	command := mail.Command(func(string) mail.BuiltIn { return answered }, func(_ context.Context, _ pgx.Tx, operator string, done mail.Done, e mail.Undelivered) error {
		log = append(log, fmt.Sprint(operator, " ", done, " ", e.Key))
		return nil
	}, nil)
	run := func(environ []string, args ...string) (string, error) {
		var out bytes.Buffer
		err := command.Run(t.Context(), service.Call{
			Args: args, Environ: append(environ, "DATABASE_URL="+r.url), Out: &out,
			Runtime: service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)),
		})
		return out.String(), err
	}
	words := installing(t, "place.txt", "Subject: {{.Subject}}\nHeading: Welcome\nAction: Go\nReason: You asked.\n\nThese are our words, ask {{.Support}}.")
	dir := filepath.Join(t.TempDir(), "mails")
	if out, err := run([]string{"MAIL_TEMPLATES_DIR=" + words, "MAIL_REPLY_TO=Help <help@nest.example>"}, "preview", dir); err != nil || out != "place-1\tDu bist dabei, Jürgen – los!\n" {
		t.Errorf("preview: %q, %v", out, err)
	}
	for file, want := range map[string]string{"place-1.txt": "Welcome\n\nThese are our words, ask help@nest.example.", "place-1.html": `src="data:image/png;base64,`} {
		if content, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s: %s, %v", file, content, err)
		}
	}
	if out, err := run([]string{"MAIL_TEMPLATES_DIR=" + words, "MAIL_REPLY_TO=help@nest.example"}, "test", "op@example.test", "place"); err != nil || out != "1 queued for op@example.test\n" {
		t.Errorf("test: %q, %v", out, err)
	}
	r.eventuallyJobs("completed", 1)
	if sent := r.smtp.Accepted(); len(sent) != 1 || sent[0].Header.Get("Reply-To") != "<support@fledge.test>" || !strings.Contains(sent[0].Source, "ask help@nest.example.") || fmt.Sprint(log) != "[op@example.test tested place]" {
		t.Errorf("%d sent, log %q", len(sent), log)
	}
	wrong := installing(t, "place.txt", "Subject: Hi\nHeading: Welcome\nAction: Go\nReason: You asked.\n\nHi.")
	if _, err := run([]string{"MAIL_TEMPLATES_DIR=" + wrong}, "preview", dir); err == nil || !strings.Contains(err.Error(), "place.txt lacks {{.Subject}}") {
		t.Errorf("what lacks something is shown: %v", err)
	}
}
