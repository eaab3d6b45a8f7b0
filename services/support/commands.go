package support

import (
	"fledge.dev/services/platform/seed"
	"fledge.dev/services/platform/service"
	invented "fledge.dev/services/support/internal/seed"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command {
	return []service.Command{seed.Command("tickets", invented.Tickets)}
}
