package identity

import (
	invented "fledge.dev/services/identity/internal/seed"
	"fledge.dev/services/platform/seed"
	"fledge.dev/services/platform/service"
)

// Commands are the binary's commands in addition to serving.
func Commands() []service.Command {
	return []service.Command{rotateKeys(), kratosConfig(), seed.Command("accounts", invented.Accounts)}
}
