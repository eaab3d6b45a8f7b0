// Package support is the service for support tickets: what customers ask, what
// staff answer, and the history of each ticket.
package support

import (
	"context"
	"errors"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/spec"
	"fledge.dev/services/support/internal/api"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/mailbox"
	"fledge.dev/services/support/internal/notify"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/webhook"
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
	emails, err := mail.NewQueue(pool, cfg.Mail, email.BuiltIn(cfg.Access.SiteOrigin), rt)
	if err != nil {
		return nil, err
	}
	tickets := store.New(pool, rt.Clock, emails, store.Config{
		Deadline: cfg.Database.Deadline, TicketsPerHour: cfg.TicketsPerHour, RepliesPerHour: cfg.RepliesPerHour,
		Email:       email.Config{SiteOrigin: cfg.Access.SiteOrigin, ReplyTo: cfg.Mailbox.Reply().Of},
		TeamAddress: cfg.TeamAddress, Notices: cfg.StaffNotices, Webhook: cfg.Webhook.On(), FirstAnswer: cfg.FirstAnswerTargets, IsStaff: identity.IsStaff,
	})
	handlers, err := api.NewServer(tickets, identity, cfg.FirstAnswerTargets, rt.Clock, rt.Metrics, rt.Log)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(tickets.Overdue().Register(rt.Metrics), tickets.TeamUnreachable().Register(rt.Metrics)); err != nil {
		return nil, err
	}
	hook, err := webhook.New(cfg.Webhook, cfg.Access.SiteOrigin, tickets, rt)
	if err != nil {
		return nil, err
	}
	openings, err := emails.Openings(email.ToCustomers()...)
	if err != nil {
		return nil, err
	}
	arriving, err := mailbox.New(cfg.Mailbox, cfg.Mail, openings, tickets, identity, emails.Reports(), rt)
	if err != nil {
		return nil, err
	}
	tasks := []periodic.Task{bus.Cleanup(pool), emails.Cleanup(), tickets.Indexing(), tickets.ViewersCleanup(), notify.Task(tickets, identity), hook.Task()}
	if cfg.Mailbox.Addr != "" {
		tasks = append(tasks, arriving.Task())
	}
	background, err := periodic.New(pool, rt)
	if err != nil {
		return nil, err
	}
	server, err := rpc.NewServer(cfg.RPC, rt, verifier, identity, api.Policy(), mail.StaffPolicy())
	if err != nil {
		return nil, err
	}
	server.Open(api.Callers())
	emails.Record(audit.MailRecord(auditv1.Publisher_PUBLISHER_SUPPORT))
	server.Register(&mailv1.MailService_ServiceDesc, emails.Reports())
	server.Register(&supportv1.SupportService_ServiceDesc, handlers)
	events := bus.Connect(cfg.Bus, rt)
	units := []service.Unit{
		cfg.Database.Unit(pool, cfg.Migrate),
		emails.Unit(),
		events.Unit(),
		events.Relay(pool),
		identity.Watch(events),
		events.Consumer(pool, erasure.Consumer("support", pool, tickets.Erase, emails)),
		events.Consumer(pool, tickets.Plans()),
		background.Unit(tasks...),
		server.Unit(),
	}
	for _, c := range append(identityclient.AddressConsumers("support", identity, tickets.Follow), tickets.Leavers()...) {
		units = append(units, events.Consumer(pool, c))
	}
	return units, nil
}

// Spec is what the service is to the rest of the product.
func Spec() spec.Service {
	return spec.Of("support", New, spec.Facts{
		Calls:     []string{"identity", "mail"},
		Watches:   []string{identityclient.RolesChanged},
		Consumers: append(append(identityclient.AddressConsumers("support", nil, nil), erasure.Consumer("support", nil, nil), (*store.Store)(nil).Plans()), (*store.Store)(nil).Leavers()...),
	})
}
