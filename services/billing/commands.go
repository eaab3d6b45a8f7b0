package billing

import (
	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/billing/internal/email"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/service"
)

// Commands are what the binary does besides serving.
func Commands() []service.Command {
	return []service.Command{requeueEvents(), adjustCredits(), grantCredits(), setPrice(), checkStripe(), accept(), grant(), ignore(), owed(), monthEnd(), audit.DeadLetters(auditv1.Publisher_PUBLISHER_BILLING), audit.Mails(auditv1.Publisher_PUBLISHER_BILLING, email.BuiltIn, nil)}
}
