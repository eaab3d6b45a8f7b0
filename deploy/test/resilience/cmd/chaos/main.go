// Command chaos breaks the product while it works and reports whether it kept its
// promises, see deploy/test/resilience/chaos. It ends with 1 when one was broken.
//
//	chaos [billing] [-seed 1] [-people 500] [-kills 20]
//	chaos everything [-seed 1] [-faults 32] [-longest 6s] [-rate 50] [-for 3m]
//	chaos rolling [-rounds 20] [-rate 200] [-for 10m]
//	chaos overload [-length 20s] [-in-flight 512]
//	chaos stall [-rate 100] [-for 1m]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/deploy/test/resilience/chaos"
	"fledge.dev/deploy/test/resilience/chaos/everything"
	"fledge.dev/deploy/test/resilience/chaos/overload"
	"fledge.dev/deploy/test/resilience/chaos/rolling"
	"fledge.dev/deploy/test/resilience/chaos/stall"
)

const atMost = 15 * time.Minute

// report is what a scenario has shown.
type report interface {
	Print(w io.Writer)
	OK() bool
}

// scenario breaks a product.
type scenario func(ctx context.Context, product stack.Options) (report, error)

func main() {
	name, run := choose(os.Args[1:])
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	ctx, release := child.WithParent(ctx)
	defer release()
	ctx, stop := context.WithTimeout(ctx, atMost)
	defer stop()
	if err := play(ctx, run); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "error: %s: %v\n", name, err)
		os.Exit(1)
	}
}

// choose reads the scenario, billing unless another is named, and its flags.
func choose(args []string) (name string, run scenario) {
	name = "billing"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet(name, flag.ExitOnError)
	seed := flags.Uint64("seed", 1, "plans the faults; the same seed plans the same")
	switch name {
	case "billing":
		people := flags.Int("people", 500, "who buy a subscription each")
		kills := flags.Int("kills", 20, "crashes")
		run = func(ctx context.Context, product stack.Options) (report, error) {
			return some(chaos.Run(ctx, chaos.Options{Seed: *seed, People: *people, Kills: *kills, Product: product, AwaitOrphans: true, Log: os.Stderr}))
		}
	case "everything":
		faults := flags.Int("faults", 2*everything.Kinds, "how many faults")
		longest := flags.Duration("longest", 6*time.Second, "how long a fault lasts at most")
		rate := flags.Int("rate", 50, "things that people do in a second")
		lasts := flags.Duration("for", 3*time.Minute, "over which the faults are spread")
		run = func(ctx context.Context, product stack.Options) (report, error) {
			r, err := everything.Run(ctx, everything.Options{
				Seed: *seed, Faults: *faults, Longest: *longest, Rate: *rate, Lasts: *lasts, Product: product, Log: os.Stderr,
			})
			if err == nil && !r.Prompt() {
				err = errors.New("something took longer than it may")
			}
			return some(r, err)
		}
	case "rolling":
		rounds := flags.Int("rounds", 20, "how often each process is restarted")
		rate := flags.Int("rate", 200, "requests a second")
		lasts := flags.Duration("for", 10*time.Minute, "over which the restarts are spread")
		run = func(ctx context.Context, product stack.Options) (report, error) {
			return some(rolling.Run(ctx, rolling.Options{Rounds: *rounds, Rate: *rate, Lasts: *lasts, Product: product, Log: os.Stderr}))
		}
	case "overload":
		length := flags.Duration("length", 20*time.Second, "how long each load lasts")
		inFlight := flags.Int("in-flight", 0, "the gateway's cap of requests in progress; 0 is its default")
		run = func(ctx context.Context, product stack.Options) (report, error) {
			return some(overload.Run(ctx, overload.Options{Length: *length, InFlight: *inFlight, Product: product, Log: os.Stderr}))
		}
	case "stall":
		rate := flags.Int("rate", 100, "requests a second")
		lasts := flags.Duration("for", time.Minute, "how long PostgreSQL is frozen")
		run = func(ctx context.Context, product stack.Options) (report, error) {
			r, err := stall.Run(ctx, stall.Options{Rate: *rate, Lasts: *lasts, Product: product, Log: os.Stderr})
			if err == nil && !r.Prompt() {
				err = errors.New("an answer took longer than it may")
			}
			return some(r, err)
		}
	default:
		_, _ = fmt.Fprintf(os.Stderr, "error: there is no scenario %q: billing, everything, rolling, overload, or stall\n", name)
		os.Exit(2)
	}
	_ = flags.Parse(args) // ends the program after an error
	return name, run
}

// some keeps a report that is not there from looking like one.
func some[R interface {
	comparable
	report
}](r R, err error) (report, error) {
	var none R
	if r == none {
		return nil, err
	}
	return r, err
}

func play(ctx context.Context, run scenario) error {
	printer := progress.New(os.Stderr)
	defer printer.Close()
	scratch, err := os.MkdirTemp("", "fledge-chaos-")
	if err != nil {
		return err
	}
	product, err := stacktest.Prepared(ctx, scratch, stack.Processes, printer)
	if err != nil {
		return err
	}
	found, err := run(ctx, product)
	if found != nil {
		found.Print(os.Stdout)
		if !found.OK() {
			err = errors.Join(errors.New("a promise was broken"), err)
		}
	}
	if err != nil {
		return fmt.Errorf("%w (data and logs in %s)", err, scratch)
	}
	return os.RemoveAll(scratch)
}
