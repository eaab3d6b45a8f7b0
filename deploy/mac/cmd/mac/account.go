package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"text/tabwriter"
	"time"

	"fledge.dev/deploy/mac"
)

func nothing(*flag.FlagSet) {}

func (t terminal) whoAmI(ctx context.Context, args []string) error {
	if _, err := parse(args, 0, nothing); err != nil {
		return err
	}
	user, err := t.client.WhoAmI(ctx)
	if err != nil {
		return err
	}
	t.say("%s (%s), account %s", user.Email, user.AppMetadata.Provider, user.ID)
	return nil
}

func (t terminal) refresh(ctx context.Context, args []string) error {
	if _, err := parse(args, 0, nothing); err != nil {
		return err
	}
	if err := t.client.Refresh(ctx); err != nil {
		return err
	}
	return t.token(ctx, nil)
}

// token tells what is kept. No option shows the tokens: what stands on a screen
// ends in a recording, a log or a bug report.
func (t terminal) token(_ context.Context, args []string) error {
	if _, err := parse(args, 0, nothing); err != nil {
		return err
	}
	kept, err := t.client.Credentials()
	if err != nil {
		return err
	}
	if left := time.Until(kept.ExpiresAt); left > 0 {
		t.say("The access token for %s at %s is good for %s.", kept.User.Email, kept.Site, left.Round(time.Second))
	} else {
		t.say("The access token for %s at %s has expired: the next command refreshes it.", kept.User.Email, kept.Site)
	}
	return nil
}

func (t terminal) devices(ctx context.Context, args []string) error {
	if _, err := parse(args, 0, nothing); err != nil {
		return err
	}
	devices, err := t.client.Devices(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	for _, d := range devices {
		name := d.Name
		if name == "" {
			name = d.UserAgent
		}
		note := ""
		if d.Current {
			note = "this one"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%q\t%s\t%s\n", d.ID, d.Kind, name, d.LastActiveAt.Local().Format(time.DateTime), note)
	}
	return table.Flush()
}

func (t terminal) signOut(ctx context.Context, args []string) error {
	var everywhere bool
	_, err := parse(args, 0, func(flags *flag.FlagSet) { flags.BoolVar(&everywhere, "everywhere", false, "") })
	if err != nil {
		return err
	}
	if !everywhere {
		err := t.client.SignOut(ctx)
		if err == nil {
			t.say("Signed out on this machine.")
		}
		return err
	}
	err = t.client.SignOutEverywhere(ctx)
	if errors.Is(err, mac.ErrSignedOut) {
		return fmt.Errorf("%w: sign in first, then sign out everywhere", err)
	}
	if err == nil {
		t.say("Signed out on every browser and Mac.")
	}
	return err
}
