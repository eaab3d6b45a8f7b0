// Package stall freezes PostgreSQL under traffic for a minute, and checks that requests are
// refused at once, that nothing piles up, and that every connection is released.
package stall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"fledge.dev/deploy/local/procs"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
)

// Options describe a run.
type Options struct {
	// Rate is in requests a second.
	Rate int
	// Lasts is how long PostgreSQL is frozen.
	Lasts time.Duration
	// Product is what is loaded; its form and settings are set.
	Product stack.Options
	// Log tells how far it has got.
	Log io.Writer
}

const (
	// longest is how many seconds answers may take while there are still connections for
	// others. More connections would only be more goroutines of the gateway.
	longest = 2
	// frozenAfter is how long the load goes on before: the server stops in the middle of it.
	frozenAfter = time.Second
	// recovery is the time until all is well again.
	recovery = 5 * time.Second
)

// paths need each service's database, but for the downloads, which are remembered.
var paths = []string{
	"/api/get-waitlist-users?limit=10", "/api/get-credit-balance", "/api/get-latest-downloads", "/api/auth/user",
	"/api/get-plans", "/api/get-my-support-tickets", "/api/get-github-releases",
}

// Run freezes the PostgreSQL of a product of its own. The error says that the run itself
// could not take place.
func Run(ctx context.Context, opts Options) (report *Report, err error) {
	product, s, err := load.Start(ctx, opts.Product, paths)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, product.Stop(context.WithoutCancel(ctx))) }()
	postgres, err := product.Program("postgres")
	if err != nil {
		return nil, err
	}
	w, err := newWatch(ctx, product)
	if err != nil {
		return nil, err
	}
	defer w.close()

	joined := procs.NewLedger()
	s.Answered = func(n, status int) {
		if load.SignsUp(n) && status/100 == 2 {
			joined.Acknowledged(load.Email(n))
		}
	}
	report = &Report{Rate: opts.Rate, Lasts: opts.Lasts}
	run := func(name string, length time.Duration) load.Sample {
		sample := s.Run(ctx, name, float64(opts.Rate), longest*opts.Rate, length)
		_, _ = fmt.Fprintf(opts.Log, "%s  %s: %d answered, %d refused, %d otherwise\n", time.Now().Format(time.TimeOnly), name, sample.Good.Answers, sample.Refused.Answers, sample.Wrong)
		return sample
	}

	report.Before = run("before", 2*recovery)
	before, err := w.settled(ctx, nil)
	if err != nil {
		return nil, err
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	most := make(chan map[string]State, 1)
	go func() { most <- w.most(watching) }()
	frozen := make(chan error, 1)
	freeze := time.AfterFunc(frozenAfter, func() { frozen <- postgres.Pause() })
	defer freeze.Stop()
	report.During = run("frozen", frozenAfter+opts.Lasts)
	if err := errors.Join(<-frozen, postgres.Resume()); err != nil {
		return nil, err
	}
	report.Returning = run("back", recovery)
	report.After = run("after", recovery)
	stop()
	report.Programs = programs(before, <-most)

	after, err := w.settled(ctx, before)
	if err != nil {
		return nil, err
	}
	for i, p := range report.Programs {
		report.Programs[i].After = after[p.Name]
	}
	report.Joined = joined.Len()
	present, err := w.joined(ctx)
	report.Lost = joined.Compare(present).Lost
	return report, err
}
