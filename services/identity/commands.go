package identity

import (
	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/service"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command {
	return append(accountCommands(), rotateKeys(), kratosConfig(), kratosCleanup(), checkProviders(), oauthClient(), exportAccount(), repeatErasures(), audit.DeadLetters(auditv1.Publisher_PUBLISHER_IDENTITY),
		audit.Mails(auditv1.Publisher_PUBLISHER_IDENTITY, email.BuiltIn, nil))
}
