package billing

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/monthend"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

func monthEnd() service.Command {
	return service.Command{
		Name: "month-end", Arguments: "<month>",
		Summary: "print what was invoiced, paid, refunded and disputed in a month, and what credits did, as CSV, and exit",
		Help: `
The month is one in UTC, such as 2026-10. The file is the one of the admins' Billing page; a
month with many invoices takes a while. Needs DATABASE_URL and all of STRIPE_….`,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 1 {
				return service.Misuse("name a month such as 2026-10")
			}
			first, err := monthend.Parse(call.Args[0])
			if err != nil {
				return service.Misuse("%q is %w", call.Args[0], err)
			}
			cfg, err := service.Settings[monthEndSettings](call)
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, database pg.Config) error {
				return printMonth(ctx, call, cfg, pool, database, first)
			})
		},
	}
}

// monthEndSettings are what the service has besides its database.
type monthEndSettings struct {
	Plans  plan.Config
	Stripe stripe.Config
}

// Validate refuses a demo.
func (s monthEndSettings) Validate() error {
	if s.Stripe.Demo() {
		return errors.New("STRIPE_SECRET_KEY: missing")
	}
	return errors.Join(s.Plans.Validate(), s.Stripe.Validate(s.Plans.Mode()))
}

func printMonth(ctx context.Context, call service.Call, cfg monthEndSettings, pool *pgxpool.Pool, database pg.Config, first time.Time) error {
	rt := call.Runtime
	client, err := stripe.New(cfg.Stripe, rt.Metrics)
	if err != nil {
		return err
	}
	defer client.Close()
	plans := plan.NewCatalog(pool, cfg.Plans, database.Deadline)
	rows, err := monthend.New(client, plans, stats.NewReader(pool, plans, rt.Clock, database.Deadline, rt.Log)).Month(ctx, first)
	if err != nil {
		return err
	}
	file, err := csvfile.NewWriter(call.Out, []string{"month", "what", "plan", "currency", "count", "amount"})
	for _, row := range rows {
		err = errors.Join(err, file.Write([]string{call.Args[0], row.What, row.Plan, row.Currency, strconv.FormatInt(row.Count, 10), signed(row.Amount)}))
	}
	return errors.Join(err, file.Flush())
}

// signed writes hundredths.
func signed(hundredths int64) string {
	if hundredths < 0 {
		return "-" + staff.Decimal(-hundredths)
	}
	return staff.Decimal(hundredths)
}
