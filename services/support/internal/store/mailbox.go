package store

import (
	"context"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// ofAddress is how many tickets of an address a mail may be an answer to.
const ofAddress = 200

// TicketByNumber returns the ticket, or ticket.ErrNotFound.
func (s *Store) TicketByNumber(ctx context.Context, number int64) (ticket.Ticket, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	r, err := s.q.TicketByNumber(ctx, s.pool, number)
	return fromRow(row(r)), pg.Fault(err, ticket.ErrNotFound)
}

// TicketsOfAddress returns the tickets whose customer has the address, newest first; case does not
// matter. It was verified when they were opened.
func (s *Store) TicketsOfAddress(ctx context.Context, address string) ([]ticket.Ticket, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	rows, err := s.q.TicketsOfAddress(ctx, s.pool, db.TicketsOfAddressParams{Address: address, Most: ofAddress})
	return ticketsOf(rows, func(r db.TicketsOfAddressRow) row { return row(r) }), pg.Fault(err, nil)
}

// HasMail reports whether a ticket or a message of the customer's has the key.
func (s *Store) HasMail(ctx context.Context, customer ticket.Person, key string) (bool, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	has, err := s.q.HasMail(ctx, s.pool, db.HasMailParams{UserID: customer.ID, IdempotencyKey: key})
	return has, pg.Fault(err, nil)
}
