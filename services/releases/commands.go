package releases

import (
	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/service"
)

// Commands are the binary's commands in addition to serving.
func Commands() []service.Command {
	return []service.Command{explain(), audit.DeadLetters(auditv1.Publisher_PUBLISHER_RELEASES)}
}
