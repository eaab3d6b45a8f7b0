package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/support/internal/store/db"
)

// Follow gives an account's tickets its new address, so that emails about them go there, and staff the
// one of a member of theirs. What was written in a ticket keeps the address of its time.
func (s *Store) Follow(ctx context.Context, tx pgx.Tx, moved identityclient.AddressChange) error {
	if moved.Email == "" {
		return nil
	}
	// A ticket that is being opened is seen.
	if err := s.q.LockPerson(ctx, tx, moved.Account.String()); err != nil {
		return err
	}
	tickets, err := s.q.LockTicketsOf(ctx, tx, moved.Account)
	if err != nil {
		return err
	}
	if err := s.q.MoveTickets(ctx, tx, db.MoveTicketsParams{Ids: tickets, Email: moved.Email}); err != nil {
		return err
	}
	if err := s.q.OutdateTickets(ctx, tx, tickets); err != nil {
		return err
	}
	if err := s.q.MoveAssignee(ctx, tx, db.MoveAssigneeParams{Account: moved.Account, Email: moved.Email}); err != nil {
		return err
	}
	return s.q.MoveStaff(ctx, tx, db.MoveStaffParams{Account: moved.Account, Email: moved.Email})
}
