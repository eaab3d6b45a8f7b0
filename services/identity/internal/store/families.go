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
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Family{}, false, nil
	}
	if err != nil {
		return session.Family{}, false, pg.Fault(err, nil)
	}
	return toFamily(row.SessionFamily, row.User), true, nil
}

// OpenFamily implements session.Store.
func (s *Store) OpenFamily(ctx context.Context, f session.Family, c session.Client, now time.Time) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	_, err := s.q.InsertFamily(ctx, s.pool, db.InsertFamilyParams{
		ID: f.ID, UserID: f.User.ID, KratosSessionID: nullable(f.KratosSession), LeafHash: f.LeafHash,
		CreatedAt: now, ExpiresAt: f.ExpiresAt, UserAgent: c.UserAgent, IpAddress: c.IPAddress,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, pg.Fault(err, nil)
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
		if after.Generation == before.Generation && after.Revoked == before.Revoked {
			return nil
		}
		return s.q.UpdateFamily(ctx, tx, db.UpdateFamilyParams{
			ID: id, Generation: after.Generation, LeafHash: after.LeafHash, RotatedAt: after.RotatedAt,
			RevokedBecause: toReason(after.Revoked), Now: now,
		})
	})
	if err != nil {
		return false, err
	}
	return ok, refusal
}

// CloseKratosSession implements session.Store.
func (s *Store) CloseKratosSession(ctx context.Context, kratosSession uuid.UUID, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	err := s.q.CloseKratosSession(ctx, s.pool, db.CloseKratosSessionParams{KratosSessionID: nullable(kratosSession), Now: now})
	return pg.Fault(err, nil)
}

func toFamily(f db.SessionFamily, u db.User) session.Family {
	out := session.Family{
		ID: f.ID, User: toUser(u), KratosSession: f.KratosSessionID.UUID, Generation: f.Generation, LeafHash: f.LeafHash,
		RotatedAt: f.RotatedAt.UTC(), ExpiresAt: f.ExpiresAt.UTC(),
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
