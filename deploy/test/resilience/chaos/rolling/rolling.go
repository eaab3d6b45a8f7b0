// Package rolling restarts every stateless process of a product in turn, as an upgrade
// does, while traffic goes on.
package rolling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/deploy/test/harness/traffic"
	"fledge.dev/services"
)

// Options describe a run.
type Options struct {
	// Rounds is how often each process is restarted.
	Rounds int
	// Rate is in requests a second.
	Rate int
	// Lasts is the time over which the restarts are spread.
	Lasts time.Duration
	// Product is what is restarted; its form and replicas are set.
	Product stack.Options
	// Log tells how far it has got.
	Log io.Writer
}

const (
	replicas = 2
	// drain is how long a process that was asked to end still takes requests, and tells
	// callers to come back on another connection. An ingress may need longer to notice.
	drain = time.Second
	// calm is the time without restarts that the other times are compared with.
	calm = 20 * time.Second
)

// Run restarts the processes of a product of its own. The error says that the run
// itself could not take place.
func Run(ctx context.Context, opts Options) (report *Report, err error) {
	opts.Product = twofold(opts.Product)
	product, err := stack.Start(ctx, opts.Product)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, product.Stop(context.WithoutCancel(ctx))) }()

	report = &Report{Rate: opts.Rate}
	if report.Before, err = send(ctx, product, opts, "calm", calm); err != nil {
		return nil, err
	}
	rolling := make(chan error, 1)
	go func() {
		rolling <- roll(ctx, product, opts, report)
	}()
	report.During, err = send(ctx, product, opts, "roll", opts.Lasts)
	return report, errors.Join(err, <-rolling)
}

// twofold is a product with two of everything that keeps nothing itself.
func twofold(opts stack.Options) stack.Options {
	short := "DRAIN_DELAY=" + drain.String()
	opts.Form, opts.Replicas, opts.Settings = stack.Processes, stack.ReplicasOfAll(replicas), map[string][]string{}
	for _, service := range services.Names() {
		opts.Settings[service] = []string{short}
	}
	opts.Settings["gateway"] = append(stacktest.NoLimits(), short)
	return opts
}

func send(ctx context.Context, product *stack.Stack, opts Options, mark string, lasts time.Duration) (traffic.Report, error) {
	return traffic.Run(ctx, traffic.Options{
		Site: product.URLs().Site, Mail: product.URLs().Mail, Admin: stack.AdminEmail, Rate: opts.Rate, For: lasts, Mark: mark,
		Progress: func(r traffic.Report) { _, _ = fmt.Fprintln(opts.Log, r.Answers()) },
	})
}

// roll restarts one process after the other, evenly over the time. The last one is
// back before the traffic ends.
func roll(ctx context.Context, product *stack.Stack, opts Options, report *Report) error {
	names := opts.Product.Instances()
	pace := time.NewTicker(opts.Lasts / time.Duration(opts.Rounds*len(names)+1))
	defer pace.Stop()
	for range opts.Rounds {
		for _, name := range names {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-pace.C:
			}
			program, err := product.Program(name)
			if err != nil {
				return err
			}
			if err := errors.Join(program.Stop(ctx), program.Start(ctx)); err != nil {
				return fmt.Errorf("restart %s: %w", name, err)
			}
			report.Restarts++
		}
	}
	return nil
}
