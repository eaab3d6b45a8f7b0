package support

import (
	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/support/internal/email"
)

// Commands are the binary's commands in addition to serving.
func Commands() []service.Command {
	return []service.Command{audit.DeadLetters(auditv1.Publisher_PUBLISHER_SUPPORT), audit.Mails(auditv1.Publisher_PUBLISHER_SUPPORT, email.BuiltIn, nil)}
}
