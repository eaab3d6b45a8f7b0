package mail

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/obs"
)

// State is how an email ended.
type State string

// The ends of an email, and what is before.
const (
	Sent State = "sent"
	// Bounced: the server refused the recipient for good.
	Bounced State = "bounced"
	// GivenUp: it could not be sent in four and a half days.
	GivenUp State = "given_up"
	// Complained: its reader has marked an email as spam.
	Complained State = "complained"
	// Unsubscribed: its reader wants no emails to lists, and has told the provider.
	Unsubscribed State = "unsubscribed"

	// Waiting: it is still to be sent; told when an operator sends it again.
	Waiting State = "waiting"

	// withdrawn: its reason went away before it was sent.
	withdrawn State = "withdrawn"
)

// Outcome is what became of an email. A job keeps it as its output.
type Outcome struct {
	State State `json:"state"`
	// Reply is the code of the server's answer, such as "550 5.1.1"; "" without one.
	Reply string `json:"reply,omitempty"`
	// At is what was answered so: connect, MAIL FROM, RCPT TO or DATA; or "report", when the provider
	// has reported it of an earlier email and this one was not tried.
	At string `json:"at,omitempty"`
}

func newMetrics(reg *prometheus.Registry) *prometheus.CounterVec {
	deliveries := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mail_deliveries_total", Help: "Tries to deliver an email, by result: sent, blocked (none can be sent now), deferred, bounced, given_up, or, before it was tried, withdrawn or suppressed for what the provider has reported."}, []string{"result"})
	for _, result := range []string{"sent", "blocked", "deferred", "bounced", "given_up", "withdrawn", "suppressed"} {
		deliveries.WithLabelValues(result)
	}
	reg.MustRegister(deliveries)
	return deliveries
}

// newTemplateFailures counts each template from zero, so that the first failure is an increase.
func newTemplateFailures(reg *prometheus.Registry, templates *Templates) *prometheus.CounterVec {
	failures := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mail_templates_failed_total", Help: "Emails that got the built-in words because the installed template, or the layout, could not take their values, by template."}, []string{"template"})
	for name := range templates.own {
		failures.WithLabelValues(name)
	}
	reg.MustRegister(failures)
	return failures
}

// oldestSQL reads one email of each state, the one with the least id, in the order of our index.
const oldestSQL = `SELECT coalesce(greatest(extract(epoch FROM now() - min(first.created_at)), 0), 0)::float8
	FROM unnest('{available,running,retryable,scheduled}'::` + table + `_state[]) AS s (of),
		LATERAL (SELECT created_at FROM ` + table + ` WHERE (state, id) >= (of, 0) AND (state, id) < (of, 9223372036854775807)
			ORDER BY state, id LIMIT 1) AS first`

func oldestEmail(pool *pgxpool.Pool) obs.ScrapeGauge {
	return obs.ScrapeGauge{
		Name: "mail_oldest_seconds", Help: "Age of the oldest email that is still to be delivered; 0 without one.",
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			var seconds float64
			err := pool.QueryRow(ctx, oldestSQL).Scan(&seconds)
			return []obs.Sample{{Value: seconds}}, err
		},
	}
}
