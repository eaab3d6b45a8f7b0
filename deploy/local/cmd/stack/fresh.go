package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/state"
	"fledge.dev/deploy/local/subprocess"
)

// product says in which form the product is.
type product struct {
	form      stack.Form
	analytics stack.Analytics
	// programs is the folder of their binaries; default those of the runner.
	programs string
	// host and replicas are those of [stack.Options].
	host     string
	replicas map[string]int
}

// fresh starts the product on free ports with throw-away state, and stops it
// after use. When something went wrong the state stays, and the error names it.
func fresh(ctx context.Context, builder *prepare.Builder, tools prepare.Tools, what product, use func(running *stack.Stack, state string) error) (err error) {
	scratch, err := os.MkdirTemp("", "fledge-e2e-")
	if err != nil {
		return err
	}
	dir, err := state.Open(scratch)
	if err != nil {
		return err
	}
	running, err := stack.Start(ctx, stack.Options{
		Root: builder.Root, State: dir, Tools: tools, Form: what.form, Programs: cmp.Or(what.programs, builder.State.Path("bin")), Progress: builder.Progress,
		Analytics: what.analytics, PublicHost: what.host, Replicas: what.replicas,
		// One browser on one address is faster than people are.
		Settings: map[string][]string{"gateway": {
			"SIGN_UP_LIMIT_PER_MINUTE=600", "SIGN_IN_LIMIT_PER_MINUTE=600", "TOKEN_LIMIT_PER_MINUTE=600",
			"SIGN_UP_LIMIT_BURST=200", "SIGN_IN_LIMIT_BURST=200", "TOKEN_LIMIT_BURST=200",
		}},
	})
	if err != nil {
		return fmt.Errorf("%w (logs in %s)", err, dir.Path("log"))
	}
	defer func() {
		err = errors.Join(err, running.Stop(context.WithoutCancel(ctx)))
		if err == nil {
			err = os.RemoveAll(scratch)
		} else {
			err = fmt.Errorf("services %s: %w (logs in %s)", what.form, err, dir.Path("log"))
		}
	}()
	return use(running, scratch)
}

// with runs a command beside a fresh product, whose site is at FLEDGE_SITE_URL;
// CHROMIUM is the browser.
func with(ctx context.Context, builder *prepare.Builder, command []string) error {
	tools, err := builder.Tools(ctx, prepare.Wanted{})
	if err != nil {
		return err
	}
	browser, err := builder.Browser(ctx)
	if err != nil {
		return err
	}
	return fresh(ctx, builder, tools, product{form: stack.InProcess}, func(running *stack.Stack, _ string) error {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.Env = append(os.Environ(), "FLEDGE_SITE_URL="+running.URLs().Site, "CHROMIUM="+browser)
		return subprocess.Run(cmd)
	})
}
