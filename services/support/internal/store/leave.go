package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	identityv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/support/internal/store/db"
)

// Leavers has whoever is no longer of the staff give back their tickets, and be given no others. isStaff tells who is of
// it now, so that events may come in any order.
func (s *Store) Leavers(isStaff func(ctx context.Context, account uuid.UUID) (bool, error)) bus.ConsumerSpec {
	return bus.ConsumerSpec{Name: "support-leavers", Stream: bus.StreamOf("identity"), Type: identityclient.RolesChanged, Handle: bus.On(
		func(ctx context.Context, tx pgx.Tx, _ bus.Event, e *identityv1.UserRolesChanged) error {
			id, err := uuid.Parse(e.GetUserId())
			if err != nil {
				return bus.Poison(fmt.Errorf("leavers: %w", err))
			}
			if _, err := s.q.StaffMember(ctx, tx, id); errors.Is(err, pgx.ErrNoRows) {
				return nil // as most accounts are not
			} else if err != nil {
				return err
			}
			if staff, err := isStaff(ctx, id); err != nil || staff {
				return err
			}
			if err := s.q.FreeTickets(ctx, tx, db.FreeTicketsParams{Member: id, Now: s.now()}); err != nil {
				return err
			}
			return s.q.ForgetStaff(ctx, tx, id)
		})}
}
