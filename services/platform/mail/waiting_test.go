package mail_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

// blocked is a queue whose server takes no email, has said so once, and has n more to send.
func (r *rig) blocked(n int) {
	r.t.Helper()
	q, rt := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.OnDeliver(func(smtptest.Delivery) error {
		return smtptest.EnhancedRefusal(550, 4, 5, "Daily user sending limit exceeded")
	})
	r.work(q)
	r.enqueue(q, emailTo("first", "first@example.test"))
	r.eventuallyTried(rt, "blocked")
	for i := range n {
		r.enqueue(q, emailTo(fmt.Sprint("next/", i), fmt.Sprintf("next-%d@example.test", i)))
	}
}

func TestWhatWasOnlyPutOffIsListedAndDropped(t *testing.T) {
	r := newRig(t)
	r.blocked(3)
	var told []string
	command := mail.Command(func(string) mail.BuiltIn { return place }, func(context.Context, pgx.Tx, string, mail.Done, mail.Undelivered) error { return nil },
		func(_ context.Context, _ pgx.Tx, key string, o mail.Outcome) error {
			told = append(told, fmt.Sprint(key, " is ", o.State))
			return nil
		})
	run := func(args ...string) string {
		var out bytes.Buffer
		err := command.Run(t.Context(), service.Call{
			Args: args, Environ: []string{"DATABASE_URL=" + r.url}, Out: &out,
			Runtime: service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler)),
		})
		errtest.None(t, err)
		return out.String()
	}
	waittest.Seen(t, "all are listed", func() (bool, string) {
		out := run("list")
		return strings.HasSuffix(out, "4 emails not delivered\n") && strings.Count(out, "waiting\t") == 4, out
	})
	// One that is being tried is left alone.
	waittest.Seen(t, "all are dropped", func() (bool, string) {
		run("drop", "op@example.test", "waiting")
		return len(told) == 4, fmt.Sprint(told)
	})
	for _, one := range told {
		if !strings.HasSuffix(one, " is given_up") {
			t.Errorf("told that %s", one)
		}
	}
}

// TestOldEmailsAreGivenUpWithoutATry: while no email can be sent, few are tried.
func TestOldEmailsAreGivenUpWithoutATry(t *testing.T) {
	r := newRig(t)
	r.blocked(20)
	if _, err := r.pool.Exec(t.Context(), "UPDATE mail.river_job SET created_at = now() - interval '5 days' WHERE args->>'key' LIKE 'next/%'"); err != nil {
		t.Fatal(err)
	}
	r.eventuallyJobs("cancelled", 20)
}
