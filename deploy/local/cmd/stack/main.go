// Command stack runs the prepared product, see deploy/local.
//
//	stack run   until Ctrl-C, on fixed ports, with the state in .local
//	stack dev   the same with the pages of "next dev"
//	stack e2e   the browser tests, on free ports, with throw-away state; further
//	            words choose among them, as Playwright reads them, after -once
//	            only those marked @both run against one process as well, and none
//	            marked @nightly. With BASE_URL they run against the site there, once
//	stack shipped
//	            browser tests against the form in which the product ships, see
//	            deploy/test/ci/alone.sh; words as for e2e, default shippedSpecs
//	stack with -- <cmd>
//	            runs a command beside a fresh product
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/subprocess"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	ctx, release := subprocess.WithParent(ctx)
	defer release()
	if err := command(ctx, os.Args[1:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	printer := progress.New(os.Stderr)
	defer printer.Close()
	builder, err := prepare.Here(printer)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && (args[0] == "run" || args[0] == "dev"):
		return run(ctx, builder, args[0] == "dev")
	case len(args) > 0 && args[0] == "e2e":
		return e2e(ctx, builder, args[1:])
	case len(args) > 0 && args[0] == "shipped":
		return shipped(ctx, builder, args[1:])
	case len(args) > 2 && args[0] == "with" && args[1] == "--":
		return with(ctx, builder, args[2:])
	}
	return fmt.Errorf("unknown command %q: there are run, dev, e2e, shipped and with -- <command>", args)
}
