package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/staff"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// What staff are refused to do with an account.
var (
	ErrDeleting = fault.New(fault.Conflict, "account_deleting", "This account is going to be deleted.")
	ErrDisabled = fault.New(fault.Conflict, "account_disabled", "This account is disabled.")
	ErrGone     = fault.New(fault.Conflict, "account_gone", "This account has ended for good.")
)

var _ staff.Store = (*Store)(nil)

// Person returns the account with an id or an address, an active one before others, or ErrUnknownUser.
func (s *Store) Person(ctx context.Context, idOrEmail string) (account.Listed, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	if id, err := uuid.Parse(idOrEmail); err == nil {
		row, err := s.q.GetPerson(ctx, s.pool, id)
		return person(db.ListUsersRow(row), err)
	}
	return s.PersonAt(ctx, idOrEmail)
}

// PersonAt is Person by an address alone.
func (s *Store) PersonAt(ctx context.Context, email string) (account.Listed, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	accepted, err := address.Parse(email)
	if err != nil {
		return account.Listed{}, ErrUnknownUser
	}
	row, err := s.q.GetPersonByEmail(ctx, s.pool, accepted)
	return person(db.ListUsersRow(row), err)
}

func person(row db.ListUsersRow, err error) (account.Listed, error) {
	if err != nil {
		return account.Listed{}, pg.Fault(err, ErrUnknownUser)
	}
	return account.Listed{User: toUser(row.User), Roles: toRoles(row.Roles)}, nil
}

// StatesOf returns the states of the accounts with the addresses, as Person finds them, without
// those that are active.
func (s *Store) StatesOf(ctx context.Context, emails []string) (map[string]account.State, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.StatesOf(ctx, s.pool, emails)
	states := map[string]account.State{}
	for _, r := range rows {
		if user := toUser(r.User); user.State() != account.StateActive {
			states[user.Email] = user.State()
		}
	}
	return states, pg.Fault(err, nil)
}

// StatesOfAccounts is StatesOf by ids.
func (s *Store) StatesOfAccounts(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]account.State, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.BarredOf(ctx, s.pool, ids)
	states := make(map[uuid.UUID]account.State, len(rows))
	for _, row := range rows {
		states[row.ID] = toUser(row).State()
	}
	return states, pg.Fault(err, nil)
}

// SetState implements staff.Store.
func (s *Store) SetState(ctx context.Context, id uuid.UUID, to account.State, reason string, now time.Time) (change staff.Change, err error) {
	err = s.asStaff(ctx, id, func(ctx context.Context, tx pgx.Tx, before account.User) error {
		if before.DisabledBecause == account.Gone {
			return ErrGone
		}
		var err error
		if to == account.StateActive {
			change, err = s.enable(ctx, tx, before, reason, now)
		} else {
			change, err = s.disable(ctx, tx, before, reason, now)
		}
		return err
	})
	return change, err
}

func (s *Store) disable(ctx context.Context, tx pgx.Tx, before account.User, reason string, now time.Time) (change staff.Change, err error) {
	switch {
	case before.Deleting():
		return change, ErrDeleting
	case before.DisabledBecause == account.ByStaff:
		return change, nil
	}
	if err := s.keepAnAdmin(ctx, tx, before); err != nil {
		return change, err
	}
	if err := s.q.DisableByStaff(ctx, tx, db.DisableByStaffParams{ID: before.ID, Now: now}); err != nil {
		return change, err
	}
	// A session of Kratos that never came here counts as ended, too.
	if err := s.q.MarkSignedOut(ctx, tx, db.MarkSignedOutParams{ID: before.ID, Now: now}); err != nil {
		return change, err
	}
	ended, err := s.q.EndFamiliesOfDisabled(ctx, tx, db.EndFamiliesOfDisabledParams{Ids: []uuid.UUID{before.ID}, Now: now})
	if err != nil {
		return change, err
	}
	if err := announceDisabled(ctx, tx, now, before.ID); err != nil {
		return change, err
	}
	if err := s.send(ctx, tx, email.Disabled(now), before); err != nil {
		return change, err
	}
	return staff.Change{Changed: true, Ended: int(ended)}, records.Record(ctx, tx, audit.Action{
		Name: UserDisabled, Subject: before.ID.String(), Label: before.Email, Reason: reason,
		Before: state(before.State()), After: state(account.StateDisabled),
	})
}

func (s *Store) enable(ctx context.Context, tx pgx.Tx, before account.User, reason string, now time.Time) (change staff.Change, err error) {
	if before.State() == account.StateActive {
		return change, nil
	}
	if _, err := s.q.EnableByStaff(ctx, tx, db.EnableByStaffParams{ID: before.ID, Now: now}); err != nil {
		return change, pg.Fault(err, ErrGone)
	}
	if err := announceEnabled(ctx, tx, now, before.ID); err != nil {
		return change, err
	}
	write := email.Enabled(now)
	if before.Deleting() {
		write = email.DeletionStopped
	}
	if err := s.send(ctx, tx, write, before); err != nil {
		return change, err
	}
	return staff.Change{Changed: true}, records.Record(ctx, tx, audit.Action{
		Name: UserEnabled, Subject: before.ID.String(), Label: before.Email, Reason: reason,
		Before: state(before.State()), After: state(account.StateActive),
	})
}

// SignOut implements staff.Store.
func (s *Store) SignOut(ctx context.Context, id uuid.UUID, reason string, now time.Time) (ended int, err error) {
	err = s.asStaff(ctx, id, func(ctx context.Context, tx pgx.Tx, before account.User) error {
		if ended, err = s.closeAccount(ctx, tx, id, uuid.Nil, now); err != nil {
			return err
		}
		return records.Record(ctx, tx, audit.Action{
			Name: UserSignedOut, Subject: id.String(), Label: before.Email, Reason: reason, After: audit.State{"sessions": ended},
		})
	})
	return ended, err
}

// EndDevice implements staff.Store. The record has the kind of the device: its name is its owner's.
func (s *Store) EndDevice(ctx context.Context, id, device uuid.UUID, reason string, now time.Time) (f session.Family, alive bool, err error) {
	err = s.asStaff(ctx, id, func(ctx context.Context, tx pgx.Tx, before account.User) error {
		row, err := s.q.LockFamily(ctx, tx, device)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && row.SessionFamily.UserID != id {
			return session.ErrUnknownDevice
		}
		if err != nil {
			return err
		}
		f = toFamily(row.SessionFamily, row.User)
		if alive = f.Alive(now); !alive {
			return nil
		}
		f.Revoked = session.SignedOut
		if err := s.updateFamily(ctx, tx, f, now); err != nil {
			return err
		}
		return records.Record(ctx, tx, audit.Action{
			Name: DeviceRevoked, Subject: id.String(), Label: before.Email, Reason: reason, After: audit.State{"device": string(f.Kind())},
		})
	})
	return f, alive, err
}

// DeleteByStaff implements staff.Store.
func (s *Store) DeleteByStaff(ctx context.Context, id uuid.UUID, reason string, now, eraseAt time.Time) (change staff.Change, err error) {
	err = s.asStaff(ctx, id, func(ctx context.Context, tx pgx.Tx, before account.User) error {
		// As an account to be deleted it could be put back into use.
		if before.DisabledBecause == account.Gone {
			return ErrGone
		}
		if err := s.keepAnAdmin(ctx, tx, before); err != nil {
			return err
		}
		row, err := s.q.BeginDeletionByStaff(ctx, tx, db.BeginDeletionByStaffParams{ID: id, Now: now, EraseAt: eraseAt})
		if err != nil {
			return pg.Fault(err, ErrDeleting)
		}
		ended, err := s.closeAccount(ctx, tx, id, uuid.Nil, now)
		if err != nil {
			return err
		}
		if err := announceDisabled(ctx, tx, now, id); err != nil {
			return err
		}
		write := email.DeletionByStaff
		if before.Disabled {
			write = email.DeletionOfDisabled
		}
		if err := s.send(ctx, tx, write, toUser(row)); err != nil {
			return err
		}
		change = staff.Change{Changed: true, Ended: ended}
		return records.Record(ctx, tx, audit.Action{
			Name: DeletionBegun, Subject: id.String(), Label: before.Email, Reason: reason,
			Before: state(before.State()), After: audit.State{"state": string(account.StateDeleting), "erase_at": eraseAt.UTC().Format(time.RFC3339)},
		})
	})
	return change, err
}

// asStaff hands the account as it is to change, under the locks of roles and accounts.
func (s *Store) asStaff(ctx context.Context, id uuid.UUID, change func(ctx context.Context, tx pgx.Tx, before account.User) error) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.lockRolesAsStaff(ctx, tx); err != nil {
			return err
		}
		row, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		return change(ctx, tx, toUser(row))
	})
}

// SignIns implements staff.Store.
func (s *Store) SignIns(ctx context.Context, id uuid.UUID, since time.Time, limit int) ([]staff.SignIn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.ListSignIns(ctx, s.pool, db.ListSignInsParams{UserID: id, Since: since, Count: int32(limit)})
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	var list []staff.SignIn
	for _, row := range rows {
		in := staff.SignIn{Family: toFamily(row, db.User{ID: id})}
		if row.RevokedAt != nil {
			in.EndedAt = row.RevokedAt.UTC()
		}
		list = append(list, in)
	}
	return list, nil
}

// UntoldStates implements staff.Store.
func (s *Store) UntoldStates(ctx context.Context, after uuid.UUID, limit int) ([]uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	ids, err := s.q.UntoldStates(ctx, s.pool, db.UntoldStatesParams{After: after, Count: int32(limit)})
	return ids, pg.Fault(err, nil)
}

// TellState implements staff.Store. Nothing of the account is locked while Kratos is told.
func (s *Store) TellState(ctx context.Context, id uuid.UUID, tell func(ctx context.Context, active bool) error) error {
	return s.aloneAtKratos(ctx, id, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.KratosState(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && (row.KratosState == nil || row.StateSetAt == nil) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tell(ctx, *row.KratosState == "active"); err != nil {
			return err
		}
		return s.q.KratosToldState(ctx, tx, db.KratosToldStateParams{ID: id, StateSetAt: *row.StateSetAt})
	})
}

func state(s account.State) audit.State { return audit.State{"state": string(s)} }

func announceDisabled(ctx context.Context, tx pgx.Tx, now time.Time, ids ...uuid.UUID) error {
	for _, id := range ids {
		if err := bus.Append(ctx, tx, bus.Event{
			Type: userDisabled, Time: now, Subject: id.String(), Payload: &eventsv1.UserDisabled{UserId: id.String()},
		}); err != nil {
			return err
		}
	}
	return nil
}

func announceEnabled(ctx context.Context, tx pgx.Tx, now time.Time, ids ...uuid.UUID) error {
	for _, id := range ids {
		if err := bus.Append(ctx, tx, bus.Event{
			Type: userEnabled, Time: now, Subject: id.String(), Payload: &eventsv1.UserEnabled{UserId: id.String()},
		}); err != nil {
			return err
		}
	}
	return nil
}
