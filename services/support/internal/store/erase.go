package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/support/internal/store/db"
)

// lockPerson has whatever keeps something about a person wait for others that do. It refuses what comes after Erase, such
// as a request with a session of before, or a mail that was read before.
func (s *Store) lockPerson(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if err := s.q.LockPerson(ctx, tx, id.String()); err != nil {
		return err
	}
	erased, err := erasure.IsErased(ctx, tx, "support", id)
	if err == nil && erased {
		return erasure.ErrErased
	}
	return err
}

// Erase deletes the account's tickets with their threads and histories. What the account did
// as staff on tickets of others stays, without its address.
func (s *Store) Erase(ctx context.Context, tx pgx.Tx, account erasure.Account) (further []string, err error) {
	// A request of the account's own that is under way ends first.
	if err := s.q.LockPerson(ctx, tx, account.ID.String()); err != nil {
		return nil, pg.Fault(err, nil)
	}
	tickets, err := s.q.LockTicketsOf(ctx, tx, account.ID)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	for _, remove := range []func(context.Context, db.DBTX, []uuid.UUID) error{s.q.DeleteChanges, s.q.DeleteMessages, s.q.DeleteNotes, s.q.DeleteTickets} {
		if err := remove(ctx, tx, tickets); err != nil {
			return nil, pg.Fault(err, nil)
		}
	}
	// Staff first, then their tickets: nobody is given one any more.
	for _, forget := range []func(context.Context, db.DBTX, uuid.UUID) error{s.q.ForgetAuthor, s.q.ForgetActor, s.q.ForgetNotesAuthor, s.q.ForgetStaff, s.q.ForgetAssignee, s.q.DropNews, s.q.ForgetViewer, s.q.ForgetCustomerPlan} {
		if err := forget(ctx, tx, account.ID); err != nil {
			return nil, pg.Fault(err, nil)
		}
	}
	return nil, pg.Fault(s.q.ForgetAssignments(ctx, tx, account.Emails), nil)
}
