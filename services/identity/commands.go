package identity

import (
	invented "fledge.dev/services/identity/internal/seed"
	"fledge.dev/services/platform/seed"
	"fledge.dev/services/platform/service"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command {
	return []service.Command{rotateKeys(), kratosConfig(), seed.Command("accounts", invented.Accounts)}
}
