package store

import (
	"context"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/waitlist/internal/entry"
)

// staff is where changes by admins are recorded.
var staff = audit.For("waitlist")

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
