package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/services"
)

// databases are what the product has written down: its databases, and the mailbox.
type databases struct {
	pools map[string]*pgxpool.Pool // by service
	mail  string
}

// ourName tells our sessions from those of the service whose role we use.
const ourName = "chaos"

func openDatabases(ctx context.Context, product *stack.Stack) (*databases, error) {
	d := &databases{pools: map[string]*pgxpool.Pool{}, mail: product.URLs().Mail}
	for _, service := range services.Names() {
		cfg, err := pgxpool.ParseConfig(product.DatabaseURL(service))
		if err == nil {
			cfg.ConnConfig.RuntimeParams["application_name"] = ourName
			d.pools[service], err = pgxpool.NewWithConfig(ctx, cfg)
		}
		if err != nil {
			d.close()
			return nil, err
		}
	}
	return d, nil
}

func (d *databases) close() {
	for _, pool := range d.pools {
		pool.Close()
	}
}

// column reads the first column of all rows.
func (d *databases) column(ctx context.Context, service, query string, args ...any) ([]string, error) {
	rows, _ := d.pools[service].Query(ctx, query, args...) // the error comes with the rows
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (d *databases) number(ctx context.Context, service, query string, args ...any) (n int, err error) {
	err = d.pools[service].QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}

// unapplied are the events that are not published, or that a consumer has not dealt with.
func (d *databases) unapplied(ctx context.Context) (list []string, err error) {
	for _, service := range services.Names() {
		waiting, err := d.column(ctx, service, "SELECT $1 || ' has not published ' || id FROM outbox WHERE stream_seq IS NULL", service)
		if err != nil {
			return nil, err
		}
		list = append(list, waiting...)
	}
	for _, service := range services.All() {
		for _, durable := range service.Consumers {
			subject := durable.Type // fledge.<its service>.…
			told, err := d.column(ctx, strings.Split(subject, ".")[1], "SELECT id::text FROM outbox WHERE type = $1", subject)
			if err != nil {
				return nil, err
			}
			heard, err := d.column(ctx, service.Name, "SELECT event_id::text FROM inbox WHERE consumer = $1", durable.Name)
			if err != nil {
				return nil, err
			}
			slices.Sort(heard)
			for _, id := range told {
				if _, found := slices.BinarySearch(heard, id); !found {
					list = append(list, durable.Name+" has not heard of "+id)
				}
			}
		}
	}
	return list, nil
}

// emails are the approvals, the tickets and the notices about an account without an email of their own,
// and the people who got more. Whether identity and billing tell somebody something depends on when they
// look, so their queues say what was sent, what waits and what was given up. One that was withdrawn, for its reason went away,
// is none of these. Copies under the same id count as one; again is how many there are. What was sent to gone does not count.
func (d *databases) emails(ctx context.Context, gone []string) (problems []string, sent, again int, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	copies, err := load.Emails(ctx, nil, d.mail)
	if err != nil {
		return nil, 0, 0, err
	}
	approved, err := d.column(ctx, "waitlist", "SELECT email FROM waitlist_users WHERE status = 'approved'")
	if err != nil {
		return nil, 0, 0, err
	}
	opened, err := d.column(ctx, "support", "SELECT user_email FROM tickets")
	if err != nil {
		return nil, 0, 0, err
	}
	all := slices.Concat(approved, opened)
	for _, service := range []string{"identity", "billing"} {
		noticed, err := d.column(ctx, service, `SELECT args->'message'->>'To' FROM mail.river_job
			WHERE state = 'completed' AND metadata->'output'->>'state' IS DISTINCT FROM 'withdrawn'`)
		if err != nil {
			return nil, 0, 0, err
		}
		unsent, err := d.column(ctx, service, `SELECT format('%s: an email of %s %s', args->'message'->>'To', $1::text,
			CASE WHEN finalized_at IS NULL THEN 'waits, ' || state ELSE coalesce(metadata->'output'->>'state', 'given_up') END)
			FROM mail.river_job WHERE state <> 'completed'`, service)
		if err != nil {
			return nil, 0, 0, err
		}
		all, problems = append(all, noticed...), append(problems, unsent...)
	}
	want := map[string]int{}
	for _, email := range all {
		want[email]++
	}
	for _, email := range gone {
		delete(want, email)
		delete(copies, email)
	}
	for email, n := range want {
		if got := len(copies[email]); got != n {
			problems = append(problems, fmt.Sprintf("%s: %d emails instead of %d", email, got, n))
		}
	}
	for email, byID := range copies {
		if want[email] == 0 {
			problems = append(problems, email+" should have no email")
		}
		for _, n := range byID {
			sent, again = sent+n, again+n-1
		}
	}
	return problems, sent, again, nil
}

var oneEmail = Check{Name: "one email for each approval, ticket and notice", Look: func(ctx context.Context, r *Run) (string, []string, error) {
	problems, sent, again, err := r.databases.emails(ctx, r.gone)
	return fmt.Sprintf("%d emails, %d sent again under the same id", sent, again), problems, err
}}

// allApplied waits until every event is applied and every email has been sent.
func allApplied(ctx context.Context, r *Run) error {
	var left []string
	err := until(ctx, "everything is applied", func() (held bool, err error) {
		if left, err = r.databases.unapplied(ctx); err == nil && len(left) == 0 {
			left, _, _, err = r.databases.emails(ctx, r.gone)
		}
		return len(left) == 0, err
	})
	if err != nil {
		return fmt.Errorf("%w; %d are left: %v", err, len(left), left[:min(3, len(left))])
	}
	return nil
}
