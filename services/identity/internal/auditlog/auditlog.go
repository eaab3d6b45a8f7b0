// Package auditlog collects the audit records of all services: each publishes its staff's
// changes as events (package audit), and this service stores them once.
package auditlog

import (
	"time"

	"github.com/google/uuid"
)

// Entry is one change.
type Entry struct {
	// ID is the event's.
	ID uuid.UUID
	// At is when the change was committed, UTC with microseconds.
	At time.Time
	// Service is which one tells of it.
	Service string
	// ActorEmail is the account's address at that time.
	ActorID    uuid.UUID
	ActorEmail string
	// Action is such as "waitlist.approved".
	Action string
	// Subject is the id of what was changed, Label what people call it.
	Subject, Label string
	// Before and After are JSON objects, or "".
	Before, After string
	// From where it came, as the gateway saw it; may be "".
	ClientIP, UserAgent, RequestID string
	// Reason is why, in the words of who acted; may be "".
	Reason string
}

// Actions are all that staff can be recorded to have done, by any service.
func Actions() []string {
	return []string{
		"waitlist.added", "waitlist.approved", "waitlist.removed", "waitlist.imported", "waitlist.resent", "waitlist.approval_undone", "waitlist.invitation_expired",
		"wave.started", "wave.paused", "wave.resumed", "wave.cancelled", "wave.undone", "wave.channel_dropped", "user.roles_changed",
		"user.disabled", "user.enabled", "user.signed_out", "user.device_revoked", "user.deletion_begun", "user.address_changed", "account.exported", "account.channel_changed",
		"user.second_factor_added", "user.second_factor_removed", "user.recovery_codes_created", "user.second_factor_reset",
		"release.availability_changed", "release.rollout_changed", "release.channel_changed", "release.requirement_changed", "release.preview_link_created", "release.preview_link_revoked",
		"ticket.updated", "ticket.edited", "ticket.note_added", "ticket.opened",
		"canned_answer.saved", "canned_answer.deleted", "credits.adjusted", "renewal.allowed", "renewal.stopped",
		"price.agreed", "price.dropped", "billing_case.accepted", "billing_case.granted", "billing_case.ignored", "billing_case.retried", "stripe_account.moved",
		"dead_letter.redriven", "dead_letter.dropped", "mail.resent", "mail.dropped", "mail.tested",
	}
}

// Filter selects entries. Zero values select everything.
type Filter struct {
	Action string
	// Actor is the id of an account or its whole address, in any case.
	Actor string
	// Search is a part of the subject, its label or the actor's address, taken
	// literally, in any case.
	Search string
	// About is whom it was done to: the id of an account, or an address. It goes with neither
	// Actor nor Search.
	About string
	// From is the first moment, To the first one that is too late.
	From, To time.Time
}
