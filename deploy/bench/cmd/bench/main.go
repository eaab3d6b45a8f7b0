// Command bench measures the product beside what limits it, see deploy/bench/product.
//
//	bench            throughput, latency and CPU time
//	bench growth     the same operations with more and more rows
//	bench launch     sign-ups and reads at fixed rates, by k6
//	bench rates      what a mix of requests takes at 10, 100 and 1,000 a second
//	bench import     a file of a million lines into the waitlist
//	bench footprint  time to be ready, memory and size of each program
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fledge.dev/deploy/bench/product"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/deploy/test/harness/stacktest"
)

// atMost has room for building k6 for the first time.
const atMost = 25 * time.Minute

func main() {
	opts := product.Options{Log: os.Stderr}
	flag.IntVar(&opts.Plan.Rounds, "rounds", 5, "how often each load runs")
	flag.DurationVar(&opts.Plan.Length, "length", 4*time.Second, "how long")
	flag.StringVar(&opts.Only, "only", "", "measure the groups with this in their name")
	rates := flag.String("rates", "10,100,1000", "requests a second, for rates")
	flag.Parse()
	for rate := range strings.SplitSeq(*rates, ",") {
		n, err := strconv.Atoi(rate)
		if err != nil || n < 1 {
			_, _ = fmt.Fprintf(os.Stderr, "error: a rate is a number of requests a second, not %q\n", rate)
			os.Exit(2)
		}
		opts.Rates = append(opts.Rates, n)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	ctx, release := subprocess.WithParent(ctx)
	defer release()
	ctx, stop := context.WithTimeout(ctx, atMost)
	defer stop()
	if err := run(ctx, flag.Arg(0), opts); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, what string, opts product.Options) (err error) {
	printer := progress.New(os.Stderr)
	defer printer.Close()
	if opts.Scratch, err = os.MkdirTemp("", "fledge-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(opts.Scratch)) }()
	if opts.Product, err = stacktest.Prepared(ctx, opts.Scratch, stack.Processes, printer); err != nil {
		return err
	}
	return product.Run(ctx, opts, what)
}
