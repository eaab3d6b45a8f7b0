package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/search"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

const (
	// piece is the most tickets in one piece of an export.
	piece = 500
	// pieceBytes ends a piece of long tickets early.
	pieceBytes = 2 << 20
)

// Export returns the piece of the list after the cursor, newest first, and where
// the next begins, or nil. Tickets that come meanwhile are newer than any cursor.
func (s *Store) Export(ctx context.Context, f Filter, after Cursor) ([]ticket.Ticket, *Cursor, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	tickets, err := s.after(ctx, f, after)
	if err != nil {
		return nil, nil, pg.Fault(err, nil)
	}
	tickets, next := cutPiece(tickets)
	return tickets, next, s.addResolved(ctx, tickets)
}

// cutPiece returns what fits into a piece, and where the next begins.
func cutPiece(tickets []ticket.Ticket) ([]ticket.Ticket, *Cursor) {
	size := 0
	for i, t := range tickets {
		size += len(t.Message) + len(t.Subject)
		if i+1 == piece || (size > pieceBytes && i+1 < len(tickets)) {
			return tickets[:i+1], &Cursor{CreatedAt: t.CreatedAt, ID: t.ID}
		}
	}
	return tickets, nil
}

func (s *Store) addResolved(ctx context.Context, tickets []ticket.Ticket) error {
	ids := make([]uuid.UUID, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	rows, err := s.q.ResolvedAt(ctx, s.pool, ids)
	if err != nil {
		return pg.Fault(err, nil)
	}
	at := map[uuid.UUID]time.Time{}
	for _, r := range rows {
		at[r.TicketID] = r.At.UTC()
	}
	for i, t := range tickets {
		tickets[i].ResolvedAt = at[t.ID]
	}
	return nil
}

func (s *Store) after(ctx context.Context, f Filter, after Cursor) ([]ticket.Ticket, error) {
	if words := search.Fold(f.Search); words != "" {
		ids, err := s.found(ctx, f, words, after, piece)
		if err != nil {
			return nil, err
		}
		return s.ticketsByID(ctx, ids, f.Sort, 0, piece)
	}
	rows, err := s.q.TicketsAfter(ctx, planned{s.pool}, db.TicketsAfterParams{
		Status: string(f.Status), Category: string(f.Category), Priority: string(f.Priority),
		Queue: string(f.Queue), Caller: f.Caller, Tag: f.Tag,
		BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: piece,
	})
	return ticketsOf(rows, func(r db.TicketsAfterRow) row { return row(r) }), err
}
