// Package waitlist is the service for the closed beta's waitlist: who asked to
// come in, and who was let in.
package waitlist

import (
	"context"
	"errors"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/access"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist/internal/api"
	"fledge.dev/services/waitlist/internal/consumer"
	"fledge.dev/services/waitlist/internal/store"
)

// Config is everything that the service can be told.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Mail     mail.Config
	Access   access.Config

	// JoinBatch is the most sign-ups that share one statement.
	JoinBatch int `env:"JOIN_BATCH" envDefault:"128"`
	// JoinQueue is the most sign-ups that wait for the statement before theirs;
	// more are told to try again.
	JoinQueue int `env:"JOIN_QUEUE" envDefault:"2048"`
}

// Validate checks every part and reports all problems together.
func (c Config) Validate() error {
	var bounds error
	if c.JoinBatch < 1 || c.JoinQueue < 1 {
		bounds = errors.New("JOIN_BATCH and JOIN_QUEUE must be positive")
	}
	return errors.Join(c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(),
		c.Mail.Validate(), c.Access.Validate(), bounds)
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	url := c.Database.URL.Reveal()
	if err := pg.Migrate(ctx, url, bus.Migrations(), store.Migrations()); err != nil {
		return err
	}
	return mail.Migrate(ctx, url)
}

// New returns the service's units in the order in which they start.
func New(ctx context.Context, cfg Config, rt *service.Runtime) ([]service.Unit, error) {
	pool, err := pg.Open(ctx, cfg.Database, rt)
	if err != nil {
		return nil, err
	}
	identity, verifier, err := access.Connect(cfg.Access, cfg.RPC.Client(rt), rt.Clock)
	if err != nil {
		return nil, err
	}
	letters, err := mail.NewQueue(pool, cfg.Mail, rt)
	if err != nil {
		return nil, err
	}
	entries := store.New(pool, rt.Clock, store.Config{
		Deadline: cfg.Database.Deadline, JoinBatch: cfg.JoinBatch, JoinQueue: cfg.JoinQueue,
	})
	handlers, err := api.NewServer(entries, rt.Metrics, rt.Log)
	if err != nil {
		return nil, err
	}
	server, err := rpc.NewServer(cfg.RPC, rt, verifier, identity, api.Policy())
	if err != nil {
		return nil, err
	}
	server.Register(&waitlistv1.WaitlistService_ServiceDesc, handlers)
	events := bus.Connect(cfg.Bus, rt)
	return []service.Unit{
		cfg.Database.Unit(pool, cfg.Migrate),
		letters.Unit(),
		events.Relay(pool),
		events.Consumer(pool, consumer.Stats(entries)),
		events.Consumer(pool, consumer.ApprovalMail(entries, letters, cfg.Access.SiteOrigin)),
		identity.Watch(events),
		entries.Unit(rt.Metrics),
		entries.Sorting(store.SortEvery, rt.Metrics, rt.Log),
		server.Unit(),
	}, nil
}
