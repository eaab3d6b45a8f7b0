package billing

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/cases"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// stripeObject is the id of something that a case is about.
var stripeObject = regexp.MustCompile(`^[a-z]{2,6}_[A-Za-z0-9_]{1,240}$`)

const aboutCases = `
For what parked events and the reconciliation tell of, and the admins' Billing page lists. Where
it was decided about the object before, and another case of it waits, that one's reason, such as
odd_quantity, has to follow.
The decision is recorded once, with its reason, which stays when the account is erased: name
nobody in it. From then on the object parks no event and is not counted as unprocessable; what
else its subscription has is applied as ever. Its parked events end. The decision is in the audit
log, by "operator". Needs DATABASE_URL only.`

func accept() service.Command {
	return closing(cases.Accept, "leave something of Stripe's that cannot be applied as it is, because it was settled, and exit", `
For a case that was looked at and settled, for example by a refund: an invoice that
contradicts itself stays so for ever.`)
}

func ignore() service.Command {
	return closing(cases.Ignore, "leave something of Stripe's that cannot be applied as it is, because it is none of ours, and exit", "")
}

// closing leaves a case as it is.
func closing(decision cases.Decision, summary, help string) service.Command {
	return service.Command{
		Name: string(decision), Arguments: "<invoice, subscription or other id> <reason> [<case's reason>]", Summary: summary, Help: help + aboutCases,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 2 && len(call.Args) != 3 {
				return service.Misuse("name an id of Stripe's, such as in_1, and the reason")
			}
			return decide(ctx, call, cases.Order{Object: call.Args[0], Decision: decision, Reason: call.Args[1], Seen: seen(call.Args[2:])})
		},
	}
}

func grant() service.Command {
	return service.Command{
		Name: "grant", Arguments: "<invoice> <credits> <reason> [<case's reason>]",
		Summary: "give credits for an invoice of Stripe's that cannot be applied, leave it as it is, and exit",
		Help: `
Credits are a number such as 50 or 12.50; they can be spent for 90 days.` + aboutCases,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 3 && len(call.Args) != 4 {
				return service.Misuse("name an id of Stripe's, such as in_1, the credits and the reason")
			}
			credits, err := hundredths(call.Args[1])
			if err != nil || credits == 0 {
				return service.Misuse("%q is no number of credits such as 50 or 12.50", call.Args[1])
			}
			return decide(ctx, call, cases.Order{Object: call.Args[0], Decision: cases.Grant, Credits: credits, Reason: call.Args[2], Seen: seen(call.Args[3:])})
		},
	}
}

// seen is the case's reason, where it was named.
func seen(rest []string) string { return strings.Join(rest, "") }

// decide prints the events that are applied again.
func decide(ctx context.Context, call service.Call, order cases.Order) error {
	if stripeObject.MatchString(order.Reason) {
		return service.Misuse("name one id of Stripe's, and the reason in words: %q looks like another id", order.Reason)
	}
	if !stripeObject.MatchString(order.Object) || order.Reason == "" || len(order.Reason) > 500 {
		return service.Misuse("name an id of Stripe's, such as in_1, and the reason in at most 500 bytes")
	}
	return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, cfg pg.Config) error {
		rt := call.Runtime
		queue, err := webhook.NewQueue(pool, rt.Metrics, rt.Log)
		if err != nil {
			return err
		}
		credits, err := ledger.New(pool, rt.Clock, ledger.Config{Deadline: cfg.Deadline}, rt.Metrics, rt.Log)
		if err != nil {
			return err
		}
		isNew, events, err := cases.New(pool, queue, credits, rt.Clock, cfg.Deadline).Decide(staff.AsOperator(ctx), order)
		if err == nil && !isNew {
			_, err = fmt.Fprintln(call.Out, "known: that was decided before, and its reason stays")
		}
		for _, id := range events {
			_, printed := fmt.Fprintln(call.Out, id)
			err = errors.Join(err, printed)
		}
		return err
	})
}
