package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

var _ session.Store = (*Store)(nil)

// FamilyOf implements session.Store.
func (s *Store) FamilyOf(ctx context.Context, kratosSession uuid.UUID) (session.Family, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	row, err := s.q.FamilyOfKratosSession(ctx, s.pool, nullable(kratosSession))
	return found(toFamily(row.SessionFamily, row.User), err)
}

// Family implements session.Store.
func (s *Store) Family(ctx context.Context, id uuid.UUID) (session.Family, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	row, err := s.q.GetFamily(ctx, s.pool, id)
	return found(toFamily(row.SessionFamily, row.User), err)
}

// Families implements session.Store.
func (s *Store) Families(ctx context.Context, user uuid.UUID, now time.Time, limit int) ([]session.Family, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.ListFamilies(ctx, s.pool, db.ListFamiliesParams{UserID: user, Now: now, Count: int32(limit)})
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	families := make([]session.Family, 0, len(rows))
	for _, r := range rows {
		families = append(families, toFamily(r.SessionFamily, r.User))
	}
	return families, nil
}

// Touch implements session.Store.
func (s *Store) Touch(ctx context.Context, id uuid.UUID, minute time.Time, d session.Device) error {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	return pg.Fault(s.q.TouchFamily(ctx, s.pool, db.TouchFamilyParams{ID: id, At: minute, UserAgent: d.UserAgent, IpAddress: d.IPAddress}), nil)
}

// Raise implements session.Store.
func (s *Store) Raise(ctx context.Context, id uuid.UUID, to session.AAL) error {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	return pg.Fault(s.q.RaiseFamily(ctx, s.pool, db.RaiseFamilyParams{ID: id, Aal: int16(to)}), nil)
}

// Change implements session.Store. An error of decide does not undo the change.
func (s *Store) Change(ctx context.Context, id uuid.UUID, now time.Time, decide func(*session.Family) error) (ok bool, err error) {
	var refusal error
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.LockFamily(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		before := toFamily(row.SessionFamily, row.User)
		after := before
		refusal = decide(&after)
		if after.Generation == before.Generation && after.Revoked == before.Revoked && after.LastActiveAt.Equal(before.LastActiveAt) {
			return nil
		}
		return s.updateFamily(ctx, tx, after, now)
	})
	if err != nil {
		return false, err
	}
	return ok, refusal
}

func (s *Store) updateFamily(ctx context.Context, tx pgx.Tx, f session.Family, now time.Time) error {
	return s.q.UpdateFamily(ctx, tx, db.UpdateFamilyParams{
		ID: f.ID, Generation: f.Generation, LeafHash: f.LeafHash, RotatedAt: f.RotatedAt, LastActiveAt: f.LastActiveAt,
		UserAgent: f.Device.UserAgent, IpAddress: f.Device.IPAddress, RevokedBecause: toReason(f.Revoked), Now: now,
	})
}

func found(f session.Family, err error) (session.Family, bool, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Family{}, false, nil
	}
	if err != nil {
		return session.Family{}, false, pg.Fault(err, nil)
	}
	return f, true, nil
}

func toFamily(f db.SessionFamily, u db.User) session.Family {
	out := session.Family{
		ID: f.ID, User: toUser(u), KratosSession: f.KratosSessionID.UUID,
		Device:     session.Device{Name: f.DeviceName, UserAgent: f.UserAgent, IPAddress: f.IpAddress},
		Generation: f.Generation, LeafHash: f.LeafHash, RotatedAt: f.RotatedAt.UTC(),
		CreatedAt: f.CreatedAt.UTC(), AuthenticatedAt: f.AuthenticatedAt.UTC(), AAL: session.AAL(f.Aal), LastActiveAt: f.LastActiveAt.UTC(), ExpiresAt: f.ExpiresAt.UTC(),
	}
	if f.RevokedBecause != nil {
		out.Revoked = session.Revocation(*f.RevokedBecause)
	}
	return out
}

func toReason(r session.Revocation) *string {
	if r == "" {
		return nil
	}
	reason := string(r)
	return &reason
}

func nullable(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }
