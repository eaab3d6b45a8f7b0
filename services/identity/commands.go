package identity

import "fledge.dev/services/platform/service"

// Commands are the binary's commands in addition to serving.
func Commands() []service.Command {
	return []service.Command{rotateKeys(), kratosConfig(), deadLetters()}
}
