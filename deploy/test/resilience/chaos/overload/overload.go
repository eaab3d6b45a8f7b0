// Package overload sends the gateway more requests than it can serve, and checks that it
// keeps serving what it can and refuses the rest at once.
package overload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/load"
)

// Options describe a run.
type Options struct {
	// Length is how long each load lasts.
	Length time.Duration
	// InFlight is the gateway's cap; 0 is its default.
	InFlight int
	// Product is what is loaded; its form and settings are set.
	Product stack.Options
	// Log tells how far it has got.
	Log io.Writer
}

const (
	// connections are more than the gateway takes requests at the same time.
	connections = 1000
	// clients are as many as keep the product busy and none waiting for long.
	clients = 64
	// stoodStill is more than a busy machine lets a sender wait: a virtual one was stopped.
	stoodStill = 4 * time.Second
)

// paths are what the admin reads.
var paths = []string{"/api/get-waitlist-users?limit=10", "/api/get-credit-balance", "/api/get-latest-downloads"}

// Run loads a product of its own: as many requests as it answers, which is its peak,
// then once, twice and five times as many, whatever it answers, and once again.
func Run(ctx context.Context, opts Options) (report *Report, err error) {
	var inFlight []string
	if opts.InFlight > 0 {
		inFlight = append(inFlight, fmt.Sprint("MAX_IN_FLIGHT=", opts.InFlight))
	}
	product, s, err := load.Start(ctx, opts.Product, paths, inFlight...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, product.Stop(context.WithoutCancel(ctx))) }()
	run := func(name string, rate float64, clients int, length time.Duration) load.Sample {
		sample := s.Run(ctx, name, rate, clients, length)
		if sample.Stood > stoodStill {
			_, _ = fmt.Fprintf(opts.Log, "%s  %-6s the machine stood still for %s: once more\n", time.Now().Format(time.TimeOnly), name, sample.Stood.Round(time.Second))
			sample = s.Run(ctx, name, rate, clients, length)
		}
		_, _ = fmt.Fprintf(opts.Log, "%s  %-6s %6.0f a second, %6.0f answered\n", time.Now().Format(time.TimeOnly), name, sample.Offered, sample.Goodput)
		return sample
	}
	run("warm", 0, clients, opts.Length/4)
	peak := run("peak", 0, clients, opts.Length)
	report = &Report{Peak: peak}
	for _, times := range []int{1, 2, 5} {
		report.Loads = append(report.Loads, run(fmt.Sprintf("%d×", times), float64(times)*peak.Goodput, connections, opts.Length))
	}
	report.After = run("after", 0, clients, opts.Length/2)
	return report, ctx.Err()
}
