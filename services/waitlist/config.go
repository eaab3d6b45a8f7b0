package waitlist

import (
	"context"
	"errors"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist/internal/store"
)

// Config is everything that the service can be told.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Mail     mail.Config
	Access   identityclient.Config

	// JoinBatch is the most sign-ups in one statement.
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
