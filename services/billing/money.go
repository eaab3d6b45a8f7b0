package billing

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/billing/internal/checkout"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/monthend"
	"fledge.dev/services/billing/internal/notice"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/reconcile"
	"fledge.dev/services/billing/internal/setup"
	"fledge.dev/services/billing/internal/standing"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/stripeaccount"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/billing/internal/webhook"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/service"
)

// money is the part of the service that deals with Stripe.
type money struct {
	subscriptions *subscription.Service
	checkout      *checkout.Service
	inbox         *webhook.Inbox
	queue         *webhook.Queue
	// monthEnd and setup are nil in a demo.
	monthEnd monthend.Stripe
	setup    *setup.Checker
	standing *standing.Service
	units    []service.Unit
	tasks    []periodic.Task
}

func newMoney(cfg Config, rt *service.Runtime, pool *pgxpool.Pool, plans *plan.Catalog, credits *ledger.Ledger, notices *notice.Service, identity standing.Identity) (money, error) {
	client, err := stripe.New(cfg.Stripe, rt.Metrics)
	if err != nil {
		return money{}, err
	}
	guard := stripeaccount.New(pool, client, credits, rt.Clock, stripeaccount.Config{Live: cfg.Stripe.Live(), MoveFrom: cfg.Stripe.MoveFrom}, rt.Log)
	subscriptions := subscription.New(pool, client, guard, plans, credits, notices, rt.Clock,
		subscription.Config{Live: cfg.Stripe.Live(), Deadline: cfg.Database.Deadline}, rt.Log)
	queue, err := webhook.NewWorkingQueue(pool, client, subscriptions, rt)
	if err != nil {
		return money{}, err
	}
	inbox := webhook.NewInbox(pool, stripe.NewVerifier(cfg.Stripe), queue, rt.Clock,
		webhook.Config{Live: cfg.Stripe.Live(), Deadline: cfg.Database.Deadline}, rt.Log)
	m := money{subscriptions: subscriptions, inbox: inbox, queue: queue}
	var ending standing.Stripe
	if !cfg.Stripe.Demo() {
		ending = client
	}
	if m.standing, err = standing.New(ending, identity, credits, rt.Clock, rt.Metrics, rt.Log); err != nil {
		return money{}, err
	}
	if cfg.Stripe.Demo() {
		m.checkout = checkout.New(nil, guard, nil, cfg.checkout(), plans, subscriptions, rt.Clock, rt.Log)
		m.units = []service.Unit{{Name: "demo", Start: func(context.Context) (func(context.Context) error, error) {
			rt.Log.Info("no STRIPE_SECRET_KEY: a demo, nothing can be bought")
			return nil, nil
		}}}
		return m, nil
	}
	settings, err := setup.New(client, guard, plans, rt.Clock, cfg.setup(), rt.Log, rt.Metrics)
	if err != nil {
		return money{}, err
	}
	m.setup, m.monthEnd = settings, client
	m.checkout = checkout.New(client, guard, settings, cfg.checkout(), plans, subscriptions, rt.Clock, rt.Log)
	repair, err := reconcile.New(pool, client, guard, subscriptions, inbox, rt.Clock, cfg.StripeReconcileInterval, rt.Log, rt.Metrics)
	if err != nil {
		return money{}, err
	}
	closing := service.Unit{Name: "Stripe's client", Start: func(context.Context) (func(context.Context) error, error) {
		return func(context.Context) error { client.Close(); return nil }, nil
	}}
	m.units = []service.Unit{closing, guard.Unit(), queue.Unit()}
	m.tasks = append(repair.Tasks(), settings.Tasks()...)
	return m, nil
}
