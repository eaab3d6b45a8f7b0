// Package consumer sends the approval emails, each exactly once.
package consumer

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/waitlist/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/event"
	"fledge.dev/services/waitlist/internal/store"
)

// stream is the service's own.
var stream = bus.StreamOf("waitlist")

// ApprovalMail queues one email for each user.approved event, with a link to siteOrigin.
//
// An approval that was withdrawn before its event arrived sends none, and an entry that
// was approved again gets the later email only: the event counts while the entry is
// approved in the event's version.
func ApprovalMail(entries *store.Store, emails *mail.Queue, siteOrigin string) bus.ConsumerSpec {
	return bus.ConsumerSpec{
		Name:     "waitlist-approval-mail",
		Stream:   stream,
		Subjects: []string{event.UserApproved},
		Handle: bus.Dispatch(bus.On(func(ctx context.Context, tx pgx.Tx, ev bus.Event, approved *eventsv1.UserApproved) error {
			id, err := uuid.Parse(approved.GetUserId())
			if err != nil {
				return bus.Poison(fmt.Errorf("user id: %w", err))
			}
			holds, err := entries.HoldApproval(ctx, tx, id, ev.Version)
			if err != nil || !holds {
				return err
			}
			email, err := approvalEmail(siteOrigin).Compose(approvalKey(id, ev.Version), approved.GetEmail())
			if err != nil {
				return err
			}
			return emails.Enqueue(ctx, tx, email)
		})),
	}
}
