package main

import (
	"context"
	"flag"

	"fledge.dev/deploy/mac"
)

func (t terminal) update(ctx context.Context, args []string) error {
	var app mac.App
	var to string
	words, err := parse(args, 1, func(flags *flag.FlagSet) {
		flags.StringVar(&app.Channel, "channel", "", "")
		flags.StringVar(&app.Arch, "arch", "arm64", "")
		flags.StringVar(&app.MacOS, "macos", "", "")
		flags.StringVar(&to, "to", "", "")
	})
	if err != nil {
		return err
	}
	app.Version = words.Arg(0)
	if app.Channel == "" {
		if app.Channel, err = t.client.Channel(ctx); err != nil {
			return err
		}
	}
	offered, err := t.client.CheckForUpdate(ctx, app)
	switch {
	case err != nil:
		return err
	case offered == nil:
		t.say("No update for %q.", app.Version)
		return nil
	case offered.Required:
		t.say("The app has to update to %q, %d bytes.", offered.Version, offered.Size)
	default:
		t.say("Update to %q, %d bytes.", offered.Version, offered.Size)
	}
	if to == "" {
		return nil
	}
	if err := t.client.Download(ctx, *offered, to); err != nil {
		return err
	}
	t.say("Loaded, with the size and the checksum that the site said.")
	return nil
}
