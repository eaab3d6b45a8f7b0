// Package consumer is what the waitlist does about its own events, each exactly
// once: it counts sign-ups by day and writes to people who were let in. The work
// is taken off the requests that cause it and survives any outage of NATS or of
// the mail server.
package consumer

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/waitlist/v1"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/event"
	"fledge.dev/services/waitlist/internal/store"
)

// stream is the service's own.
var stream = bus.StreamOf("waitlist")

// Stats counts who joined by UTC day and source. In a rush they come by the hundred, and
// all of a day are one row: so they are counted together.
func Stats(entries *store.Store) bus.ConsumerSpec {
	return bus.ConsumerSpec{
		Name:     "waitlist-stats",
		Stream:   stream,
		Subjects: []string{event.UsersJoined},
		HandleAll: func(ctx context.Context, tx pgx.Tx, events []bus.Event) error {
			var counts store.SignupCounts
			for _, ev := range events {
				joined, ok := ev.Payload.(*eventsv1.UsersJoined)
				if !ok {
					return bus.ErrIgnored
				}
				for _, user := range joined.GetUsers() {
					counts.Add(user.GetJoinedAt().AsTime(), user.GetSource())
				}
			}
			return entries.CountSignups(ctx, tx, counts)
		},
	}
}

// ApprovalMail queues one email for each user.approved event. siteOrigin is
// where the email sends its reader.
//
// Nobody is told of an approval that was taken back before the event arrived,
// and an entry that was approved again gets the later email only: the event
// counts while the entry is approved in the version that the event speaks of.
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

// approvalKey is the same for one approval however often its event comes.
func approvalKey(id uuid.UUID, version int64) string {
	return fmt.Sprintf("waitlist-approved/%s/%d", id, version)
}

// approvalEmail holds no text that came from a person: sign-ups are open to
// everybody, and an email must not carry a stranger's words.
func approvalEmail(siteOrigin string) mail.Email {
	return mail.Email{
		Subject: "You have access to the " + brand.Name + " closed beta",
		Preview: "Your spot is ready. Download the app for Mac.",
		Heading: "You're in",
		Paragraphs: []string{
			"You now have access to the " + brand.Name + " closed beta.",
			"Sign in with this email address on the closed beta page to download the app for Mac.",
		},
		Action: &mail.Action{Label: "Get the app", URL: siteOrigin + "/closed-beta"},
		Reason: "You get this one email because this address is on the " + brand.Name + " waitlist.",
	}
}
