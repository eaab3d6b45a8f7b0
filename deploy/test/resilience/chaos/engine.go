package chaos

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
)

// Run is a scenario that is being played.
type Run struct {
	scenario Scenario
	opts     Options
	began    time.Time
	ends     []func() error

	product   *stack.Stack
	databases *databases
	ledger    *load.Ledger
	generator *load.Generator
	nemesis   *nemesis
	samples   []load.Sample
	// gone are the addresses of those who leave; none of their emails is known afterwards.
	gone []string

	mu     sync.Mutex
	counts map[string]int
	worst  map[string]time.Duration
}

const (
	// settledAfter is a time that the engine takes, from the last phase's end.
	settledAfter = "everything is applied after the last fault"
	// stoodStill is more than a busy machine lets a sender wait: a virtual one was stopped.
	stoodStill = 4 * time.Second
	peak       = "peak"
)

func newRun(s Scenario, o Options) *Run {
	r := &Run{scenario: s, opts: o, began: time.Now(), ledger: load.NewLedger(), counts: map[string]int{}, worst: map[string]time.Duration{}}
	r.nemesis = &nemesis{run: r}
	return r
}

// Play breaks a product of its own and reports what it found. The error says that the run
// itself could not take place.
func (s Scenario) Play(ctx context.Context, o Options) (report *Report, err error) {
	r := newRun(s, o)
	defer func() {
		for i := len(r.ends) - 1; i >= 0; i-- {
			err = errors.Join(err, r.ends[i]())
		}
	}()
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	for _, p := range s.Phases(o) {
		if err := r.phase(ctx, p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	var results []Result
	if s.Settle != nil {
		began := time.Now()
		if err := s.Settle(ctx, r); err != nil {
			results = append(results, Result{Name: "everything settles", Problems: []string{err.Error()}})
		}
		r.took(settledAfter, time.Since(began))
	}
	found, err := r.look(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	return &Report{
		Scenario: s, Seed: o.Seed, Took: time.Since(r.began), Samples: r.samples, Counts: r.counts, Worst: r.worst, Results: append(found, results...),
	}, ctx.Err()
}

func (r *Run) start(ctx context.Context) (err error) {
	product := r.opts.Product
	product.Form = stack.Processes
	if r.scenario.World != nil {
		if err := r.scenario.World(ctx, r, &product); err != nil {
			return err
		}
	}
	if r.product, err = stack.Start(ctx, product); err != nil {
		return err
	}
	r.atEnd(func() error { return r.product.Stop(context.WithoutCancel(ctx)) })
	if r.databases, err = openDatabases(ctx, r.product); err != nil {
		return err
	}
	r.atEnd(func() error { r.databases.close(); return nil })
	r.generator = &load.Generator{Ledger: r.ledger, Tell: func(s load.Sample) { r.log("%s: %s", s.Name, s) }}
	if r.scenario.Gather != nil {
		r.generator.Mix, err = r.scenario.Gather(ctx, r)
		r.log("everybody is here")
	}
	return err
}

// phase sends requests, or works, while faults come and go.
func (r *Run) phase(ctx context.Context, p Phase) error {
	sample, err := r.once(ctx, p)
	if err == nil && sample.Stood > stoodStill && len(p.Faults) == 0 {
		r.log("%s: the machine stood still for %s: once more", p.Name, sample.Stood.Round(time.Second))
		sample, err = r.once(ctx, p)
	}
	if err != nil {
		return err
	}
	if p.Work == nil {
		r.log("%s: %s", p.Name, sample)
		r.samples = append(r.samples, sample)
	}
	if p.Then != nil {
		return p.Then(ctx, r)
	}
	return nil
}

func (r *Run) once(ctx context.Context, p Phase) (sample load.Sample, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	if p.Progress == nil {
		p.Progress = func() float64 { return float64(time.Since(began)) / float64(p.For) }
	}
	sending, enough := context.WithCancel(ctx)
	broken := make(chan error, 1)
	go func() {
		defer enough()
		err := r.nemesis.carryOut(ctx, p)
		if err == nil {
			err = wait(ctx, p.For-time.Since(began))
		}
		broken <- err
	}()
	if p.Work != nil {
		if err = p.Work(ctx, r); err != nil {
			cancel()
		}
	} else {
		rate := p.Rate
		if p.OfPeak > 0 {
			rate = p.OfPeak * r.sample(peak).Goodput()
		}
		r.generator.Timeout = p.Timeout
		sample = r.generator.Run(sending, p.Name, rate, p.AtOnce)
	}
	if faults := <-broken; err == nil {
		err = faults
	}
	return sample, err
}

// sample is that of a phase.
func (r *Run) sample(phase string) load.Sample {
	for _, s := range r.samples {
		if s.Name == phase {
			return s
		}
	}
	return load.Sample{}
}

// atEnd is done at the end, in reverse order.
func (r *Run) atEnd(do func() error) { r.ends = append(r.ends, do) }

// count adds to a figure of the report.
func (r *Run) count(what string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what] += n
}

// took keeps the longest time that something took, for the report and for [within].
func (r *Run) took(what string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.worst[what] = max(r.worst[what], d)
}

func (r *Run) log(format string, args ...any) {
	_, _ = fmt.Fprintf(r.opts.Log, "%s  %5.1f s  %s\n", time.Now().Format(time.TimeOnly), time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

const (
	// seenWithin is how soon something must have happened at all, on the busiest machine.
	seenWithin = 4 * time.Minute
	poll       = 50 * time.Millisecond
)

// until waits until something holds; the last error says why it does not.
func until(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, seenWithin)
	defer cancel()
	for {
		held, err := holds()
		if err == nil && held {
			return nil
		}
		if stopped := wait(ctx, poll); stopped != nil {
			return fmt.Errorf("%s: %w", what, errors.Join(stopped, err))
		}
	}
}
