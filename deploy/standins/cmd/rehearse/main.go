// Command rehearse lives a subscription's life in a sandbox of Stripe's and in the stand-in,
// and prints in which steps they differ. It takes some minutes, and removes what it made.
//
//	STRIPE_SECRET_KEY=sk_test_… rehearse <file for what the sandbox showed>
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/standins/stripe/rehearsal"
)

const pause = 3 * time.Second

var errDiffer = errors.New("the stand-in is not like Stripe: mend it, or name the difference in its README")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: STRIPE_SECRET_KEY=sk_test_… rehearse <file>")
	}
	server, err := stripe.Start(ctx, stripe.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer func() { _ = server.Close(context.WithoutCancel(ctx)) }()
	account, err := rehearsal.NewStandIn(ctx, server)
	if err != nil {
		return err
	}
	standIn, err := rehearsal.Life(ctx, account, func(rehearsal.Step) {})
	if err != nil {
		return fmt.Errorf("in the stand-in: %w", err)
	}
	sandbox, err := inSandbox(ctx)
	if err := errors.Join(err, write(args[0], sandbox)); err != nil {
		return fmt.Errorf("in the sandbox: %w", err)
	}
	fmt.Println("What the sandbox showed is in", args[0])
	differences := rehearsal.Compare(sandbox, standIn)
	for _, difference := range differences {
		fmt.Println(difference)
	}
	if len(differences) > 0 {
		return errDiffer
	}
	fmt.Println("The stand-in shows the same.")
	return nil
}

// write keeps what there is, also of a life that was cut off.
func write(file string, steps []rehearsal.Step) error {
	if len(steps) == 0 {
		return nil
	}
	content, err := json.MarshalIndent(steps, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(content, '\n'), 0o600)
}

func inSandbox(ctx context.Context) (steps []rehearsal.Step, err error) {
	account, err := rehearsal.NewSandbox(ctx, os.Getenv("STRIPE_SECRET_KEY"), "", pause)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, account.Close(context.WithoutCancel(ctx))) }()
	return rehearsal.Life(ctx, account, func(step rehearsal.Step) { fmt.Println("done:", step.Name) })
}
