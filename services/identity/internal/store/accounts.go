package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// ErrUnknownUser is returned for an account that never signed in.
var ErrUnknownUser = fault.New(fault.NotFound, "unknown_user", "This account does not exist.")

const rolesChanged = "fledge.identity.v1.user.roles_changed"

// RecordSignIn creates the person at first sight, with their first roles and a
// roles_changed event, or brings the record up to date.
func (s *Store) RecordSignIn(ctx context.Context, in account.SignIn, now time.Time) (user account.User, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.InsertUser(ctx, tx, db.InsertUserParams{
			ID: in.UserID, Email: in.Email, Provider: in.Provider, Identities: in.Providers(),
			EmailConfirmedAt: in.ConfirmedAt, CreatedAt: now, LastSignInAt: in.At,
		})
		switch {
		case err == nil:
			err = s.grantFirstRoles(ctx, tx, row, now)
		case errors.Is(err, pgx.ErrNoRows):
			row, err = s.q.RecordSignIn(ctx, tx, db.RecordSignInParams{
				ID: in.UserID, Email: in.Email, Provider: in.Provider, Identities: in.Providers(), At: in.At,
			})
		}
		user = toUser(row)
		return err
	})
	return user, err
}

func (s *Store) grantFirstRoles(ctx context.Context, tx pgx.Tx, user db.User, now time.Time) error {
	var roles []string
	for _, r := range s.admins.FirstRoles(user.Email) {
		roles = append(roles, string(r))
	}
	err := s.q.GrantRoles(ctx, tx, db.GrantRolesParams{UserID: user.ID, Roles: roles, GrantedAt: now})
	if err != nil {
		return err
	}
	return bus.Append(ctx, tx, bus.Event{
		Type: rolesChanged, Time: now, Subject: user.ID.String(), Version: user.RolesVersion,
		Payload: &eventsv1.UserRolesChanged{UserId: user.ID.String(), Roles: roles},
	})
}

// User returns a person's record, or ErrUnknownUser.
func (s *Store) User(ctx context.Context, id uuid.UUID) (account.User, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	row, err := s.q.GetUser(ctx, s.pool, id)
	if err != nil {
		return account.User{}, pg.Fault(err, ErrUnknownUser)
	}
	return toUser(row), nil
}

// Access returns what an account may do in a session family; an unknown account
// may nothing.
func (s *Store) Access(ctx context.Context, id, family uuid.UUID) (account.Access, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	row, err := s.q.GetAccess(ctx, s.pool, db.GetAccessParams{ID: id, FamilyID: family})
	if errors.Is(err, pgx.ErrNoRows) {
		return account.Access{}, nil
	}
	if err != nil {
		return account.Access{}, pg.Fault(err, nil)
	}
	access := account.Access{SignedIn: row.SignedIn, Active: row.Active}
	for _, r := range row.Roles {
		access.Roles = append(access.Roles, account.Role(r))
	}
	return access, nil
}

func toUser(row db.User) account.User {
	return account.User{
		ID: row.ID, Email: row.Email, Provider: row.Provider, Identities: row.Identities, Disabled: row.DisabledAt != nil,
		EmailConfirmedAt: row.EmailConfirmedAt.UTC(), CreatedAt: row.CreatedAt.UTC(), LastSignInAt: row.LastSignInAt.UTC(),
	}
}
