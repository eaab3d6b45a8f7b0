// Package waitlist is the service for the closed beta's waitlist: sign-ups and
// approvals.
package waitlist

import (
	"context"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
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
	"fledge.dev/services/waitlist/internal/api"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/store"
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
	entries := store.New(pool, rt.Clock, emails, store.Config{
		Deadline: cfg.Database.Deadline, JoinBatch: cfg.JoinBatch, JoinQueue: cfg.JoinQueue, SiteOrigin: cfg.Access.SiteOrigin, IsAdmin: identity.IsAdmin,
		ConfirmSignUps: cfg.ConfirmSignUps, RemindAfter: cfg.ReminderAfter, ExpireAfter: cfg.ExpiresAfter, UndoFor: cfg.ApprovalUndo, Log: rt.Log,
	})
	emails.Ask(entries.EmailDue)
	emails.Tell(store.EmailEnded)
	emails.Hear(entries.EmailReported)
	handlers, err := api.NewServer(entries, rt.Clock, rt.Metrics, rt.Log)
	if err != nil {
		return nil, err
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
	emails.Record(audit.MailRecord(auditv1.Publisher_PUBLISHER_WAITLIST))
	server.Register(&mailv1.MailService_ServiceDesc, emails.Reports())
	server.Register(&waitlistv1.WaitlistService_ServiceDesc, handlers)
	events := bus.Connect(cfg.Bus, rt)
	units := []service.Unit{
		cfg.Database.Unit(pool, cfg.Migrate),
		emails.Unit(),
		events.Unit(),
		events.Relay(pool),
		identity.Watch(events),
		events.Consumer(pool, erasure.Consumer("waitlist", pool, entries.Erase, emails)),
		entries.Unit(rt.Metrics),
		background.Unit(append(entries.InvitationTasks(), bus.Cleanup(pool), emails.Cleanup(), entries.Working(), entries.UnconfirmedCleanup(), entries.Spelling())...),
		server.Unit(),
	}
	for _, c := range identityclient.AddressConsumers("waitlist", identity, entries.Follow) {
		units = append(units, events.Consumer(pool, c))
	}
	return units, nil
}

// Spec is what the service is to the rest of the product.
func Spec() spec.Service {
	return spec.Of("waitlist", New, spec.Facts{
		Calls:     []string{"identity", "mail"},
		Watches:   []string{identityclient.RolesChanged},
		Consumers: append(identityclient.AddressConsumers("waitlist", nil, nil), erasure.Consumer("waitlist", nil, nil)),
	})
}
