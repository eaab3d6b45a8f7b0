package billing

import "fledge.dev/services/platform/service"

// Commands are what the binary does besides serving.
func Commands() []service.Command { return []service.Command{requeueEvents(), adjustCredits()} }
