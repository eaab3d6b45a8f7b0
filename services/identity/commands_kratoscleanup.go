package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/kratosconfig"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/service"
)

const kratosCleanupHelp = `
Removes the rows of failed sign-ins that are older than a day from the database of
Ory Kratos: its own "kratos cleanup sql" leaves them, and anybody can cause them.
Run both every hour.

Needs KRATOS_DATABASE_URL alone.
`

type cleanupSettings struct {
	DatabaseURL config.Secret `env:"KRATOS_DATABASE_URL"`
}

// Validate implements config.Validator.
func (s cleanupSettings) Validate() error {
	if _, err := pgx.ParseConfig(s.DatabaseURL.Reveal()); err != nil || s.DatabaseURL == "" {
		return errors.New("KRATOS_DATABASE_URL: not a connection URL")
	}
	return nil
}

func kratosCleanup() service.Command {
	return service.Command{
		Name: "kratos-cleanup", Summary: "remove old failed sign-ins from the database of Ory Kratos", Help: kratosCleanupHelp,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 0 {
				return service.Misuse("there are no arguments")
			}
			cfg, err := service.Settings[cleanupSettings](call)
			if err != nil {
				return err
			}
			removed, err := kratosconfig.RemoveErrors(ctx, cfg.DatabaseURL)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(call.Out, "removed %d failed sign-ins\n", removed)
			return err
		},
	}
}
