package mail_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/smtptest"
	"fledge.dev/services/platform/waittest"
)

const timeout = 40 * time.Second

// rig is a database with a queue and a mail server.
type rig struct {
	t    testing.TB
	url  string
	pool *pgxpool.Pool
	smtp *smtptest.Server
}

func newRig(t testing.TB) *rig {
	t.Helper()
	url := pgtest.New(t, "mail", mail.Migrate)
	pool, err := pgxpool.New(t.Context(), url)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	return &rig{t: t, url: url, pool: pool, smtp: smtptest.Start(t, nil)}
}

func plainConfig(addr string) mail.Config {
	return mail.Config{
		SMTPAddr: addr, TLS: mail.TLSNone, Auth: "auto", Timeout: 5 * time.Second, RescueStuckJobsAfter: 10 * time.Second,
		From: "Flédge <hello@fledge.test>", ReplyTo: "support@fledge.test",
	}
}

func (r *rig) queue(cfg mail.Config) (*mail.Queue, *service.Runtime) {
	r.t.Helper()
	rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
	q, err := mail.NewQueue(r.pool, cfg, place, rt)
	errtest.None(r.t, err)
	return q, rt
}

// work runs the queue's worker until the test ends.
func (r *rig) work(q *mail.Queue) {
	r.t.Helper()
	stop, err := q.Unit().Start(r.t.Context())
	errtest.None(r.t, err)
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		if err := stop(ctx); err != nil {
			r.t.Errorf("stop: %v", err)
		}
	})
}

func (r *rig) enqueue(q *mail.Queue, emails ...mail.Email) {
	r.t.Helper()
	err := pgx.BeginFunc(r.t.Context(), r.pool, func(tx pgx.Tx) error {
		for _, e := range emails {
			if err := q.Enqueue(r.t.Context(), tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	errtest.None(r.t, err)
}

// place is what the tests send.
var place = mail.BuiltIn{
	Files: fstest.MapFS{"templates/place.txt": {Data: []byte(`Subject: {{.Subject}}
Heading: You’re in
Action: Download for Mac
Reason: You joined the {{.Brand}} waitlist.

Your place is ready.
`)}},
	Samples: []mail.Email{emailTo("place/1", "ada@example.test")},
}

func emailTo(key, to string) mail.Email {
	return mail.Email{
		Key: key, To: to, Template: "place", Values: map[string]string{"Subject": "Du bist dabei, Jürgen – los!"}, Action: "http://localhost:8080/closed-beta",
	}
}

// jobs counts the queue's jobs in a state.
func (r *rig) jobs(state string) (n int) {
	r.t.Helper()
	errtest.None(r.t, r.pool.QueryRow(r.t.Context(), "SELECT count(*) FROM mail.river_job WHERE state::text = $1", state).Scan(&n))
	return n
}

func (r *rig) eventuallyJobs(state string, n int) {
	r.t.Helper()
	waittest.Seen(r.t, fmt.Sprintf("%d jobs %s", n, state), func() (bool, string) { return r.jobs(state) == n, r.states() })
}

// eventuallyTried waits until the metric knows of a delivery with this result.
func (r *rig) eventuallyTried(rt *service.Runtime, result string) {
	r.t.Helper()
	waittest.Seen(r.t, "a delivery "+result, func() (bool, string) { return tried(r.t, rt, result), r.states() })
}

func tried(t testing.TB, rt *service.Runtime, result string) bool {
	t.Helper()
	families, err := rt.Metrics.Gather()
	errtest.None(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == "mail_deliveries_total" && m.GetLabel()[0].GetValue() == result && m.GetCounter().GetValue() > 0 {
				return true
			}
		}
	}
	return false
}

func (r *rig) states() (seen string) {
	r.t.Helper()
	var states []string
	errtest.None(r.t, r.pool.QueryRow(r.t.Context(), "SELECT array_agg(state::text || ' ' || coalesce(errors::text, '')) FROM mail.river_job").Scan(&states))
	return fmt.Sprint(states)
}
