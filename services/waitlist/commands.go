package waitlist

import (
	"fledge.dev/services/platform/seed"
	"fledge.dev/services/platform/service"
	invented "fledge.dev/services/waitlist/internal/seed"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command {
	return []service.Command{seed.Command("entries", invented.Entries)}
}
