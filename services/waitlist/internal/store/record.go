package store

import (
	"context"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/waitlist/internal/entry"
)

// staff is where changes by admins are recorded.
// The actions in the audit log.
const (
	Added    audit.Name = "waitlist.added"
	Approved audit.Name = "waitlist.approved"
	Removed  audit.Name = "waitlist.removed"
	Imported audit.Name = "waitlist.imported"
	Resent   audit.Name = "waitlist.resent"
)

var staff = audit.For(auditv1.Publisher_PUBLISHER_WAITLIST, audit.Terms{
	Actions: []audit.Name{Added, Approved, Removed, Imported, Resent},
	Fields:  []string{"status", "source", "added", "known", "invalid", "first_line", "last_line"},
})

// recorded is the audit record of an entry's change of state; before is "" for a
// new one.
func recorded(ctx context.Context, name audit.Name, e entry.Entry, before entry.Status) (bus.Event, error) {
	action := audit.Action{
		Name: name, Subject: e.ID.String(), Label: e.Email.String(),
		After: audit.State{"status": string(e.Status), "source": string(e.Source)},
	}
	if before != "" {
		action.Before, action.After = audit.State{"status": string(before)}, audit.State{"status": string(e.Status)}
	}
	return staff.Event(ctx, action)
}
