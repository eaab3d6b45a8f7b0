package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

func requeueEvents() service.Command {
	return service.Command{
		Name: "requeue-events", Arguments: "all | reason <reason> | <event id>…",
		Summary: "have parked events of Stripe's applied again and exit",
		Help: `
Parked events (state 'parked' in table stripe_events, with a reason) are those
that could not be applied, such as of a price that is not configured. Once the
reason is gone, this makes them pending; a running service applies them. Repeating
it is harmless. Needs DATABASE_URL only.`,
		Run: func(ctx context.Context, call service.Call) error {
			ids, reason, err := parseRequeue(call.Args)
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
				queue, err := webhook.NewQueue(pool, call.Runtime.Metrics, call.Runtime.Log)
				if err != nil {
					return err
				}
				requeued, err := webhook.Requeue(ctx, pool, queue, ids, reason)
				for _, id := range requeued {
					_, printed := fmt.Fprintln(call.Out, id)
					err = errors.Join(err, printed)
				}
				return err
			})
		},
	}
}

func parseRequeue(args []string) (ids []string, reason string, err error) {
	switch {
	case len(args) == 1 && args[0] == "all":
		return nil, "", nil
	case len(args) == 2 && args[0] == "reason" && args[1] != "":
		return nil, args[1], nil
	case len(args) == 0 || args[0] == "all" || args[0] == "reason":
		return nil, "", service.Misuse("name the events to requeue, or all, or a reason")
	}
	return args, "", nil
}
