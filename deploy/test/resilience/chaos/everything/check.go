package everything

import (
	"context"
	"fmt"

	"fledge.dev/deploy/local/procs"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/resilience/chaos"
	"fledge.dev/services"
)

// settled waits until every event is applied and every email has been sent.
func (b *books) settled(ctx context.Context) error {
	var left []string
	err := until(ctx, "everything is applied", func() (bool, error) {
		var err error
		if left, err = b.unapplied(ctx); err != nil || len(left) > 0 {
			return false, err
		}
		missing, _, err := b.missingEmails(ctx)
		left = missing
		return len(missing) == 0, err
	})
	if err != nil {
		return fmt.Errorf("%w; %d are left: %v", err, len(left), left[:min(3, len(left))])
	}
	return nil
}

// check compares what is written down with what was tried and what was acknowledged.
func check(ctx context.Context, b *books, c *crowd) (checks []chaos.Check, err error) {
	for _, l := range []struct {
		kind          kind
		service, rows string
	}{
		{join, "waitlist", "SELECT email FROM waitlist_users WHERE source = 'hero_section'"},
		{approve, "waitlist", "SELECT email FROM waitlist_users WHERE status = 'approved' AND source = 'hero_section'"},
		{ticket, "support", "SELECT idempotency_key FROM tickets"},
		{spend, "billing", "SELECT key FROM credit_keys"},
		{signIn, "identity", "SELECT email FROM users WHERE email LIKE 'newcomer-%'"},
	} {
		present, err := b.column(ctx, l.service, l.rows)
		if err != nil {
			return nil, err
		}
		checks = append(checks, compare(l.kind, c.acked[l.kind], c.tried[l.kind], present))
	}
	for _, p := range []struct{ name, service, problems string }{
		{"each sign-up told once", "waitlist", `SELECT u.email || ': ' || count(t.user_id) || ' times' FROM waitlist_users u
			LEFT JOIN (` + stack.SignUpsTold + `) t ON t.user_id = u.id::text GROUP BY u.email HAVING count(t.user_id) <> 1`},
		{"each sign-up counted once", "waitlist", `SELECT source || ': counted ' || coalesce(c.n, 0) || ', there are ' || count(*) FROM waitlist_users
			LEFT JOIN (SELECT source, sum(count) AS n FROM signup_daily GROUP BY source) c USING (source) GROUP BY source, c.n HAVING coalesce(c.n, 0) <> count(*)`},
		{"a spend takes once", "billing", `SELECT a.user_id || ' has ' || balance FROM credit_accounts a
			WHERE balance <> (SELECT sum(amount) FROM credit_entries e WHERE e.user_id = a.user_id)
			OR balance <> (SELECT sum(amount) FROM credit_grants g WHERE g.user_id = a.user_id) - (SELECT count(*) FROM credit_keys k WHERE k.user_id = a.user_id)`},
		{"each approval is in the audit log once", "identity", `SELECT event_id::text FROM inbox WHERE consumer = 'identity-audit-waitlist' GROUP BY event_id HAVING count(*) <> 1`},
	} {
		problems, err := b.column(ctx, p.service, p.problems)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		checks = append(checks, chaos.Check{Name: p.name, Problems: problems})
	}
	dead := chaos.Check{Name: "no event is given up"}
	for _, service := range services.Names() {
		buried, err := b.column(ctx, service, "SELECT $1 || ': ' || type || ' ' || reason FROM dead_letter", service)
		if err != nil {
			return nil, err
		}
		dead.Problems = append(dead.Problems, buried...)
	}
	missing, emails, err := b.missingEmails(ctx)
	if err != nil {
		return nil, err
	}
	return append(checks, dead, chaos.Check{Name: "one email for each approval and each ticket", Figure: emails, Problems: missing},
		c.checkDevices(ctx), chaos.Check{Name: "no answer was wrong", Figure: fmt.Sprint(len(c.answers)), Problems: c.wrong}), nil
}

// compare: what was acknowledged is there, once, and what was never tried is not.
func compare(k kind, acked, tried *procs.Ledger, present []string) chaos.Check {
	d := acked.Compare(present)
	c := chaos.Check{Name: string(k) + ": nothing lost, doubled or invented", Figure: fmt.Sprintf("%d of %d acknowledged", acked.Len(), tried.Len())}
	for _, key := range d.Lost {
		c.Problems = append(c.Problems, key+" is lost")
	}
	for _, key := range d.Repeated {
		c.Problems = append(c.Problems, key+" is there twice")
	}
	for _, key := range tried.Compare(present).Unasked {
		c.Problems = append(c.Problems, key+" was never asked for")
	}
	return c
}

// missingEmails are the approvals and tickets without an email of their own, and the
// people who got more. Copies of the same email count as one.
func (b *books) missingEmails(ctx context.Context) (problems []string, figure string, err error) {
	copies, err := b.emails(ctx)
	if err != nil {
		return nil, "", err
	}
	want := map[string]int{}
	approved, err := b.column(ctx, "waitlist", "SELECT email FROM waitlist_users WHERE status = 'approved'")
	if err != nil {
		return nil, "", err
	}
	opened, err := b.column(ctx, "support", "SELECT user_email FROM tickets")
	if err != nil {
		return nil, "", err
	}
	for _, email := range append(approved, opened...) {
		want[email]++
	}
	sent, again := 0, 0
	for email, n := range want {
		if got := len(copies[email]); got != n {
			problems = append(problems, fmt.Sprintf("%s: %d emails instead of %d", email, got, n))
		}
	}
	for email, emails := range copies {
		if want[email] == 0 {
			problems = append(problems, email+" should have no email")
		}
		for _, n := range emails {
			sent++
			again += n - 1
		}
	}
	return problems, fmt.Sprintf("%d emails, %d sent again under the same id", sent, again), nil
}

// checkDevices: nobody is signed out who holds a token that was acknowledged.
func (c *crowd) checkDevices(ctx context.Context) chaos.Check {
	result := chaos.Check{Name: "devices are still signed in", Figure: fmt.Sprint(len(c.devices))}
	for i, d := range c.devices {
		err := until(ctx, "a device rotates its token", func() (bool, error) {
			err := d.rotate(ctx)
			return err == nil, err
		})
		if err != nil {
			result.Problems = append(result.Problems, fmt.Sprintf("device %d: %v", i, err))
		}
	}
	return result
}
