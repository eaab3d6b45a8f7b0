// Command local is behind `make run`, `make e2e` and `make test-go`. It only
// installs and builds, and therefore compiles in seconds; the product itself is
// in cmd/stack, which takes this process's place when everything is there.
//
//	local                   run the product until Ctrl-C
//	local dev               the same with the pages of "next dev", which reload as they change
//	local e2e [words]       run the browser tests against it, in both forms; with
//	                        -once, in one process only those marked @both, and none marked @nightly
//	local shipped [words]   run browser tests against the form in which the product ships,
//	                        in a network of its own
//	local with -- <cmd>     run a command beside a product that is thrown away
//	local site              build the static site, unless it is up to date
//	local visual [words]    compare pictures of the main pages with the baselines;
//	                        --update replaces those that differ
//	local testdb -- <cmd>   run a command with a throw-away PostgreSQL
//	local benchdb -- <cmd>  the same with one that waits for the disk
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/progress"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if err := local(ctx, os.Args[1:]); err != nil {
		if ctx.Err() != nil {
			os.Exit(130) // as shells report Ctrl-C
		}
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func local(ctx context.Context, args []string) error {
	printer := progress.New(os.Stderr)
	defer printer.Close()
	builder, err := prepare.Here(printer)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return run(ctx, builder, false)
	case args[0] == "dev" && len(args) == 1:
		return run(ctx, builder, true)
	case args[0] == "e2e":
		return e2e(ctx, builder, args[1:])
	case args[0] == "shipped":
		return shipped(ctx, builder, args[1:])
	case args[0] == "visual":
		return visual(ctx, builder, args[1:])
	case args[0] == "with" && len(args) > 2 && args[1] == "--":
		return with(ctx, builder, args[1:])
	case args[0] == "site" && len(args) == 1:
		_, err := builder.Site(ctx)
		return err
	case args[0] == "testdb" && len(args) > 2 && args[1] == "--":
		return testDB(ctx, builder, false, args[2:])
	case args[0] == "benchdb" && len(args) > 2 && args[1] == "--":
		return testDB(ctx, builder, true, args[2:])
	}
	return fmt.Errorf("unknown command %q: there are dev, e2e, shipped, visual, with -- <command>, site, testdb -- <command> and benchdb -- <command>", args)
}
