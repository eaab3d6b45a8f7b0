// Package identity is the service that knows who people are: it trades a Kratos
// session for the product's own tokens, keeps accounts and roles, and publishes
// the keys that verify tokens. See README.md for its boundaries.
package identity

import (
	"context"
	"errors"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/api"
	"fledge.dev/services/identity/internal/auditlog"
	"fledge.dev/services/identity/internal/cleanup"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/erasure"
	"fledge.dev/services/identity/internal/hook"
	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/oauthclient"
	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/staff"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/spec"
)

// New builds the service. Nothing is opened before its units start.
func New(ctx context.Context, cfg Config, rt *service.Runtime) ([]service.Unit, error) {
	pool, err := pg.Open(ctx, cfg.Database, rt)
	if err != nil {
		return nil, err
	}
	sealer, err := keyring.NewSealer(cfg.KeyEncryptionKey)
	if err != nil {
		return nil, err
	}
	kratosClient, err := kratos.New(cfg.Kratos, rt.Metrics)
	if err != nil {
		return nil, err
	}
	metrics, err := session.NewMetrics(rt.Metrics)
	if err != nil {
		return nil, err
	}
	emails, err := mail.NewQueue(pool, cfg.Mail, email.BuiltIn(cfg.SiteOrigin), rt)
	if err != nil {
		return nil, err
	}
	st := store.New(pool, account.NewAdmins(cfg.BootstrapAdminEmails), cfg.Database.Deadline).WithEmails(emails, cfg.SiteOrigin)
	ring := keyring.New(st, sealer, rt.Clock).Scheduled(cfg.Keys)
	revoker, err := provider.NewRevoker(cfg.Providers, kratosClient, rt.Clock, rt.Log, rt.Metrics)
	if err != nil {
		return nil, err
	}
	sessions := session.NewService(st, kratosClient, revoker, ring, session.Settings{
		Issuer: cfg.SiteOrigin, HandOffTokens: cfg.HandOffTokens, DeletionGrace: cfg.DeletionGrace,
	}, rt.Clock, rt.Log, metrics)

	onAccounts := staff.New(st, kratosClient, cfg.DeletionGrace, rt.Clock, rt.Log, metrics)

	cleaner, err := cleanup.New(pool, cfg.AuditLogRetention, rt.Clock, rt.Metrics)
	if err != nil {
		return nil, err
	}
	reconciler, err := projection.New(st, kratosClient, cfg.Projection, rt.Clock, rt.Log, rt.Metrics)
	if err != nil {
		return nil, err
	}
	eraser, err := erasure.New(st, kratosClient, revoker, rt.Clock, rt.Log, rt.Metrics)
	if err != nil {
		return nil, err
	}
	checker, err := provider.NewChecker(cfg.Providers, cfg.SiteOrigin, rt.Clock, rt.Metrics)
	if err != nil {
		return nil, err
	}
	apple, err := provider.NewFollower(provider.NewNotifications(cfg.Providers, rt.Clock), st, kratosClient, rt.Clock, rt.Log, rt.Metrics)
	if err != nil {
		return nil, err
	}
	clients, err := oauthclient.Parse(cfg.OAuthClients)
	if err != nil {
		return nil, err
	}
	background, err := periodic.New(pool, rt)
	if err != nil {
		return nil, err
	}

	// This service verifies its own tokens like any other, from its own key set.
	jwks := func(context.Context) ([]byte, error) { return ring.JWKS(), nil }
	verifier := authn.NewVerifier(cfg.SiteOrigin, authn.NewKeys(jwks, rt.Clock), rt.Clock)
	secondFactor := cfg.StaffSecondFactor == secondFactorRequired
	server, err := rpc.NewServer(cfg.RPC, rt, verifier, accessChecker{st, rt.Clock, secondFactor}, api.Policy(), mail.Policy())
	if err != nil {
		return nil, err
	}
	server.Open(api.Callers())
	server.Register(&mailv1.MailService_ServiceDesc, emails.Reports())
	server.Register(&identityv1.IdentityService_ServiceDesc, api.NewServer(api.Parts{
		Sessions: sessions,
		Store:    st,
		Staff:    onAccounts,
		Exports:  exports{st, kratosClient},
		Apple:    apple,
		Clients:  clients,
		Signer:   ring,
		Issuer:   cfg.SiteOrigin,
		JWKS:     ring.JWKS,
		Clock:    rt.Clock,
		Log:      rt.Log,

		SecondFactor: secondFactor, // whether staff needs one
	}))

	conn := bus.Connect(cfg.Bus, rt)
	units := []service.Unit{
		cfg.Database.Unit(pool, cfg.Migrate),
		{Name: "Kratos' client", Start: func(context.Context) (func(context.Context) error, error) {
			return func(context.Context) error { kratosClient.Close(); return nil }, nil
		}},
		ring.Unit(rt),
		emails.Unit(),
		background.Unit(append(reconciler.Tasks(), eraser.Task(), onAccounts.Task(), cleaner.Task(), checker.Task(), bus.Cleanup(pool), emails.Cleanup())...),
		conn.Unit(),
		conn.Relay(pool),
	}
	if cfg.HandOffTokens {
		units = append(units, service.Unit{Name: "tokens in links", Start: func(ctx context.Context) (func(context.Context) error, error) {
			rt.Log.WarnContext(ctx, "HAND_OFF_TOKENS is on: apps without a code challenge get tokens in their link, where another program can take them")
			return nil, nil
		}})
	}
	for _, c := range consumers(st) {
		units = append(units, conn.Consumer(pool, c))
	}
	return append(units,
		hook.Unit(cfg.HookAddr, hook.NewHandler(st, kratosClient, cfg.HookKey, rt.Clock, rt.Log), rt),
		server.Unit(),
	), nil
}

// Spec is what the service is to the rest of the product.
func Spec() spec.Service {
	return spec.Of("identity", New, spec.Facts{
		Calls:     []string{"kratos", "mail", "providers", "billing", "support", "waitlist", "releases"},
		Consumers: consumers(nil),
	})
}

func consumers(st *store.Store) []bus.ConsumerSpec {
	return append(auditlog.Consumers(st), erasure.Consumers(st)...)
}

// accessChecker answers the guard's questions from the service's own records.
type accessChecker struct {
	store *store.Store
	clock clock.Clock
	// secondFactor is whether staff needs one.
	secondFactor bool
}

func (a accessChecker) CheckAccess(ctx context.Context, p authn.Principal) (authn.Rights, error) {
	id, idErr := uuid.Parse(p.UserID)
	family, familyErr := uuid.Parse(p.SessionID)
	if errors.Join(idErr, familyErr) != nil {
		return authn.Rights{}, nil //nolint:nilerr // what is no UUID is no account and no session
	}
	access, err := a.store.Access(ctx, id, family)
	return access.Rights(a.clock.Now(), a.secondFactor), err
}
