// Package event builds the events that the waitlist publishes. The messages
// are in proto/fledge/events/waitlist/v1.
package event

import (
	"google.golang.org/protobuf/proto"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/events/waitlist/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/waitlist/internal/entry"
)

// Types of the events, which are also their subjects on the bus.
const (
	UserApproved = "fledge.waitlist.v1.user.approved"
	UserRejected = "fledge.waitlist.v1.user.rejected"
)

// Approved says that the address may download the beta.
func Approved(e entry.Entry) bus.Event {
	return envelope(UserApproved, e, &waitlistv1.UserApproved{UserId: e.ID.String(), Email: e.Email.String()})
}

// Rejected says that the address was taken off the list.
func Rejected(e entry.Entry) bus.Event {
	return envelope(UserRejected, e, &waitlistv1.UserRejected{UserId: e.ID.String(), Email: e.Email.String()})
}

func envelope(kind string, e entry.Entry, payload proto.Message) bus.Event {
	return bus.Event{
		Type:    kind,
		Time:    e.UpdatedAt,
		Source:  "waitlist",
		Subject: e.ID.String(),
		Version: e.Version,
		Payload: payload,
	}
}
