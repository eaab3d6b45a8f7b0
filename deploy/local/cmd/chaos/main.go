// Command chaos breaks the product while it works and reports whether it kept its
// promises, see deploy/local/chaos. It ends with 1 when one was broken.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"fledge.dev/deploy/local/chaos"
	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/stacktest"
)

const atMost = 10 * time.Minute

func main() {
	seed := flag.Uint64("seed", 1, "plans the storm; the same seed plans the same")
	people := flag.Int("people", 500, "who buy a subscription each")
	kills := flag.Int("kills", 20, "crashes")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	ctx, release := child.WithParent(ctx)
	defer release()
	ctx, stop := context.WithTimeout(ctx, atMost)
	defer stop()
	if err := storm(ctx, chaos.Options{Seed: *seed, People: *people, Kills: *kills, AwaitOrphans: true, Log: os.Stderr}); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func storm(ctx context.Context, opts chaos.Options) (err error) {
	printer := progress.New(os.Stderr)
	defer printer.Close()
	scratch, err := os.MkdirTemp("", "fledge-chaos-")
	if err != nil {
		return err
	}
	if opts.Product, err = stacktest.Prepared(ctx, scratch, stack.Processes, printer); err != nil {
		return err
	}
	report, err := chaos.Run(ctx, opts)
	if report != nil {
		report.Print(os.Stdout)
	}
	if err == nil && !report.OK() {
		err = errors.New("a promise was broken")
	}
	if err != nil {
		return fmt.Errorf("%w (data and logs in %s)", err, scratch)
	}
	return os.RemoveAll(scratch)
}
