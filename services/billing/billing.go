// Package billing is the service for plans, subscriptions and the credit ledger.
package billing

import (
	"context"
	"slices"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/billing/internal/announce"
	"fledge.dev/services/billing/internal/api"
	"fledge.dev/services/billing/internal/cases"
	"fledge.dev/services/billing/internal/cleanup"
	"fledge.dev/services/billing/internal/email"
	"fledge.dev/services/billing/internal/freetier"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/monthend"
	"fledge.dev/services/billing/internal/notice"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/standing"
	"fledge.dev/services/billing/internal/stats"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/spec"
)

// New returns the service's units in the order in which they start.
func New(ctx context.Context, cfg Config, rt *service.Runtime) ([]service.Unit, error) {
	pool, err := pg.Open(ctx, cfg.Database, rt)
	if err != nil {
		return nil, err
	}
	identity, verifier, err := identityclient.Connect(cfg.Access, cfg.RPC.Client(rt), rt.Clock)
	if err != nil {
		return nil, err
	}
	credits, err := ledger.New(pool, rt.Clock, cfg.ledger(), rt.Metrics, rt.Log)
	if err != nil {
		return nil, err
	}
	plans := plan.NewCatalog(pool, cfg.Plans, cfg.Database.Deadline)
	emails, err := mail.NewQueue(pool, cfg.Mail, email.BuiltIn(cfg.Access.SiteOrigin), rt)
	if err != nil {
		return nil, err
	}
	notices, err := notice.New(pool, identity, emails, plans, credits, rt.Clock, cfg.Access.SiteOrigin, cfg.Notices, rt.Metrics)
	if err != nil {
		return nil, err
	}
	emails.Ask(notices.EmailDue)
	money, err := newMoney(cfg, rt, pool, plans, credits, notices, identity)
	if err != nil {
		return nil, err
	}
	old, err := cleanup.New(pool, rt.Clock, cfg.Kept, rt.Metrics)
	if err != nil {
		return nil, err
	}
	background, err := periodic.New(pool, rt)
	if err != nil {
		return nil, err
	}
	tasks := slices.Concat(credits.Tasks(), []periodic.Task{old.Task(), announce.New(pool).Task()}, money.tasks, notices.Tasks())
	overview := stats.NewReader(pool, plans, rt.Clock, cfg.Database.Deadline, rt.Log)
	if err := overview.Gauge().Register(rt.Metrics); err != nil {
		return nil, err
	}
	server, err := rpc.NewServer(cfg.RPC, rt, verifier, identity, api.Policy(), mail.Policy())
	if err != nil {
		return nil, err
	}
	server.Open(api.Callers())
	server.Register(&billingv1.BillingService_ServiceDesc, api.NewServer(api.Parts{
		Plans: plans, Ledger: credits, Subscriptions: money.subscriptions, Checkout: money.checkout, Inbox: money.inbox,
		Free:  freetier.New(pool, credits, rt.Clock, cfg.Free, cfg.Database.Deadline),
		Staff: staff.New(pool, credits, rt.Clock, cfg.Stripe.Dashboard().Of, cfg.Database.Deadline),
		Stats: overview, Setup: money.setup, Dashboard: cfg.Stripe.Dashboard(), Cases: cases.New(pool, money.queue, credits, rt.Clock, cfg.Database.Deadline),
		MonthEnd: monthend.New(money.monthEnd, plans, overview),
		Exports:  append(store.ExportTables(pool), mail.ExportTable(pool), mail.ReportsTable(pool)), Clock: rt.Clock, Origin: cfg.Access.SiteOrigin,
		MayPay: store.MayPay(pool, cfg.Database.Deadline), AppsSpend: cfg.AppsSpend,
		SetRenewal: func(ctx context.Context, userID uuid.UUID, renews bool, reason string) error {
			return money.standing.SetRenewal(ctx, pool, userID, renews, reason)
		},
	}))
	server.Register(&mailv1.MailService_ServiceDesc, emails.Reports())
	events := bus.Connect(cfg.Bus, rt)
	units := []service.Unit{
		cfg.Database.Unit(pool, cfg.Migrate),
		events.Unit(),
		events.Relay(pool),
		identity.Watch(events),
	}
	units = append(units, money.units...)
	if cfg.Notices.On {
		units = append(units, emails.Unit())
	}
	for _, spec := range money.standing.Consumers(pool, emails) {
		units = append(units, events.Consumer(pool, spec))
	}
	return append(units, background.Unit(append(tasks, bus.Cleanup(pool), emails.Cleanup())...), server.Unit()), nil
}

// Spec is what the service is to the rest of the product.
func Spec() spec.Service {
	return spec.Of("billing", New, spec.Facts{
		Calls:     []string{"identity", "mail", "stripe"},
		Consumers: (*standing.Service)(nil).Consumers(nil),
		Watches:   []string{identityclient.RolesChanged},
	})
}
