// Command bench measures the product beside what limits it, see deploy/bench/product.
//
//	bench            throughput, latency and CPU time
//	bench growth     the same operations with more and more rows
//	bench launch     sign-ups and reads at fixed rates, by k6
//	bench footprint  time to be ready, memory and size of each program
//	bench bare       a part of the least that a sign-up takes, started by bench
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"fledge.dev/deploy/bench/product"
	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
)

// atMost has room for building PocketBase, or k6, for the first time.
const atMost = 25 * time.Minute

func main() {
	rounds := flag.Int("rounds", 5, "how often each load runs")
	length := flag.Duration("length", 4*time.Second, "how long")
	only := flag.String("only", "", "measure the groups with this in their name")
	profiles := flag.String("profiles", "", "folder for CPU and allocation profiles of the busiest loads")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if flag.Arg(0) == product.Bare {
		if err := product.ServeBare(ctx, flag.Arg(1), flag.Arg(2)); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		return
	}
	ctx, release := child.WithParent(ctx)
	defer release()
	ctx, stop := context.WithTimeout(ctx, atMost)
	defer stop()
	if err := run(ctx, flag.Arg(0), product.Options{Plan: product.Plan{Rounds: *rounds, Length: *length}, Only: *only, Profiles: *profiles, Log: os.Stderr}); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, what string, opts product.Options) (err error) {
	printer := progress.New(os.Stderr)
	defer printer.Close()
	scratch, err := os.MkdirTemp("", "fledge-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	opts.Scratch = scratch
	opts.Product, err = stacktest.Prepared(ctx, scratch, stack.Processes, printer)
	if err != nil {
		return err
	}
	dir := filepath.Join(opts.Product.Root, "deploy", "bench")
	switch what {
	case "growth":
		return product.Growth(ctx, opts, dir)
	case "launch":
		return product.Launch(ctx, opts, dir)
	case "footprint":
		return product.Footprint(ctx, opts.Product, dir)
	}
	report, err := product.Run(ctx, opts)
	if err != nil {
		return err
	}
	if opts.Only != "" { // a part is for looking at
		return nil
	}
	return report.Write(dir)
}
