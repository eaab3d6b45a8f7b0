package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	identityv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/support/internal/store/db"
	"fledge.dev/services/support/internal/ticket"
)

// asStaff runs work in a transaction in which the actor is one of the staff until it ends.
func (s *Store) asStaff(ctx context.Context, actor ticket.Person, work func(ctx context.Context, tx pgx.Tx) error) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.meet(ctx, tx, actor); err != nil {
			return err
		}
		return work(ctx, tx)
	})
}

// meet has the actor be one of the staff. It refuses whoever has left, or whose account has ended, since their request
// was let in: Leavers and Erase, which forget them, wait for the row, and who has none waits for them.
func (s *Store) meet(ctx context.Context, tx pgx.Tx, actor ticket.Person) error {
	known, err := s.q.StaffMember(ctx, tx, actor.ID)
	if err == nil && known.Email == actor.Email {
		return nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.mayEnter(ctx, tx, actor.ID)
	}
	if err != nil {
		return err
	}
	return s.q.MeetStaff(ctx, tx, db.MeetStaffParams{ID: actor.ID, Email: actor.Email})
}

func (s *Store) mayEnter(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if err := s.q.LockPerson(ctx, tx, id.String()); err != nil {
		return err
	}
	isStaff, err := s.cfg.IsStaff(ctx, id)
	if err == nil && !isStaff {
		err = authn.ErrForbidden
	}
	return err
}

// Leavers has whoever is no longer of the staff, or disabled, give back their tickets, and be given no others. Who is of
// it now is asked, so that events may come in any order.
func (s *Store) Leavers() []bus.ConsumerSpec {
	stream := bus.StreamOf("identity")
	return []bus.ConsumerSpec{
		{Name: "support-leavers", Stream: stream, Type: identityclient.RolesChanged, Handle: bus.On(
			func(ctx context.Context, tx pgx.Tx, _ bus.Event, e *identityv1.UserRolesChanged) error {
				return s.leave(ctx, tx, e.GetUserId())
			})},
		{Name: "support-user-disabled", Stream: stream, Type: "fledge.identity.v1.user.disabled", Handle: bus.On(
			func(ctx context.Context, tx pgx.Tx, _ bus.Event, e *identityv1.UserDisabled) error {
				return s.leave(ctx, tx, e.GetUserId())
			})},
	}
}

func (s *Store) leave(ctx context.Context, tx pgx.Tx, user string) error {
	id, err := bus.AccountID(user)
	if err != nil {
		return err
	}
	if err := s.q.LockPerson(ctx, tx, id.String()); err != nil {
		return err
	}
	if _, err := s.q.StaffMember(ctx, tx, id); errors.Is(err, pgx.ErrNoRows) {
		return nil // as most accounts are not
	} else if err != nil {
		return err
	}
	if staff, err := s.cfg.IsStaff(ctx, id); err != nil || staff {
		return err
	}
	if err := s.q.ForgetStaff(ctx, tx, id); err != nil { // first, so that nobody gives them another one
		return err
	}
	return s.q.FreeTickets(ctx, tx, db.FreeTicketsParams{Member: id, Now: s.now()})
}
