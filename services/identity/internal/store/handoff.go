package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/handoff"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

// AddCode implements session.Store.
func (s *Store) AddCode(ctx context.Context, c handoff.Code, atMost int) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	_, err = s.q.InsertHandOffCode(ctx, s.pool, db.InsertHandOffCodeParams{
		Hash: c.Hash, FamilyID: c.Family, Callback: c.Callback, Challenge: c.Challenge,
		CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, Since: c.CreatedAt.Add(-handoff.Lifetime), AtMost: int32(atMost),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, pg.Fault(err, nil)
}

// UseCode implements session.Store.
func (s *Store) UseCode(
	ctx context.Context, hash []byte, now time.Time, decide func(handoff.Code, session.Family) (session.Family, handoff.Refusal),
) (verdict handoff.Refusal, ended int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.LockHandOffCode(ctx, tx, hash)
		if errors.Is(err, pgx.ErrNoRows) {
			verdict = handoff.Unknown
			return nil
		}
		if err != nil {
			return err
		}
		code := toCode(row.HandOffCode)
		by, err := s.lockAccountOf(ctx, tx, session.Caller{User: row.UserID, Family: code.Family})
		if err != nil {
			return err
		}
		device, answer := decide(code, by)
		switch verdict = answer; verdict {
		case handoff.Accepted:
			if ended, err = s.insertMac(ctx, tx, device); err != nil {
				return err
			}
			return s.q.UseHandOffCode(ctx, tx, db.UseHandOffCodeParams{Hash: hash, Now: &now, DeviceID: nullable(device.ID)})
		case handoff.Reused:
			n, err := s.q.RevokeReusedDevice(ctx, tx, db.RevokeReusedDeviceParams{ID: code.Device, Now: &now})
			ended = int(n)
			return err
		default:
			return nil
		}
	})
	return verdict, ended, err
}

func toCode(row db.HandOffCode) handoff.Code {
	return handoff.Code{
		Hash: row.Hash, Family: row.FamilyID, Callback: row.Callback, Challenge: row.Challenge,
		CreatedAt: row.CreatedAt.UTC(), ExpiresAt: row.ExpiresAt.UTC(), Used: row.UsedAt != nil, Device: row.DeviceID.UUID,
	}
}
