package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// viewsFor is how long somebody who is no longer heard of still has a ticket open.
const viewsFor = 30 * time.Second

// Seen is what is told again and again to whoever has a ticket open.
type Seen struct {
	// Version is the ticket's, LastNote the id of its latest note, "" without one: notes make no version.
	Version  int64
	LastNote string
	// Others are who else has it open.
	Others []ticket.Viewer
}

// View notes that the actor has the ticket open.
func (s *Store) View(ctx context.Context, actor ticket.Person, id uuid.UUID, writing bool) (seen Seen, err error) {
	err = s.asStaff(ctx, actor, func(ctx context.Context, tx pgx.Tx) error {
		now := s.now()
		row, err := s.q.SeeTicket(ctx, tx, db.SeeTicketParams{TicketID: id, StaffID: actor.ID, Email: actor.Email, Writing: writing, SeenAt: now})
		if err != nil {
			return pg.Fault(err, ticket.ErrNotFound)
		}
		rows, err := s.q.OtherViewers(ctx, tx, db.OtherViewersParams{TicketID: id, StaffID: actor.ID, Since: now.Add(-viewsFor)})
		seen = Seen{Version: row.Version, LastNote: row.LastNote}
		for _, r := range rows {
			seen.Others = append(seen.Others, ticket.Viewer(r))
		}
		return err
	})
	return seen, err
}

// Leave notes that the actor has the ticket no longer open.
func (s *Store) Leave(ctx context.Context, actor ticket.Person, id uuid.UUID) error {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	return pg.Fault(s.q.LeaveTicket(ctx, s.pool, db.LeaveTicketParams{TicketID: id, StaffID: actor.ID}), nil)
}

// ViewersCleanup is the task that deletes viewers who were not heard of for a while.
func (s *Store) ViewersCleanup() periodic.Task {
	return periodic.Task{Name: "ticket_viewers_cleanup", Every: time.Hour, Timeout: time.Minute, Exclusive: true,
		Run: func(ctx context.Context) error {
			return pg.Fault(s.q.DropViewers(ctx, s.pool, s.now().Add(-time.Hour)), nil)
		}}
}
