package chaos

import (
	"context"
	"fmt"
	"time"

	"fledge.dev/deploy/test/harness/load"
)

// Check is a promise.
type Check struct {
	Name string
	// Timely promises are those that only a quiet machine keeps.
	Timely bool
	// Look returns how much it looked at, and where the promise does not hold.
	Look func(ctx context.Context, r *Run) (figure string, problems []string, err error)
}

// Result is what a check has found.
type Result struct {
	Name, Figure string
	Problems     []string
}

// look makes the checks.
func (r *Run) look(ctx context.Context) (results []Result, err error) {
	for _, c := range r.scenario.Checks {
		if c.Timely && r.opts.Quick {
			continue
		}
		figure, problems, err := c.Look(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		results = append(results, Result{c.Name, figure, problems})
	}
	return results, nil
}

// kept: what was acknowledged is there, once, and what was never tried is not. The rows are
// the keys of that kind that a service has.
func kept(kind, service, rows string) Check {
	return Check{Name: kind + ": nothing lost, doubled or invented", Look: func(ctx context.Context, r *Run) (string, []string, error) {
		present, err := r.databases.column(ctx, service, rows)
		figure, problems := compare(r.ledger.Tried(kind), r.ledger.Acked(kind), present)
		return figure, problems, err
	}}
}

func compare(tried, acked *load.Keys, present []string) (figure string, problems []string) {
	if acked.Len() == 0 {
		problems = append(problems, "nothing was acknowledged, which proves nothing")
	}
	d := acked.Compare(present)
	d.Unasked = tried.Compare(present).Unasked
	return fmt.Sprintf("%d of %d acknowledged", acked.Len(), tried.Len()), append(problems, differences(d)...)
}

func differences(d load.Difference) (problems []string) {
	for what, keys := range map[string][]string{"is lost": d.Lost, "is there more than once": d.Repeated, "should not be there": d.Unasked} {
		for _, key := range keys {
			problems = append(problems, key+" "+what)
		}
	}
	return problems
}

// same compares what there is with what there must be, each once.
func same(want, got []string) []string {
	l := load.NewKeys()
	for _, key := range want {
		l.Add(key)
	}
	return differences(l.Compare(got))
}

// none: a query of billing's database returns a problem in each row; another, unless it is
// "", how much that was about.
func none(name, problems, count string) Check {
	return Check{Name: name, Look: func(ctx context.Context, r *Run) (figure string, list []string, err error) {
		if count != "" {
			n, err := r.databases.number(ctx, "billing", count)
			if err != nil {
				return "", nil, err
			}
			figure = fmt.Sprint(n)
		}
		list, err = r.databases.column(ctx, "billing", problems)
		return figure, list, err
	}}
}

// within: what [Run.took] noted took no longer.
func within(what string, limit time.Duration) Check {
	return Check{Name: what, Timely: true, Look: func(_ context.Context, r *Run) (string, []string, error) {
		got := r.worst[what]
		figure := fmt.Sprintf("%.1f s of %.0f s", got.Seconds(), limit.Seconds())
		if got > limit {
			return figure, []string{figure}, nil
		}
		return figure, nil, nil
	}}
}

// each looks at the samples of phases and says what is wrong with one, "" for nothing.
func each(name string, phases []string, wrong func(r *Run, s load.Sample) string) Check {
	return Check{Name: name, Look: func(_ context.Context, r *Run) (figure string, problems []string, err error) {
		for _, phase := range phases {
			s := r.sample(phase)
			if problem := wrong(r, s); problem != "" {
				problems = append(problems, phase+": "+problem)
			}
		}
		return "", problems, nil
	}}
}

// timely marks a check of which only a quiet machine is asked.
func timely(c Check) Check {
	c.Timely = true
	return c
}
