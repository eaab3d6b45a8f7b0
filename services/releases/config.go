package releases

import (
	"context"
	"errors"
	"fmt"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/store"
)

// Config is everything that the service can be told.
type Config struct {
	service.Base
	RPC      rpc.ServerConfig
	Database pg.Config
	Bus      bus.Config
	Access   identityclient.Config
	GitHub   github.Config `envPrefix:"GITHUB_"`
	// InitialAvailability is what releases seen for the first time get:
	// "disabled", so that staff decide, or "enabled". That needs a token, with which GitHub tells a
	// repository from another that has taken its name.
	InitialAvailability Availability `env:"RELEASES_INITIAL_AVAILABILITY" envDefault:"disabled"`
}

// Availability is "enabled" or "disabled".
type Availability string

// The two availabilities.
const (
	Enabled  Availability = "enabled"
	Disabled Availability = "disabled"
)

// Validate checks every part and reports all problems together.
func (c Config) Validate() error {
	errs := []error{
		c.Base.Validate(), c.RPC.Validate(), c.Database.Validate(), c.Bus.Validate(), c.Access.Validate(), c.GitHub.Validate(),
	}
	if c.InitialAvailability != Enabled && c.InitialAvailability != Disabled {
		errs = append(errs, fmt.Errorf("RELEASES_INITIAL_AVAILABILITY: %q is neither %s nor %s", c.InitialAvailability, Enabled, Disabled))
	}
	if c.InitialAvailability == Enabled && c.GitHub.Token.Reveal() == "" {
		errs = append(errs, fmt.Errorf("RELEASES_INITIAL_AVAILABILITY: %s needs GITHUB_TOKEN: without it, releases of whoever takes the repository's name would be enabled, too", Enabled))
	}
	return errors.Join(errs...)
}

// Migrate brings the service's database up to date.
func (c Config) Migrate(ctx context.Context) error {
	return store.Migrate(ctx, c.Database.URL.Reveal())
}
