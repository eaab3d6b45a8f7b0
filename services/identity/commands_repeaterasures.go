package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

const repeatErasuresHelp = `
Tells all services again of the accounts that were erased since a moment, such as
2026-11-21T20:15:00Z: a service whose database was restored to it holds them again.
A service that has erased an account already does nothing.

Erasures are known for 30 days, by the account's id. What a service holds under an
address alone, such as an entry of the waitlist that no account has used, it keeps.

Needs DATABASE_URL alone.
`

func repeatErasures() service.Command {
	return service.Command{
		Name: "repeat-erasures", Arguments: "<time>", Summary: "tell restored services of the accounts erased since a moment", Help: repeatErasuresHelp,
		Run: runRepeatErasures,
	}
}

func runRepeatErasures(ctx context.Context, call service.Call) error {
	if len(call.Args) != 1 {
		return service.Misuse("name the moment to which the database was restored")
	}
	since, err := time.Parse(time.RFC3339, call.Args[0])
	if err != nil {
		return service.Misuse("the moment: %w", err)
	}
	return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, cfg pg.Config) error {
		repeated, err := store.New(pool, account.NewAdmins(nil), cfg.Deadline).RepeatErasures(ctx, since, call.Runtime.Clock.Now())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(call.Out, "accounts that the services are told of again: %d\n", repeated)
		return err
	})
}
