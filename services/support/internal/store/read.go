package store

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

const (
	// MaxMine is the most tickets in one page of a customer's own.
	MaxMine = 20
	// threadOfMine is how much of each thread such a page shows.
	threadOfMine = 20
	// wholeThread is how much staff sees of a thread, and of a history.
	wholeThread = 200
)

// Thread is a ticket with the latest messages that followed it, oldest first.
type Thread struct {
	Ticket   ticket.Ticket
	Messages []ticket.Message
	// Earlier: there are messages before those.
	Earlier bool
	// Notes are read by staff only.
	Notes []ticket.Note
	// Trouble is why emails to the customer do not arrive, nil for nothing that is known; for staff only.
	Trouble *mail.Trouble
}

// Cursor is a place in a list that is read newest first.
type Cursor = keyset.Cursor

// The formats of cursors: a customer's own tickets, and the export.
const (
	MineCursor   keyset.Format = 'm'
	ExportCursor keyset.Format = 'x'
)

// Mine returns the customer's own tickets after the cursor, newest first, and the
// cursor of the next page, or nil.
func (s *Store) Mine(ctx context.Context, customer uuid.UUID, after Cursor, limit int) ([]Thread, *Cursor, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	rows, err := s.q.MyTickets(ctx, s.pool, db.MyTicketsParams{
		UserID: customer, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: int32(limit) + 1,
	})
	if err != nil {
		return nil, nil, pg.Fault(err, nil)
	}
	var next *Cursor
	if len(rows) > limit {
		rows = rows[:limit]
		next = &Cursor{CreatedAt: rows[limit-1].CreatedAt, ID: rows[limit-1].ID}
	}
	threads := make([]Thread, len(rows))
	ids := make([]uuid.UUID, len(rows))
	for i, r := range rows {
		threads[i].Ticket, ids[i] = fromRow(row(r)), r.ID
	}
	messages, err := s.messages(ctx, s.pool, ids, threadOfMine)
	for i := range threads {
		threads[i].latest(messages[threads[i].Ticket.ID], threadOfMine)
	}
	return threads, next, err
}

// Get returns the ticket with its thread and its history, both oldest first.
func (s *Store) Get(ctx context.Context, id uuid.UUID) (Thread, []ticket.Change, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	r, err := s.q.GetTicket(ctx, s.pool, id)
	if err != nil {
		return Thread{}, nil, pg.Fault(err, ticket.ErrNotFound)
	}
	messages, err := s.messages(ctx, s.pool, []uuid.UUID{id}, wholeThread)
	if err != nil {
		return Thread{}, nil, err
	}
	rows, err := s.q.LatestChanges(ctx, s.pool, db.LatestChangesParams{TicketID: id, Most: wholeThread})
	if err != nil {
		return Thread{}, nil, pg.Fault(err, nil)
	}
	history := make([]ticket.Change, len(rows))
	for i, c := range rows {
		history[i] = ticket.Change{ID: c.ID, At: c.At.UTC(), ActorEmail: c.ActorEmail, Field: c.Field, From: c.FromValue, To: c.ToValue}
	}
	slices.Reverse(history)
	thread := Thread{Ticket: fromRow(r)}
	thread.latest(messages[id], wholeThread)
	if thread.Notes, err = s.notes(ctx, id); err != nil {
		return Thread{}, nil, err
	}
	// The ticket is shown all the same while this is not known.
	if trouble, ok, _ := s.emails.Trouble(ctx, thread.Ticket.Customer.Email); ok {
		thread.Trouble = &trouble
	}
	return thread, history, nil
}

// latest keeps the last most of the messages, of which messages reads one more.
func (t *Thread) latest(messages []ticket.Message, most int) {
	t.Earlier = len(messages) > most
	t.Messages = messages[max(0, len(messages)-most):]
}

// messages are the latest of each thread, and one more than most where there are as many.
func (s *Store) messages(ctx context.Context, tx db.DBTX, ids []uuid.UUID, most int32) (map[uuid.UUID][]ticket.Message, error) {
	rows, err := s.q.LatestMessages(ctx, tx, db.LatestMessagesParams{TicketIds: ids, Most: most + 1})
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	threads := map[uuid.UUID][]ticket.Message{}
	for _, m := range rows {
		threads[m.TicketID] = append(threads[m.TicketID], ticket.Message{
			ID: m.ID, Author: ticket.Author(m.Author), AuthorEmail: m.AuthorEmail, Body: m.Body, CreatedAt: m.CreatedAt.UTC(),
		})
	}
	return threads, nil
}
