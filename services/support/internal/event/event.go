// Package event builds the events that support publishes. The messages are in
// proto/fledge/events/support/v1.
package event

import (
	supportv1 "fledge.dev/proto/gen/go/fledge/events/support/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/support/internal/ticket"
)

// Types of the events, which are also their subjects on the bus.
const (
	TicketCreated = "fledge.support.v1.ticket.created"
	TicketUpdated = "fledge.support.v1.ticket.updated"
)

// Created says that a customer asked something.
func Created(t ticket.Ticket) bus.Event {
	return bus.Event{
		Type: TicketCreated, Time: t.CreatedAt, Subject: t.ID.String(), Version: t.Version,
		Payload: &supportv1.TicketCreated{
			TicketId: t.ID.String(), Number: t.Label(), UserId: t.Customer.ID.String(), Category: string(t.Category), Priority: string(t.Priority),
		},
	}
}

// Updated says what a step changed, and who made it.
func Updated(s ticket.Step, actor ticket.Person) bus.Event {
	payload := &supportv1.TicketUpdated{
		TicketId: s.Ticket.ID.String(), Number: s.Ticket.Label(), ActorId: actor.ID.String(),
		StatusBefore: string(s.Before), Status: string(s.Ticket.Status),
	}
	if s.Body != "" {
		payload.MessageBy = string(s.By)
	}
	return bus.Event{Type: TicketUpdated, Time: s.Ticket.UpdatedAt, Subject: s.Ticket.ID.String(), Version: s.Ticket.Version, Payload: payload}
}
