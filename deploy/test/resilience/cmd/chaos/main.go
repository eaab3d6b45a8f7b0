// Command chaos breaks the product while it works and reports whether it kept its
// promises, see deploy/test/resilience/chaos. It ends with 1 when one was broken.
//
//	chaos [scenario] [flags]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/deploy/test/resilience/chaos"
)

const atMost = 15 * time.Minute

func main() {
	scenario, options := choose(os.Args[1:])
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	ctx, release := subprocess.WithParent(ctx)
	defer release()
	ctx, stop := context.WithTimeout(ctx, atMost)
	defer stop()
	if err := play(ctx, scenario, *options); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "error: %s: %v\n", scenario.Name, err)
		os.Exit(1)
	}
}

// choose reads the scenario, the first unless another is named, and its flags.
func choose(args []string) (chaos.Scenario, *chaos.Options) {
	all := chaos.Scenarios()
	name := all[0].Name
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	for _, s := range all {
		if s.Name == name {
			flags := flag.NewFlagSet(name, flag.ExitOnError)
			options := s.Flags(flags)
			_ = flags.Parse(args) // ends the program after an error
			return s, options
		}
	}
	_, _ = fmt.Fprintf(os.Stderr, "error: there is no scenario %q, there are\n", name)
	for _, s := range all {
		_, _ = fmt.Fprintf(os.Stderr, "  %-10s  %s\n", s.Name, s.About)
	}
	os.Exit(2)
	panic("unreachable")
}

func play(ctx context.Context, scenario chaos.Scenario, options chaos.Options) error {
	printer := progress.New(os.Stderr)
	defer printer.Close()
	scratch, err := os.MkdirTemp("", "fledge-chaos-")
	if err != nil {
		return err
	}
	options.Log = os.Stderr
	if options.Product, err = stacktest.Prepared(ctx, scratch, stack.Processes, printer); err != nil {
		return err
	}
	report, err := scenario.Play(ctx, options)
	if report != nil {
		report.Print(os.Stdout)
		if !report.OK() {
			err = errors.Join(errors.New("a promise was broken"), err)
		}
	}
	if err != nil {
		return fmt.Errorf("%w (data and logs in %s)", err, scratch)
	}
	return os.RemoveAll(scratch)
}
