package ledger

import (
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/events/billing/v1"
	"fledge.dev/services/platform/bus"
)

// Granted is the type of the event that tells of a grant.
const Granted = "fledge.billing.v1.credits.granted"

// creditsGranted is versioned by the account's entries: it is about the entry
// with that number.
func creditsGranted(g Grant, at time.Time, entry int64) bus.Event {
	return bus.Event{
		Type: Granted, Time: at, Source: "billing", Subject: g.UserID.String(), Version: entry,
		Payload: &billingv1.CreditsGranted{UserId: g.UserID.String(), Amount: g.Amount, Reason: g.Fact},
	}
}
