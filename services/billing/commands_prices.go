package billing

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

func setPrice() service.Command {
	return service.Command{
		Name: "set-price", Arguments: "[<price id> <plan id> <credits> | <price id> none]",
		Summary: "have a price of Stripe's sell a plan, or list those that do, and exit",
		Help: `
For prices that the settings' products do not cover: what was agreed on with a customer
of Enterprise, or a plan sold as another product. Whoever pays such a price has the plan, and
gets the credits for each period that is paid: 2000, or 2000.50, or 0 for the plan's
own monthly credits. Stripe is asked whether it has the price. None of these is offered on
the site. With 'none' the price is taken off the list. Either is in the audit log, by
"operator". Needs DATABASE_URL and STRIPE_SECRET_KEY.`,
		Run: func(ctx context.Context, call service.Call) error {
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, cfg pg.Config) error {
				prices := plan.NewCatalog(pool, plan.Config{}, cfg.Deadline)
				switch args := call.Args; {
				case len(args) == 0:
					return listPrices(ctx, prices, call)
				case len(args) == 2 && args[1] == "none":
					return forgetPrice(ctx, prices, call)
				case len(args) == 3:
					return agreeOnPrice(ctx, prices, call)
				}
				return service.Misuse("name the price, the plan and the credits of a period; or the price and none; or nothing")
			})
		},
	}
}

func listPrices(ctx context.Context, prices *plan.Catalog, call service.Call) error {
	list, err := prices.Agreed(ctx)
	for _, p := range list {
		_, printed := fmt.Fprintf(call.Out, "%s %s %s\n", p.PriceID, p.PlanID, staff.Decimal(p.PeriodCredits))
		err = errors.Join(err, printed)
	}
	return err
}

func forgetPrice(ctx context.Context, prices *plan.Catalog, call service.Call) error {
	known, err := prices.Forget(ctx, call.Args[0])
	if err == nil && !known {
		return errors.New("no such price is on the list")
	}
	return err
}

var someCredits = regexp.MustCompile(`^([0-9]{1,7})(?:\.([0-9]{2}))?$`)

var errNoCredits = errors.New("no number of credits")

// hundredths reads credits such as 2000 or 2000.50.
func hundredths(text string) (int64, error) {
	parts := someCredits.FindStringSubmatch(text)
	if parts == nil {
		return 0, errNoCredits
	}
	return strconv.ParseInt(parts[1]+(parts[2] + "00")[:2], 10, 64)
}

func agreeOnPrice(ctx context.Context, prices *plan.Catalog, call service.Call) error {
	id, name := call.Args[0], call.Args[1]
	credits, err := hundredths(call.Args[2])
	if err != nil {
		return service.Misuse("%q is no number of credits such as 2000 or 2000.50", call.Args[2])
	}
	found, err := priceAtStripe(ctx, call, id)
	switch {
	case errors.Is(err, stripe.ErrGone):
		return fmt.Errorf("there is no price %q at Stripe in this mode", id)
	case err != nil:
		return err
	case found.Interval == "":
		return fmt.Errorf("%s is paid once: a plan is paid again and again", id)
	case found.Metered:
		return fmt.Errorf("%s is charged for what was used: a plan is paid in advance", id)
	}
	if err := prices.Agree(ctx, id, name, credits, call.Runtime.Clock.Now()); err != nil {
		if errors.Is(err, plan.ErrNoPlan) {
			return fmt.Errorf("there is no plan %q", name)
		}
		return err
	}
	_, err = fmt.Fprintf(call.Out, "%s sells %s: %s %s each %d %s, %s credits\n", id, name,
		staff.Decimal(stripe.Hundredths(found.Amount, found.Currency)), found.Currency, found.IntervalCount, found.Interval, staff.Decimal(credits))
	return err
}

// stripeSettings are all that asking Stripe needs.
type stripeSettings struct{ Stripe stripe.Config }

// Validate refuses a demo.
func (s stripeSettings) Validate() error {
	if s.Stripe.Demo() {
		return errors.New("STRIPE_SECRET_KEY: missing")
	}
	return nil
}

func priceAtStripe(ctx context.Context, call service.Call, id string) (stripe.Price, error) {
	settings, err := service.Settings[stripeSettings](call)
	if err != nil {
		return stripe.Price{}, err
	}
	client, err := stripe.New(settings.Stripe, call.Runtime.Metrics)
	if err != nil {
		return stripe.Price{}, err
	}
	defer client.Close()
	return client.Price(ctx, id)
}
