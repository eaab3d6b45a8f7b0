package billing

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

var stripeObject = regexp.MustCompile(`^(in|sub|ch|py|cs)_[A-Za-z0-9_]{1,250}$`)

func accept() service.Command {
	return service.Command{
		Name: "accept", Arguments: "<invoice, subscription or other id> <reason>",
		Summary: "leave something of Stripe's that cannot be applied as it is and exit",
		Help: `
For a case that was looked at and settled, for example by a refund or by adjust-credits:
an invoice that contradicts itself stays so for ever. The decision is recorded once, with
its reason, which stays when the account is erased: name nobody in it. From then on the
object parks no event and is not counted as unprocessable; what else its subscription has
is applied as ever. Its parked events end. The decision is in the audit log, by "operator".
Needs DATABASE_URL only.`,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 2 || !stripeObject.MatchString(call.Args[0]) || call.Args[1] == "" || len(call.Args[1]) > 500 {
				return service.Misuse("name an id of Stripe's, such as in_1, and the reason in at most 500 bytes")
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
				queue, err := webhook.NewQueue(pool, call.Runtime.Metrics, call.Runtime.Log)
				if err != nil {
					return err
				}
				isNew, events, err := webhook.Accept(ctx, pool, queue, call.Args[0], call.Args[1], call.Runtime.Clock.Now())
				if err == nil && !isNew {
					_, err = fmt.Fprintln(call.Out, "known: it was accepted before, and that reason stays")
				}
				for _, id := range events {
					_, printed := fmt.Fprintln(call.Out, id)
					err = errors.Join(err, printed)
				}
				return err
			})
		},
	}
}
