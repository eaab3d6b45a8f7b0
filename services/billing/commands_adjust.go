package billing

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

func adjustCredits() service.Command {
	return service.Command{
		Name: "adjust-credits", Arguments: "<user id> <credits> <fact> <description>",
		Summary: "give credits to an account or take some, once for a fact, and exit",
		Help: `
Credits are a number with a sign and at most two digits behind the point: +5.00 gives,
-2.50 takes, of what ends first. What is given can be spent for 90 days. The fact is
why, such as "TKT-000123": another command with the same fact changes nothing, whatever
its credits, and stands in the audit log as the reason, by "operator". The description is what
the person reads in the history. Needs DATABASE_URL only.`,
		Run: func(ctx context.Context, call service.Call) error {
			adjustment, err := parseAdjustment(call.Args)
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, cfg pg.Config) error {
				rt := call.Runtime
				credits, err := ledger.New(pool, rt.Clock, ledger.Config{Deadline: cfg.Deadline}, rt.Metrics, rt.Log)
				if err != nil {
					return err
				}
				adjustment.ExpiresAt = rt.Clock.Now().Add(staff.GiftLasts)
				var isNew bool
				err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) (err error) {
					if isNew, err = credits.Adjust(ctx, tx, adjustment); err != nil || !isNew {
						return err
					}
					return staff.Adjusted(staff.AsOperator(ctx), tx, adjustment.UserID, adjustment.Amount, call.Args[2])
				})
				if errors.Is(err, ledger.ErrInsufficient) {
					return errors.New("the account has less than that: nothing was changed")
				}
				if errors.Is(err, ledger.ErrClosed) {
					return errors.New("the account was deleted: it is given nothing any more")
				}
				if err != nil {
					return err
				}
				outcome := "done"
				if !isNew {
					outcome = "known: this fact had its effect before, nothing was changed"
				}
				_, err = fmt.Fprintln(call.Out, outcome)
				return err
			})
		},
	}
}

var signedCredits = regexp.MustCompile(`^([+-])([0-9]{1,7})(?:\.([0-9]{2}))?$`)

func parseAdjustment(args []string) (ledger.Adjustment, error) {
	if len(args) != 4 {
		return ledger.Adjustment{}, service.Misuse("name the account, the credits, the fact and a description")
	}
	user, err := uuid.Parse(args[0])
	if err != nil {
		return ledger.Adjustment{}, service.Misuse("%q is no user id", args[0])
	}
	parts := signedCredits.FindStringSubmatch(args[1])
	if parts == nil {
		return ledger.Adjustment{}, service.Misuse("%q is no number of credits such as +5.00 or -2.50", args[1])
	}
	amount, err := strconv.ParseInt(parts[1]+parts[2]+(parts[3] + "00")[:2], 10, 64)
	if err != nil || amount == 0 {
		return ledger.Adjustment{}, service.Misuse("%q changes nothing", args[1])
	}
	if err := staffTexts(args[2], args[3]); err != nil {
		return ledger.Adjustment{}, err
	}
	return ledger.Adjustment{UserID: user, Amount: amount, Fact: staffFact(args[2]), Description: args[3]}, nil
}

// staffFact is the ledger's fact for one that an operator names.
func staffFact(named string) string { return "staff/" + named }

// staffTexts checks what an operator has written.
func staffTexts(fact, description string) error {
	const atMost = 500
	for name, text := range map[string]string{"fact": fact, "description": description} {
		if text == "" || len(text) > atMost {
			return service.Misuse("the %s must have 1 to %d bytes", name, atMost)
		}
	}
	return nil
}
