package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/setup"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/stripeaccount"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// errDiffers makes the command's exit status say that something was printed.
var errDiffers = errors.New("the account at Stripe is not as billing needs it")

func checkStripe() service.Command {
	return service.Command{
		Name: "check-stripe", Summary: "say how Stripe's account differs from what billing needs and exit",
		Help: `
The key and its account, prices, products, the portal and the webhook endpoint, in one
sentence for each difference; without one it prints nothing. The service does the same at
its start and every STRIPE_RECONCILE_INTERVAL. The portal's configuration is made if it is
not there. Needs DATABASE_URL, SITE_ORIGIN and all of STRIPE_….`,
		Run: func(ctx context.Context, call service.Call) error {
			if len(call.Args) != 0 {
				return service.Misuse("there is nothing to name")
			}
			cfg, err := service.Settings[checkSettings](call)
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, database pg.Config) error {
				return check(ctx, call, cfg, pool, database)
			})
		},
	}
}

// checkSettings are what the service has besides its database.
type checkSettings struct {
	Plans      plan.Config
	Stripe     stripe.Config
	SiteOrigin string `env:"SITE_ORIGIN"`
}

// Validate refuses a demo.
func (s checkSettings) Validate() error {
	_, err := config.Origin("SITE_ORIGIN", s.SiteOrigin)
	if s.Stripe.Demo() {
		err = errors.Join(err, errors.New("STRIPE_SECRET_KEY: missing"))
	}
	return errors.Join(err, s.Plans.Validate(), s.Stripe.Validate(s.Plans.Mode()))
}

func check(ctx context.Context, call service.Call, cfg checkSettings, pool *pgxpool.Pool, database pg.Config) error {
	rt := call.Runtime
	client, err := stripe.New(cfg.Stripe, rt.Metrics)
	if err != nil {
		return err
	}
	defer client.Close()
	guard := stripeaccount.New(pool, client, nil, rt.Clock, stripeaccount.Config{Live: cfg.Stripe.Live()}, rt.Log)
	checker, err := setup.New(client, guard, plan.NewCatalog(pool, cfg.Plans, database.Deadline), rt.Clock,
		setup.Config{Origin: cfg.SiteOrigin, Events: webhook.Types(), Tax: cfg.Stripe.Page.Tax, Trials: cfg.Stripe.TrialDays > 0}, rt.Log, rt.Metrics)
	if err != nil {
		return err
	}
	var failures []error
	differs := false
	// Prices first: what the portal is to offer is what they can be sold at.
	for _, compare := range []func(context.Context) ([]string, error){checker.Prices, checker.Account} {
		differences, err := compare(ctx)
		failures = append(failures, err)
		for _, sentence := range differences {
			if _, err := fmt.Fprintln(call.Out, sentence); err != nil {
				return err
			}
		}
		differs = differs || len(differences) > 0
	}
	if differs {
		failures = append(failures, errDiffers)
	}
	return errors.Join(failures...)
}
