package billing

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

func owed() service.Command {
	return service.Command{
		Name: "owed", Summary: "list the accounts with disputed payments, or with spent credits whose payment went back, and exit",
		Help: `
A line has the account, the credits that are owed and how many disputed payments are open
or lost. What is owed is written off: no later payment pays it. Needs DATABASE_URL only.`,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 0 {
				return service.Misuse("there is nothing to name")
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
				list, err := db.New().Marked(ctx, pool, math.MaxInt32)
				for _, row := range list {
					_, printed := fmt.Fprintf(call.Out, "%s %s %d\n", row.UserID, staff.Decimal(row.Owed), row.Disputes)
					err = errors.Join(err, printed)
				}
				return err
			})
		},
	}
}
