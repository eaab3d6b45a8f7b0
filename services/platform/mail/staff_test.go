package mail_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/benchtest"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/smtptest"
)

// listed are the emails in a state, by their recipients.
func (r *rig) listed(q *mail.Queue, state mailv1.MailState) (to []string, resp *mailv1.ListMailsResponse) {
	r.t.Helper()
	resp, err := q.Reports().ListMails(r.t.Context(), &mailv1.ListMailsRequest{State: state})
	errtest.None(r.t, err)
	for _, m := range resp.GetMails() {
		to = append(to, m.GetTo())
	}
	return to, resp
}

func TestStaffSeeWhatBecameOfEmails(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.OnRecipient(func(address string) error {
		switch {
		case strings.HasPrefix(address, "gone"):
			return smtptest.EnhancedRefusal(550, 1, 1, "No such user")
		case strings.HasPrefix(address, "later"):
			return smtptest.EnhancedRefusal(450, 2, 1, "Greylisted")
		}
		return nil
	})
	var log []string
	q.Record(func(_ context.Context, _ pgx.Tx, done mail.Done, e mail.Undelivered) error {
		log = append(log, fmt.Sprint(done, " ", e.Key, " ", e.State))
		return nil
	})
	q.Tell(func(_ context.Context, _ pgx.Tx, key string, o mail.Outcome) error {
		if o.State == mail.Waiting {
			log = append(log, key+" waits again")
		}
		return nil
	})
	r.report(q, event("1", "never@example.com", mailv1.Kind_KIND_BOUNCED))
	r.work(q)
	r.enqueue(q, emailTo("1", "ada@example.com"), emailTo("2", "gone@example.com"), emailTo("3", "later@example.com"), emailTo("4", "never@example.com"))
	r.eventuallyJobs("completed", 1)
	r.eventuallyJobs("cancelled", 2)
	r.eventuallyJobs("retryable", 1)

	var ids []int64
	for state, want := range map[mailv1.MailState]struct{ to, reply, at string }{
		mailv1.MailState_MAIL_STATE_SENT:       {"ada@example.com", "", ""},
		mailv1.MailState_MAIL_STATE_BOUNCED:    {"gone@example.com", "550 5.1.1", "RCPT TO"},
		mailv1.MailState_MAIL_STATE_PUT_OFF:    {"later@example.com", "450 4.2.1", "RCPT TO"},
		mailv1.MailState_MAIL_STATE_SUPPRESSED: {"never@example.com", "550 5.1.1", "report"},
		mailv1.MailState_MAIL_STATE_WAITING:    {},
		mailv1.MailState_MAIL_STATE_GIVEN_UP:   {},
	} {
		to, resp := r.listed(q, state)
		if want.to == "" {
			if len(to) > 0 {
				t.Errorf("%v: %v", state, to)
			}
			continue
		}
		m := resp.GetMails()
		if len(m) != 1 || m[0].GetTo() != want.to || m[0].GetReply() != want.reply || m[0].GetReplyAt() != want.at || m[0].GetSubject() == "" {
			t.Errorf("%v: %v", state, m)
			continue
		}
		if isOpen := state == mailv1.MailState_MAIL_STATE_PUT_OFF; isOpen != (m[0].GetNextTryAt() != nil) || isOpen == (m[0].GetEndedAt() != nil) {
			t.Errorf("%v: times %v", state, m)
		}
		ids = append(ids, m[0].GetId())
		for _, c := range resp.GetCounts() {
			if wanted := int64(1); c.GetState() == state && c.GetCount() != wanted {
				t.Errorf("%v: counted %d", state, c.GetCount())
			}
		}
		if len(resp.GetCounts()) != len(enum.Names[mailv1.MailState]()) {
			t.Errorf("counts of %v", resp.GetCounts())
		}
	}

	// All four are asked for; the one that was sent stays as it is.
	r.smtp.OnRecipient(nil)
	resp, err := q.Reports().ChangeMails(t.Context(), &mailv1.ChangeMailsRequest{Ids: ids, Action: mailv1.ChangeMailsRequest_ACTION_RESEND})
	if err != nil || len(resp.GetIds()) != 3 {
		t.Fatalf("%v, %v", resp, err)
	}
	slices.Sort(log)
	want := []string{"2 waits again", "3 waits again", "4 waits again", "resent 2 bounced", "resent 3 waiting", "resent 4 bounced"}
	if !slices.Equal(log, want) {
		t.Errorf("recorded %q", log)
	}
	r.eventuallyJobs("completed", 4)
}

func TestStaffDropAnEmail(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.smtp.OnRecipient(func(string) error { return smtptest.EnhancedRefusal(550, 1, 1, "No such user") })
	r.work(q)
	r.enqueue(q, emailTo("1", "gone@example.com"))
	r.eventuallyJobs("cancelled", 1)
	_, listed := r.listed(q, mailv1.MailState_MAIL_STATE_BOUNCED)
	drop := &mailv1.ChangeMailsRequest{Ids: []int64{listed.GetMails()[0].GetId()}, Action: mailv1.ChangeMailsRequest_ACTION_DROP}
	if _, err := q.Reports().ChangeMails(t.Context(), drop); err == nil {
		t.Error("an email is dropped without a record")
	}
	if to, _ := r.listed(q, mailv1.MailState_MAIL_STATE_BOUNCED); len(to) != 1 {
		t.Errorf("%v are left", to)
	}
	q.Record(func(context.Context, pgx.Tx, mail.Done, mail.Undelivered) error { return nil })
	for _, want := range []int{1, 0} {
		if resp, err := q.Reports().ChangeMails(t.Context(), drop); err != nil || len(resp.GetIds()) != want {
			t.Errorf("dropped %v, %v", resp, err)
		}
	}
	if to, _ := r.listed(q, mailv1.MailState_MAIL_STATE_BOUNCED); len(to) != 0 {
		t.Errorf("%v are left", to)
	}
}

func TestMailsComeInPages(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	for n := range 60 {
		r.enqueue(q, emailTo(fmt.Sprint(n), fmt.Sprintf("p%d@example.com", n)))
	}
	ask := &mailv1.ListMailsRequest{State: mailv1.MailState_MAIL_STATE_WAITING}
	seen := map[int64]bool{}
	for _, want := range []int{50, 10} {
		resp, err := q.Reports().ListMails(t.Context(), ask)
		if err != nil || len(resp.GetMails()) != want || (resp.GetNextCursor() == "") != (want == 10) || (len(resp.GetCounts()) > 0) != (want == 50) {
			t.Fatalf("%d emails, next %q, %v", len(resp.GetMails()), resp.GetNextCursor(), err)
		}
		for _, m := range resp.GetMails() {
			seen[m.GetId()] = true
		}
		ask.Cursor = resp.GetNextCursor()
	}
	if len(seen) != 60 {
		t.Errorf("%d emails were seen", len(seen))
	}
	for _, wrong := range []*mailv1.ListMailsRequest{{}, {State: 99}, {State: 1, Cursor: "x"}} {
		if _, err := q.Reports().ListMails(t.Context(), wrong); !errors.Is(err, fault.Invalid) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	for _, wrong := range []*mailv1.ChangeMailsRequest{{}, {Ids: []int64{1}}, {Ids: make([]int64, 101), Action: 1}, {Ids: []int64{1}, Action: 9}} {
		if _, err := q.Reports().ChangeMails(t.Context(), wrong); !errors.Is(err, fault.Invalid) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

func TestAnEmailThatIsSentAgainIsNotPutOffAnyMore(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	q.Record(func(context.Context, pgx.Tx, mail.Done, mail.Undelivered) error { return nil })
	r.enqueue(q, emailTo("1", "ada@example.com"))
	if _, err := r.pool.Exec(t.Context(), `UPDATE mail.river_job SET metadata = metadata || '{"snoozes": 2}'`); err != nil {
		t.Fatal(err)
	}
	_, listed := r.listed(q, mailv1.MailState_MAIL_STATE_PUT_OFF)
	if len(listed.GetMails()) != 1 {
		t.Fatalf("%v are put off", listed.GetMails())
	}
	resend := &mailv1.ChangeMailsRequest{Ids: []int64{listed.GetMails()[0].GetId()}, Action: mailv1.ChangeMailsRequest_ACTION_RESEND}
	if resp, err := q.Reports().ChangeMails(t.Context(), resend); err != nil || len(resp.GetIds()) != 1 {
		t.Fatalf("%v, %v", resp, err)
	}
	if to, _ := r.listed(q, mailv1.MailState_MAIL_STATE_PUT_OFF); len(to) != 0 {
		t.Errorf("%v are put off", to)
	}
	if to, _ := r.listed(q, mailv1.MailState_MAIL_STATE_WAITING); len(to) != 1 {
		t.Errorf("%v wait", to)
	}
}

func TestEveryChangeOfAnEmailByAnAdminIsRecorded(t *testing.T) {
	r := newRig(t)
	errtest.None(t, pg.Migrate(t.Context(), r.url, bus.Migrations()))
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	q.Record(audit.MailRecord(auditv1.Publisher_PUBLISHER_WAITLIST))
	r.enqueue(q, emailTo("1", "ada@example.com"))
	if _, err := r.pool.Exec(t.Context(), `UPDATE mail.river_job SET metadata = metadata || '{"snoozes": 2}'`); err != nil {
		t.Fatal(err)
	}
	_, listed := r.listed(q, mailv1.MailState_MAIL_STATE_PUT_OFF)
	audittest.Methods(t, mail.StaffPolicy(), r.pool, map[string]audittest.Call{
		"ListMails": audittest.Reads,
		"ChangeMails": {Action: "mail.dropped", Do: func(ctx context.Context) error {
			_, err := q.Reports().ChangeMails(ctx, &mailv1.ChangeMailsRequest{Ids: []int64{listed.GetMails()[0].GetId()}, Action: mailv1.ChangeMailsRequest_ACTION_DROP})
			return err
		}},
	})
}

// fill adds emails in a state, the first of them due two minutes ago.
func (r *rig) fill(n int, state string) {
	r.t.Helper()
	if _, err := r.pool.Exec(r.t.Context(), `INSERT INTO mail.river_job (state, args, kind, max_attempts, queue, created_at, scheduled_at, finalized_at)
		SELECT $2::text::mail.river_job_state, '{"message": {"To": "ada@example.com", "Subject": "Hello"}}', 'email', 25, 'letters',
			now() - interval '2 minutes' / n, now() - interval '2 minutes' / n, CASE WHEN $2 = 'completed' THEN now() END
		FROM generate_series(1, $1) AS n`, n, state); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.pool.Exec(r.t.Context(), "ANALYZE mail.river_job"); err != nil {
		r.t.Fatal(err)
	}
}

func TestOnlySoManyEmailsAreCounted(t *testing.T) {
	r := newRig(t)
	q, _ := r.queue(plainConfig(r.smtp.Addr()))
	r.enqueue(q, emailTo("1", "ada@example.com"))
	r.fill(10_001, "completed")
	_, resp := r.listed(q, mailv1.MailState_MAIL_STATE_WAITING)
	counts := map[mailv1.MailState]int64{}
	for _, c := range resp.GetCounts() {
		counts[c.GetState()] = c.GetCount()
	}
	if _, ok := counts[mailv1.MailState_MAIL_STATE_SENT]; ok || len(counts) != 5 || counts[mailv1.MailState_MAIL_STATE_WAITING] != 1 {
		t.Errorf("counted %v", counts)
	}
}

var mailRows = flag.Int("mail-rows", 100_000, "emails that were sent in BenchmarkListMails")

// BenchmarkListMails measures a first page, with its counts, and what a scrape asks.
func BenchmarkListMails(b *testing.B) {
	for _, jobs := range []string{"completed", "available"} {
		r := newRig(b)
		q, _ := r.queue(plainConfig(r.smtp.Addr()))
		r.enqueue(q, emailTo("1", "ada@example.com"))
		r.fill(*mailRows, jobs)
		for _, state := range []mailv1.MailState{mailv1.MailState_MAIL_STATE_SENT, mailv1.MailState_MAIL_STATE_WAITING, mailv1.MailState_MAIL_STATE_GIVEN_UP} {
			b.Run(jobs+"/"+enum.Name(state), func(b *testing.B) {
				for b.Loop() {
					r.listed(q, state)
				}
			})
		}
		b.Run(jobs+"/scrape", func(b *testing.B) {
			benchtest.P95(b, 250*time.Millisecond, func() error {
				_, rt := r.queue(plainConfig(r.smtp.Addr()))
				_, err := rt.Metrics.Gather()
				return err
			})
		})
	}
}

// TestGaugesTellOfWhatWaits, by state, and how long.
func TestGaugesTellOfWhatWaits(t *testing.T) {
	r := newRig(t)
	for state, n := range map[string]int{"completed": 5, "scheduled": 3, "available": 100_001} {
		r.fill(n, state)
	}
	if _, err := r.pool.Exec(t.Context(), "UPDATE mail.river_job SET priority = 4, scheduled_at = now() - interval '3 minutes' WHERE id = (SELECT max(id) FROM mail.river_job WHERE state = 'available')"); err != nil {
		t.Fatal(err)
	}
	_, rt := r.queue(plainConfig(r.smtp.Addr()))
	families, err := rt.Metrics.Gather()
	errtest.None(t, err)
	found := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, label := range m.GetLabel() {
				if label.GetName() == "state" {
					name += " " + label.GetValue()
				}
			}
			found[name] = m.GetGauge().GetValue()
		}
	}
	for name, least := range map[string]float64{
		"jobs_waiting available": 100_000, "jobs_waiting scheduled": 3, "jobs_waiting running": 0, "jobs_waiting retryable": 0,
		"jobs_oldest_seconds": 180, "mail_oldest_seconds": 120,
	} {
		most := least
		if least > 100 && least < 1000 {
			most += 60
		}
		if got, ok := found[name]; !ok || got < least || got > most {
			t.Errorf("%s is %v (%t), want %v to %v", name, got, ok, least, most)
		}
	}
}
