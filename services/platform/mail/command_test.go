package mail_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
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
	r.enqueue(q, emailTo(t, "well", "ada@example.test"), emailTo(t, "gone", "Gone@example.test"), emailTo(t, "lost", "lost@example.test"),
		emailTo(t, "other", "other@example.test"))
	r.eventuallyJobs("completed", 1)
	r.eventuallyJobs("cancelled", 3)

	var log []string
	command := mail.Command(func(_ context.Context, _ pgx.Tx, operator string, done mail.Done, e mail.Undelivered) error {
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
	for _, misuse := range [][]string{{}, {"list", "all"}, {"resend", "op@example.test"}, {"forget", "op@example.test", "gone"}} {
		if _, err := run(misuse...); err == nil {
			t.Errorf("%q is taken for a command", misuse)
		}
	}
	if out, err := run("drop", "op@example.test", "other@example.test"); err != nil || !strings.HasSuffix(out, "1 dropped\n") {
		t.Errorf("drop: %q, %v", out, err)
	}

	r.smtp.OnRecipient(nil)
	r.enqueue(q, emailTo(t, "lost", "lost@example.test")) // by its service, meanwhile
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
