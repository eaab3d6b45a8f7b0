package waitlist

import (
	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/store"
)

// Commands are the binary's commands in addition to serving.
func Commands() []service.Command {
	return append(csvCommands(),
		audit.DeadLetters(auditv1.Publisher_PUBLISHER_WAITLIST), audit.Mails(auditv1.Publisher_PUBLISHER_WAITLIST, email.BuiltIn, store.EmailEnded))
}
