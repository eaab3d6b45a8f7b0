package product

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Sample is what a load achieved in one run.
type Sample struct {
	PerSecond float64
	P50, P99  time.Duration
	// Failed are answers other than the ones that the load is about, and requests
	// without an answer.
	Failed int64
	// CPU is what each part of the product took meanwhile for one operation.
	CPU map[string]time.Duration
}

// Load is something that can be done over and over for a while.
type Load struct {
	Name string
	// Run does it for so long, with as many clients as it has.
	Run func(ctx context.Context, length time.Duration) (Sample, error)
	// Before and After, if given, are done around it and not measured.
	Before, After func(ctx context.Context) error
}

// run does the load once.
func (l Load) run(ctx context.Context, length time.Duration, used func() map[string]time.Duration) (sample Sample, err error) {
	if l.Before != nil {
		if err := l.Before(ctx); err != nil {
			return sample, err
		}
	}
	before, began := used(), time.Now()
	sample, err = l.Run(ctx, length)
	sample.CPU = map[string]time.Duration{}
	operations := sample.PerSecond * time.Since(began).Seconds()
	for part, now := range used() {
		if took := now - before[part]; took > 0 && operations > 0 {
			sample.CPU[part] = time.Duration(float64(took) / operations)
		}
	}
	if l.After != nil {
		err = errors.Join(err, l.After(ctx))
	}
	return sample, err
}

// Group are loads that are measured in turn. All are compared with the first.
type Group struct {
	Name  string
	Loads []Load
}

// Plan says how long and how often.
type Plan struct {
	Rounds int
	Length time.Duration
}

// Result are the samples of a group: one row for each load, one column for each round.
type Result struct {
	Group   Group
	Samples [][]Sample
}

// Measure runs the loads of a group in rounds. Every other round goes backwards, so
// that none is always first on a disk that has just been written to. used returns the CPU
// time that the parts have taken so far; told is called with every sample.
func Measure(ctx context.Context, g Group, plan Plan, used func() map[string]time.Duration, told func(load string, round int, s Sample)) (Result, error) {
	r := Result{Group: g, Samples: make([][]Sample, len(g.Loads))}
	for round := range plan.Rounds {
		order := make([]int, len(g.Loads))
		for i := range order {
			order[i] = i
		}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, i := range order {
			load := g.Loads[i]
			sample, err := load.run(ctx, plan.Length, used)
			if err != nil {
				return r, fmt.Errorf("%s: %s: %w", g.Name, load.Name, err)
			}
			r.Samples[i] = append(r.Samples[i], sample)
			told(load.Name, round, sample)
		}
	}
	return r, nil
}

// Ratio is the load's rate for each one of the group's first: the middle one of all
// rounds, the lowest and the highest.
func (r Result) Ratio(load int) Spread { return r.Between(load, 0) }

// Between is the same for any two loads.
func (r Result) Between(load, of int) Spread {
	var ratios []float64
	for round, s := range r.Samples[load] {
		ratios = append(ratios, s.PerSecond/r.Samples[of][round].PerSecond)
	}
	return spread(ratios)
}

// Rate is the load's own rate.
func (r Result) Rate(load int) Spread {
	return r.each(load, func(s Sample) float64 { return s.PerSecond })
}

// P50 and P99 are percentiles of one operation's time, in milliseconds.
func (r Result) P50(load int) Spread {
	return r.each(load, func(s Sample) float64 { return milliseconds(s.P50) })
}

// P99 is the 99th percentile, in milliseconds.
func (r Result) P99(load int) Spread {
	return r.each(load, func(s Sample) float64 { return milliseconds(s.P99) })
}

// Failed counts over all rounds.
func (r Result) Failed(load int) (n int64) {
	for _, s := range r.Samples[load] {
		n += s.Failed
	}
	return n
}

func (r Result) each(load int, figure func(Sample) float64) Spread {
	var all []float64
	for _, s := range r.Samples[load] {
		all = append(all, figure(s))
	}
	return spread(all)
}

// Spread is the middle one of some figures, the least and the most.
type Spread struct{ Median, Least, Most float64 }

func spread(figures []float64) Spread {
	if len(figures) == 0 {
		return Spread{}
	}
	slices.Sort(figures)
	return Spread{figures[len(figures)/2], figures[0], figures[len(figures)-1]}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
