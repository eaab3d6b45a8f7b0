package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/provider"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

var _ provider.Accounts = (*Store)(nil)

// SetEmailOff implements provider.Accounts.
func (s *Store) SetEmailOff(ctx context.Context, user uuid.UUID, email string, off bool, at time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	return pg.Fault(s.q.SetEmailOff(ctx, s.pool, db.SetEmailOffParams{ID: user, Email: email, Off: off, At: at}), nil)
}

// EndSignInsBefore implements provider.Accounts.
func (s *Store) EndSignInsBefore(ctx context.Context, user uuid.UUID, at, now time.Time) (ended int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := s.q.LockAccount(ctx, tx, user); errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.q.MarkSignedOutBefore(ctx, tx, db.MarkSignedOutBeforeParams{ID: user, At: at}); err != nil {
			return err
		}
		n, err := s.q.EndSignInsBefore(ctx, tx, db.EndSignInsBeforeParams{UserID: user, At: at.Add(session.ClockSkew), Now: now})
		ended = int(n)
		return err
	})
	return ended, err
}
