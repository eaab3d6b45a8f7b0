// Package chaos breaks the product while it works and looks whether it kept its promises.
// A [Scenario] is data: what runs, what people do, which faults come when, and the checks
// afterwards. The engine, [Scenario.Play], is the same for all; the scenarios are in the
// files scenario_*.go.
package chaos

import (
	"context"
	"flag"
	"io"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
)

// Scenario is a way to break the product. Only Name, About, Phases and Checks must be set.
type Scenario struct {
	Name string
	// About says in a sentence what breaks and what must hold.
	About string
	// Defaults are the options that it has; those that it does not have are zero.
	Defaults Options
	// World says what runs, before it starts.
	World func(ctx context.Context, r *Run, product *stack.Options) error
	// Gather has people come, before anything breaks, and returns what they will do.
	Gather func(ctx context.Context, r *Run) (load.Mix, error)
	Phases func(o Options) []Phase
	// Settle waits until all has been done that goes on by itself.
	Settle func(ctx context.Context, r *Run) error
	Checks []Check
}

// Scenarios are all of them. The first is played where none is named.
func Scenarios() []Scenario {
	return []Scenario{storm(), everything(), rolling(), overload(), stall()}
}

// Phase is a part of a scenario, one after the other.
type Phase struct {
	Name string
	// For is how long requests are sent, and longer while faults are still to come.
	For time.Duration
	// Rate is in requests a second. With 0, AtOnce senders go on when they have an answer.
	Rate float64
	// OfPeak is the rate as a multiple of what was answered in the phase "peak", instead.
	OfPeak float64
	// AtOnce are the requests that may be under way.
	AtOnce int
	// Timeout is how long somebody waits for an answer; 0 is the generator's own.
	Timeout time.Duration
	Faults  []Fault
	// Work is what goes on instead of a mix at a rate, and Progress how far it has got,
	// from 0 to 1. The faults come by that and not by time.
	Work     func(ctx context.Context, r *Run) error
	Progress func() float64
	// Then comes at the end.
	Then func(ctx context.Context, r *Run) error
}

// Options describe a run. What they mean exactly is up to the scenario.
type Options struct {
	// Seed decides everything that is up to chance.
	Seed   uint64
	People int
	Faults int
	// Longest is how long a fault lasts at most.
	Longest time.Duration
	// Rate is in requests a second.
	Rate int
	For  time.Duration
	// InFlight is the gateway's cap of requests in progress.
	InFlight int
	// Quick is for `make test-product` on a busy machine: times do not count, and jobs whose
	// process died are not waited for where all that they are about holds already.
	Quick bool
	// Product is what breaks; a scenario's World has the last word.
	Product stack.Options
	// Log tells how far it has got.
	Log io.Writer
}

// Flags adds a flag for each option that the scenario has and returns what they set.
func (s Scenario) Flags(set *flag.FlagSet) *Options {
	o := s.Defaults
	set.Uint64Var(&o.Seed, "seed", 1, "plans the faults; the same seed plans the same")
	for _, option := range []struct {
		value      any
		name, what string
	}{
		{&o.People, "people", "who buy a subscription each"},
		{&o.Faults, "faults", "how many faults"},
		{&o.Longest, "longest", "how long a fault lasts at most"},
		{&o.Rate, "rate", "requests a second"},
		{&o.For, "for", "how long the faults, or each load, go on"},
		{&o.InFlight, "in-flight", "the gateway's cap of requests in progress"},
	} {
		switch v := option.value.(type) {
		case *int:
			if *v > 0 {
				set.IntVar(v, option.name, *v, option.what)
			}
		case *time.Duration:
			if *v > 0 {
				set.DurationVar(v, option.name, *v, option.what)
			}
		}
	}
	return &o
}
