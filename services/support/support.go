// Package support is the service for support tickets.
package support

import (
	"context"
	"errors"

	"fledge.dev/services/platform/access"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// Config is everything that the service can be told.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Access   access.Config
}

// Validate checks every part and reports all problems together.
func (c Config) Validate() error {
	return errors.Join(c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(), c.Access.Validate())
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	return pg.Migrate(ctx, c.Database.URL.Reveal(), bus.Migrations())
}

// New returns the service's units in the order in which they start.
func New(ctx context.Context, cfg Config, rt *service.Runtime) ([]service.Unit, error) {
	pool, err := pg.Open(ctx, cfg.Database, rt)
	if err != nil {
		return nil, err
	}
	identity, verifier, err := access.Connect(cfg.Access, cfg.RPC.Client(), rt.Clock)
	if err != nil {
		return nil, err
	}
	server, err := rpc.NewServer(cfg.RPC, rt, verifier, identity, authn.Policy{})
	if err != nil {
		return nil, err
	}
	events := bus.Connect(cfg.Bus, rt)
	return []service.Unit{
		cfg.Database.Unit(pool, cfg.Migrate),
		events.Relay(pool),
		identity.Watch(events),
		server.Unit(),
	}, nil
}
