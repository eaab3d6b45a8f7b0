package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"fledge.dev/deploy/mac"
)

func (t terminal) signIn(ctx context.Context, args []string) error {
	var provider string
	var printOnly, open, scheme, noPKCE bool
	_, err := parse(args, 0, func(flags *flag.FlagSet) {
		flags.StringVar(&provider, "provider", "google", "")
		flags.BoolVar(&printOnly, "print-url", false, "")
		flags.BoolVar(&open, "open", false, "")
		flags.BoolVar(&scheme, "callback-scheme", false, "")
		flags.BoolVar(&noPKCE, "no-pkce", false, "")
	})
	if err != nil || printOnly && open || provider != "google" && provider != "apple" {
		return errUsage
	}
	// A session of another site is found out before the person goes to any trouble.
	if _, err := t.client.Credentials(); err != nil && !errors.Is(err, mac.ErrSignedOut) {
		return err
	}
	switch {
	case noPKCE:
		return t.awaitLink(ctx, t.client.BeginWithoutCode(provider), !printOnly)
	case scheme:
		return t.awaitLink(ctx, t.client.Begin(provider, mac.Link), !printOnly)
	}
	listener, err := mac.Listen(ctx)
	if err != nil {
		return err
	}
	attempt := t.client.Begin(provider, listener.Callback())
	t.show(ctx, attempt, !printOnly)
	t.say("Waiting for the browser to come back (for %.0f minutes; Ctrl-C gives up).", mac.AttemptLife.Minutes())
	answer, err := listener.Receive(ctx, attempt)
	if err != nil {
		return err
	}
	user, err := t.client.Complete(ctx, attempt, answer)
	return t.welcome(user, err)
}

// awaitLink is for a callback that comes as an argument of `handle`, the way
// macOS hands a link to an app.
func (t terminal) awaitLink(ctx context.Context, attempt mac.Attempt, open bool) error {
	if err := t.client.Await(ctx, attempt); err != nil {
		return err
	}
	t.show(ctx, attempt, open)
	t.say("The browser ends at a link %s…: hand it over within %.0f minutes with\n\n  %s handle '<the link>'\n",
		mac.Link, mac.AttemptLife.Minutes(), os.Args[0])
	return nil
}

// show tells the address in any case: a browser may not open, or be the wrong one.
func (t terminal) show(ctx context.Context, attempt mac.Attempt, open bool) {
	t.open(ctx, attempt.Page(), open)
}

func (t terminal) open(ctx context.Context, page string, open bool) {
	if open && openBrowser(ctx, page) == nil {
		t.say("Your browser opens. If it does not, open this page:\n\n  %s\n", page)
		return
	}
	t.say("Open this page in your browser:\n\n  %s\n", page)
}

// openBrowser returns once the browser has been told.
func openBrowser(ctx context.Context, page string) error {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	return exec.CommandContext(ctx, opener, page).Run()
}

const maxLink = 64 << 10

func (t terminal) handle(ctx context.Context, args []string) error {
	flags, err := parse(args, 1, nothing)
	if err != nil {
		return err
	}
	link := flags.Arg(0)
	if link == "-" { // other users of a machine can read arguments, so there is a way without
		content, err := io.ReadAll(io.LimitReader(t.in, maxLink))
		if err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		link = strings.TrimSpace(string(content))
	}
	user, err := t.client.Handle(ctx, link)
	return t.welcome(user, err)
}

func (t terminal) welcome(user mac.User, err error) error {
	if err != nil {
		return err
	}
	t.say("Signed in as %s (%s).", user.Email, user.AppMetadata.Provider)
	return nil
}
