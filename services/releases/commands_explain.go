package releases

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store"
)

func explain() service.Command {
	return service.Command{
		Name: "explain", Arguments: "[--id <x-user-staging-id>] [--channel stable|beta|alpha] [--version <installed>]",
		Summary: "say which update an installed app is offered, and why, and exit",
		Help: `
Without --id it is an app that sends none, such as one with Squirrel. electron-updater keeps
an app's id in the file .updaterId in the app's own folder. Needs DATABASE_URL only.`,
		Run: func(ctx context.Context, call service.Call) error {
			app, err := appOf(call.Args)
			if err != nil {
				return service.Misuse("%w", err)
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
				releases, err := store.New(pool).Releases(ctx)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(call.Out, strings.Join(release.Explain(releases, app).Sentences, "\n"))
				return err
			})
		},
	}
}

func appOf(args []string) (app release.App, err error) {
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	id, channel, version := flags.String("id", "", ""), flags.String("channel", string(release.Stable), ""), flags.String("version", "", "")
	if err := flags.Parse(args); err != nil {
		return app, err
	}
	app = release.App{StagingID: *id, Channel: release.Channel(*channel)}
	switch {
	case flags.NArg() > 0:
		return app, fmt.Errorf("unexpected %q", flags.Arg(0))
	case !slices.Contains([]release.Channel{release.Stable, release.Beta, release.Alpha}, app.Channel):
		return app, fmt.Errorf("there is no channel %q", *channel)
	case *version == "":
		return app, nil
	}
	installed, ok := release.ParseTag(*version)
	if !ok {
		return app, fmt.Errorf("%q is not a semantic version", *version)
	}
	app.Installed = installed
	return app, nil
}
