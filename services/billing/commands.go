package billing

import (
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command { return []service.Command{requeueEvents(), adjustCredits()} }

// databaseSettings are all that the commands need.
type databaseSettings struct{ Database pg.Config }

// Validate checks them.
func (s databaseSettings) Validate() error { return s.Database.Validate() }
