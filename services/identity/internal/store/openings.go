package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// OpenBrowser implements session.Store.
func (s *Store) OpenBrowser(ctx context.Context, f session.Family) (ok bool, displaced []uuid.UUID, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		locked, err := s.q.LockAccount(ctx, tx, f.User.ID)
		if err != nil {
			return err
		}
		if !toUser(locked).SignedOut.At.Equal(f.User.SignedOut.At) {
			return nil
		}
		_, err = s.q.InsertBrowser(ctx, tx, db.InsertBrowserParams{
			ID: f.ID, UserID: f.User.ID, KratosSessionID: nullable(f.KratosSession), LeafHash: f.LeafHash,
			CreatedAt: f.CreatedAt, LastActiveAt: f.LastActiveAt, ExpiresAt: f.ExpiresAt, AuthenticatedAt: f.AuthenticatedAt, Aal: int16(f.AAL),
			DeviceName: f.Device.Name, UserAgent: f.Device.UserAgent, IpAddress: f.Device.IPAddress,
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		if displaced, err = s.displace(ctx, tx, f); err != nil {
			return err
		}
		return s.tellOfDevice(ctx, tx, f)
	})
	return ok, displaced, err
}

// EndAtKratos implements session.Store.
func (s *Store) EndAtKratos(ctx context.Context, user uuid.UUID, end func(context.Context) error) error {
	// Kratos may take longer than the database, and is not waited for with a connection.
	u, err := s.User(ctx, user)
	if err != nil && !errors.Is(err, ErrUnknownUser) {
		return err
	}
	if err := end(ctx); err != nil || u.SignedOut.At.IsZero() {
		return err
	}
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return s.q.MarkSignedOutAtKratos(ctx, tx, db.MarkSignedOutAtKratosParams{ID: user, At: u.SignedOut.At})
	})
}

// OpenMac implements session.Store.
func (s *Store) OpenMac(
	ctx context.Context, by session.Caller, since time.Time, decide func(by session.Family, opened int) (session.Family, error),
) (ok bool, displaced int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		family, err := s.lockAccountOf(ctx, tx, by)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		opened, err := s.q.CountOpened(ctx, tx, db.CountOpenedParams{UserID: by.User, Since: since})
		if err != nil {
			return err
		}
		device, err := decide(family, int(opened))
		if err != nil {
			return err
		}
		displaced, err = s.insertMac(ctx, tx, device)
		return err
	})
	return ok, displaced, err
}

// lockAccountOf reads a family under its account's lock and then its own, in the
// order of CloseAccount: nothing that ends one of the account's families, or all,
// comes between the look and the end of the transaction.
func (s *Store) lockAccountOf(ctx context.Context, tx pgx.Tx, by session.Caller) (session.Family, error) {
	if _, err := s.q.LockAccount(ctx, tx, by.User); err != nil {
		return session.Family{}, err
	}
	row, err := s.q.HoldFamily(ctx, tx, by.Family)
	return toFamily(row.SessionFamily, row.User), err
}

func (s *Store) insertMac(ctx context.Context, tx pgx.Tx, f session.Family) (displaced int, err error) {
	if err := s.q.InsertDevice(ctx, tx, db.InsertDeviceParams{
		ID: f.ID, UserID: f.User.ID, LeafHash: f.LeafHash, CreatedAt: f.CreatedAt, LastActiveAt: f.LastActiveAt, ExpiresAt: f.ExpiresAt,
		AuthenticatedAt: f.AuthenticatedAt, DeviceName: f.Device.Name, UserAgent: f.Device.UserAgent, IpAddress: f.Device.IPAddress,
	}); err != nil {
		return 0, err
	}
	sessions, err := s.displace(ctx, tx, f)
	if err != nil {
		return 0, err
	}
	return len(sessions), s.tellOfDevice(ctx, tx, f)
}

// newAccount is how long an account's first browser belongs to the sign-up itself, of which nobody needs to be told.
const newAccount = time.Hour

// tellOfDevice queues an email to the owner if nothing that calls itself the same has been signed in
// from the same network before, as far as families are kept.
func (s *Store) tellOfDevice(ctx context.Context, tx pgx.Tx, f session.Family) error {
	if s.emails == nil {
		return nil
	}
	seen, err := s.q.SeenDevices(ctx, tx, db.SeenDevicesParams{UserID: f.User.ID, Devices: f.Kind() == session.Mac, Opened: f.ID})
	if err != nil {
		return err
	}
	if len(seen) == 0 && f.Kind() == session.Browser && f.CreatedAt.Sub(f.User.CreatedAt) < newAccount {
		return nil
	}
	for _, d := range seen {
		if f.Device.SameAs(session.Device{Name: d.DeviceName, UserAgent: d.UserAgent, IPAddress: d.IpAddress}, f.Kind()) {
			return nil
		}
	}
	return s.send(ctx, tx, email.NewDevice(email.Device{ID: f.ID, Label: f.Device.Label(f.Kind()), IPAddress: f.Device.IPAddress, At: f.CreatedAt}), f.User)
}

// displace makes room for a family that has just been opened, and returns the
// Kratos sessions (uuid.Nil of Macs) of those that had to go.
func (s *Store) displace(ctx context.Context, tx pgx.Tx, opened session.Family) ([]uuid.UUID, error) {
	rows, err := s.q.DisplaceFamilies(ctx, tx, db.DisplaceFamiliesParams{
		UserID: opened.User.ID, Devices: opened.Kind() == session.Mac, Opened: opened.ID, Keep: session.MaxPerKind - 1, Now: opened.CreatedAt,
	})
	var sessions []uuid.UUID
	for _, r := range rows {
		sessions = append(sessions, r.UUID)
	}
	return sessions, err
}

// CloseKratosSession implements session.Store.
func (s *Store) CloseKratosSession(ctx context.Context, kratosSession uuid.UUID, now time.Time) (ended int, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	n, err := s.q.CloseKratosSession(ctx, s.pool, db.CloseKratosSessionParams{KratosSessionID: nullable(kratosSession), Now: now})
	return int(n), pg.Fault(err, nil)
}

// CloseAccount implements session.Store.
func (s *Store) CloseAccount(ctx context.Context, user, besides uuid.UUID, now time.Time) (ended int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := s.q.LockAccount(ctx, tx, user); errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		ended, err = s.closeAccount(ctx, tx, user, besides, now)
		return err
	})
	return ended, err
}

// closeAccount ends all families but one (uuid.Nil: none) of an account that is locked.
func (s *Store) closeAccount(ctx context.Context, tx pgx.Tx, user, besides uuid.UUID, now time.Time) (ended int, err error) {
	if err := s.q.MarkSignedOut(ctx, tx, db.MarkSignedOutParams{ID: user, Now: now}); err != nil {
		return 0, err
	}
	n, err := s.q.CloseAccount(ctx, tx, db.CloseAccountParams{UserID: user, Besides: besides, Now: now})
	return int(n), err
}
