package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

func grantCredits() service.Command {
	return service.Command{
		Name: "grant-credits", Arguments: "<user id> <credits> <until> <fact> <description>",
		Summary: "give an account credits that were sold outside of the site, once for a fact, and exit",
		Help: `
For what sales has agreed on and an invoice or a transfer has paid: credits such as 2000 or
2000.50, which can be spent from now until the end of a day, such as 2027-12-31, in UTC. The
fact is what was paid, such as "INV-000123": another command with the same fact changes nothing,
be it this one or adjust-credits, and it stands in the audit log as the reason, by "operator". The
description is what the person reads in the history. Finance counts them as granted. Needs
DATABASE_URL only.`,
		Run: func(ctx context.Context, call service.Call) error {
			sold, err := parseGrant(call.Args, call.Runtime.Clock.Now())
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, cfg pg.Config) error {
				rt := call.Runtime
				sold.PeriodStart = rt.Clock.Now() // the database has said by now what its time is
				credits, err := ledger.New(pool, rt.Clock, ledger.Config{Deadline: cfg.Deadline}, rt.Metrics, rt.Log)
				if err != nil {
					return err
				}
				outcome := "done"
				err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
					isNew, err := credits.Grant(ctx, tx, sold)
					if err != nil {
						return err
					}
					if !isNew {
						outcome = "known: this fact had its effect before, or the account was deleted; nothing was changed"
						return nil
					}
					return staff.Adjusted(staff.AsOperator(ctx), tx, sold.UserID, sold.Amount, call.Args[3])
				})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(call.Out, outcome)
				return err
			})
		},
	}
}

// longest is how far ahead credits may end: a date beyond it is a slip.
const longest = 5 * 366 * 24 * time.Hour

func parseGrant(args []string, now time.Time) (ledger.Grant, error) {
	if len(args) != 5 {
		return ledger.Grant{}, service.Misuse("name the account, the credits, the last day, the fact and a description")
	}
	user, err := uuid.Parse(args[0])
	if err != nil {
		return ledger.Grant{}, service.Misuse("%q is no user id", args[0])
	}
	amount, err := hundredths(args[1])
	if err != nil || amount == 0 {
		return ledger.Grant{}, service.Misuse("%q is no number of credits such as 2000 or 2000.50", args[1])
	}
	day, err := time.Parse(time.DateOnly, args[2])
	end := day.AddDate(0, 0, 1)
	if err != nil || !end.After(now) || end.Sub(now) > longest {
		return ledger.Grant{}, service.Misuse("%q is no day such as 2027-12-31, from today on and within five years", args[2])
	}
	if err := staffTexts(args[3], args[4]); err != nil {
		return ledger.Grant{}, err
	}
	return ledger.Grant{
		UserID: user, Fact: staffFact(args[3]), Reference: args[3], Description: args[4], Amount: amount, PeriodStart: now, PeriodEnd: end, ExpiresAt: end,
	}, nil
}
