// Package product compares the product with its limits, see deploy/bench/README.md.
//
// An absolute result says as much about the machine as about the product. So every result
// is a ratio: two loads run right after each other, in several rounds, and the median of
// the rounds' ratios counts.
package product

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Sample is what a load generator says of one run.
type Sample struct {
	PerSecond float64
	P50, P99  float64 // milliseconds
	// Failed are answers other than the ones that the load is about, and requests
	// without an answer.
	Failed int64
	// CPU is what each program of the product took meanwhile for one operation, in µs.
	CPU map[string]float64
}

// Load is something that can be done over and over for a while.
type Load struct {
	Name string
	// Run does it for so long, with as many clients as it has.
	Run func(ctx context.Context, length time.Duration) (Sample, error)
	// Before and After, if given, are done around it and not measured.
	Before, After func(ctx context.Context) error
	Goal          Goal
}

// Goal bounds a load's figures, each as a multiple of the first load's: the rate from
// below, the times from above. 0 is no bound.
type Goal struct{ Rate, P50, P99 float64 }

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

// Measure runs the loads of a group in rounds and logs every sample. Every other round
// goes backwards, so that none is always first on a disk that has just been written to.
// used returns the CPU seconds that the product's programs have taken so far.
func Measure(ctx context.Context, g Group, plan Plan, used func(context.Context) map[string]float64, log io.Writer) (Result, error) {
	r := Result{Group: g, Samples: make([][]Sample, len(g.Loads))}
	for round := range plan.Rounds {
		for n := range g.Loads {
			if round%2 == 1 {
				n = len(g.Loads) - 1 - n
			}
			load := g.Loads[n]
			s, err := load.sample(ctx, plan.Length, used)
			if err != nil {
				return r, fmt.Errorf("%s: %s: %w", g.Name, load.Name, err)
			}
			r.Samples[n] = append(r.Samples[n], s)
			_, _ = fmt.Fprintf(log, "%-22s %d  %-46s %8.0f/s  p50 %8.2f ms  p99 %8.2f ms  %d failed\n", g.Name, round+1, load.Name, s.PerSecond, s.P50, s.P99, s.Failed)
		}
	}
	return r, nil
}

// sample runs the load once.
func (l Load) sample(ctx context.Context, length time.Duration, used func(context.Context) map[string]float64) (s Sample, err error) {
	if l.Before != nil {
		if err := l.Before(ctx); err != nil {
			return s, err
		}
	}
	before, began := used(ctx), time.Now()
	s, err = l.Run(ctx, length)
	operations := s.PerSecond * time.Since(began).Seconds()
	s.CPU = used(ctx)
	for program := range s.CPU {
		s.CPU[program] = (s.CPU[program] - before[program]) * 1e6 / max(1, operations)
	}
	if l.After != nil {
		err = errors.Join(err, l.After(ctx))
	}
	return s, err
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

// of is a figure of a load over all rounds.
func (r Result) of(load int, figure func(Sample) float64) Spread {
	var all []float64
	for _, s := range r.Samples[load] {
		all = append(all, figure(s))
	}
	return spread(all)
}

func rate(s Sample) float64 { return s.PerSecond }
func p50(s Sample) float64  { return s.P50 }
func p99(s Sample) float64  { return s.P99 }

// Ratio is the load's rate for each one of the group's first, in the same round.
func (r Result) Ratio(load int) Spread {
	var ratios []float64
	for round, s := range r.Samples[load] {
		ratios = append(ratios, s.PerSecond/r.Samples[0][round].PerSecond)
	}
	return spread(ratios)
}
