package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// ErrUnknownUser is returned for an account that never signed in.
var ErrUnknownUser = fault.New(fault.NotFound, "unknown_user", "This account does not exist.")

// RecordSignIn creates the person at first sight, with their first role and a
// roles_changed event, or brings the record up to date. Whom the bootstrap setting lists becomes an
// admin, once. It fails with ErrUnknownUser for an account that was erased.
func (s *Store) RecordSignIn(ctx context.Context, in account.SignIn, now time.Time) (user account.User, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.InsertUser(ctx, tx, db.InsertUserParams{
			ID: in.UserID, Email: in.Email, Provider: in.Provider, Identities: in.Providers(),
			EmailConfirmedAt: in.ConfirmedAt, CreatedAt: firstSeen(in, now), LastSignInAt: in.At,
		})
		switch {
		case err == nil:
			if err = s.q.TakeAddress(ctx, tx, row.Email); err == nil {
				err = s.grantFirstRoles(ctx, tx, row, now)
			}
		case errors.Is(err, pgx.ErrNoRows):
			row, err = s.recordAgain(ctx, tx, in, now)
		}
		user = toUser(row)
		if err != nil {
			return err
		}
		return s.bootstrapAdmin(ctx, tx, row, now)
	})
	return user, err
}

// recordAgain brings the record of a known account up to date.
func (s *Store) recordAgain(ctx context.Context, tx pgx.Tx, in account.SignIn, now time.Time) (db.User, error) {
	before, err := s.q.LockAccount(ctx, tx, in.UserID)
	if err != nil {
		return db.User{}, pg.Fault(err, ErrUnknownUser)
	}
	known := db.RecordSignInParams{ID: in.UserID, Email: in.Email, Provider: in.Provider, Identities: in.Providers(), At: in.At}
	// What a late report knows may have been changed since. What has not been, the next sign-in brings, or the comparison
	// with Kratos.
	switch at := in.At.Truncate(time.Microsecond); { // as it is kept
	case before.SignedOutAt != nil && !at.After(*before.SignedOutAt):
		known.Email, known.Identities = before.Email, nil
	case len(in.Identities) == 0 && !at.After(before.LastSignInAt):
		known.Identities = nil // its provider may have been removed
	}
	row, err := s.q.RecordSignIn(ctx, tx, known)
	if err != nil {
		return db.User{}, err
	}
	if row.Email != before.Email {
		if err := s.announceEmail(ctx, tx, row.ID, now); err != nil {
			return db.User{}, err
		}
	}
	return row, s.tellOfProviders(ctx, tx, toUser(before), toUser(row), now)
}

const emailChanged = "fledge.identity.v1.user.email_changed"

// announceEmail tells that an account has another address. No other account has had it any more.
func (s *Store) announceEmail(ctx context.Context, tx pgx.Tx, id uuid.UUID, now time.Time) error {
	settled, err := s.q.SettleFormerEmails(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := s.q.TakeAddress(ctx, tx, settled.Email); err != nil {
		return err
	}
	return bus.Append(ctx, tx, bus.Event{
		Type: emailChanged, Time: now, Subject: id.String(), Payload: &eventsv1.UserEmailChanged{UserId: id.String(), FormerEmails: settled.FormerEmails},
	})
}

// Addresses has those of the accounts that are in use and whose emails arrive, or of undelivered ones, too.
func (s *Store) Addresses(ctx context.Context, ids []uuid.UUID, undelivered bool) (map[uuid.UUID]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.AddressesOf(ctx, s.pool, db.AddressesOfParams{Ids: ids, Undelivered: undelivered})
	addresses := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		addresses[row.ID] = row.Email
	}
	return addresses, pg.Fault(err, nil)
}

// firstSeen is when the account began: Kratos knows, else it is this moment.
func firstSeen(in account.SignIn, now time.Time) time.Time {
	if in.CreatedAt.IsZero() {
		return now
	}
	return in.CreatedAt
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
	return account.Access{
		SignedIn: row.SignedIn, Active: row.Active, Roles: toRoles(row.Roles), Browser: row.Browser, AuthenticatedAt: row.AuthenticatedAt.UTC(),
		SecondFactor: session.AAL(row.Aal) >= session.AAL2,
	}, nil
}

func toUser(row db.User) account.User {
	user := account.User{
		ID: row.ID, Email: row.Email, Provider: row.Provider, Identities: row.Identities, Disabled: row.DisabledAt != nil,
		EmailConfirmedAt: row.EmailConfirmedAt.UTC(), CreatedAt: row.CreatedAt.UTC(), LastSignInAt: row.LastSignInAt.UTC(),
	}
	if row.DisabledAt != nil {
		user.DisabledAt = row.DisabledAt.UTC()
	}
	if row.DisabledBecause != nil {
		user.DisabledBecause = account.Reason(*row.DisabledBecause)
	}
	if row.EraseAt != nil {
		user.EraseAt = row.EraseAt.UTC()
	}
	if row.EmailOffSince != nil {
		user.EmailOffSince = row.EmailOffSince.UTC()
	}
	if at := row.SignedOutAt; at != nil {
		user.SignedOut = account.SignOut{At: at.UTC(), AtKratos: row.KratosSignedOutAt != nil && row.KratosSignedOutAt.Equal(*at)}
	}
	return user
}
