package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

// The actions in the audit log.
const (
	Added    audit.Name = "waitlist.added"
	Approved audit.Name = "waitlist.approved"
	Removed  audit.Name = "waitlist.removed"
	Imported audit.Name = "waitlist.imported"
	Resent   audit.Name = "waitlist.resent"
	// Undone is an approval that was undone, one by one or of a wave.
	Undone audit.Name = "waitlist.approval_undone"
	// Expired is an invitation that ended because nobody had used it.
	Expired audit.Name = "waitlist.invitation_expired"

	WaveStarted   audit.Name = "wave.started"
	WavePaused    audit.Name = "wave.paused"
	WaveResumed   audit.Name = "wave.resumed"
	WaveCancelled audit.Name = "wave.cancelled"
	WaveUndone    audit.Name = "wave.undone"
	// WaveChannelDropped is an update channel that is taken back from all whom a wave has approved.
	WaveChannelDropped audit.Name = "wave.channel_dropped"
)

// staff is where changes by admins are recorded.
var staff = audit.For(auditv1.Publisher_PUBLISHER_WAITLIST, audit.Terms{
	Actions: []audit.Name{Added, Approved, Removed, Imported, Resent, Undone, Expired, WaveStarted, WavePaused, WaveResumed, WaveCancelled, WaveUndone, WaveChannelDropped},
	Fields: []string{
		"status", "source", "added", "approved", "rejected", "known", "invalid", "first_line", "last_line",
		"state", "people", "per_minute", "starts_at", "undone", "channel",
	},
})

// recorded is the audit record of an entry's change of state; before is "" for a
// new one.
func recorded(ctx context.Context, name audit.Name, reason string, e entry.Entry, before entry.Status) (bus.Event, error) {
	action := audit.Action{
		Name: name, Subject: e.ID.String(), Label: e.Email.String(), Reason: reason,
		After: audit.State{"status": string(e.Status), "source": string(e.Source)},
	}
	if before != "" {
		action.Before, action.After = audit.State{"status": string(before)}, audit.State{"status": string(e.Status)}
	}
	return staff.Event(ctx, action)
}

// recordAll records the same change of many entries.
func (s *Store) recordAll(ctx context.Context, tx pgx.Tx, name audit.Name, rows []db.WaitlistUser, before entry.Status) error {
	events := make([]bus.Event, len(rows))
	for i, row := range rows {
		var err error
		if events[i], err = recorded(ctx, name, "", fromRow(row), before); err != nil {
			return err
		}
	}
	return bus.Append(ctx, tx, events...)
}
