package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

var _ projection.Store = (*Store)(nil)

// settling is how long before Kratos was asked staff must have set an account's state for the answer to
// replace it: the clocks of replicas differ.
const settling = time.Minute

// AccountsInUse implements projection.Store.
func (s *Store) AccountsInUse(ctx context.Context, after uuid.UUID, now time.Time, limit int) ([]account.Standing, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.AccountsInUse(ctx, s.pool, db.AccountsInUseParams{After: after, Now: now, PageSize: int32(limit)})
	var page []account.Standing
	for _, r := range rows {
		page = append(page, account.Standing(r))
	}
	return page, pg.Fault(err, nil)
}

// AccountsBetween implements projection.Store.
func (s *Store) AccountsBetween(ctx context.Context, after, upTo uuid.UUID, limit int) ([]account.Standing, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.AccountsBetween(ctx, s.pool, db.AccountsBetweenParams{After: after, UpTo: upTo, PageSize: int32(limit)})
	var page []account.Standing
	for _, r := range rows {
		page = append(page, account.Standing(r))
	}
	return page, pg.Fault(err, nil)
}

// Disable implements projection.Store. The families end in a statement of their
// own: it sees those that were opened while the first one waited.
func (s *Store) Disable(ctx context.Context, ids []uuid.UUID, because account.Reason, asked, now time.Time) (changed []uuid.UUID, families int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		changed, err = s.q.Disable(ctx, tx, db.DisableParams{Ids: ids, Because: string(because), AskedAt: asked.Add(-settling), Now: now})
		if err != nil {
			return err
		}
		ended, err := s.q.EndFamiliesOfDisabled(ctx, tx, db.EndFamiliesOfDisabledParams{Ids: ids, Now: now})
		if err != nil {
			return err
		}
		families = int(ended)
		return announceDisabled(ctx, tx, now, changed...)
	})
	return changed, families, err
}

// Enable implements projection.Store.
func (s *Store) Enable(ctx context.Context, ids []uuid.UUID, asked, now time.Time) (changed []uuid.UUID, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		changed, err = s.q.Enable(ctx, tx, db.EnableParams{Ids: ids, AskedAt: asked.Add(-settling)})
		if err != nil {
			return err
		}
		return announceEnabled(ctx, tx, now, changed...)
	})
	return changed, err
}

// KratosSessionsInUse implements projection.Store.
func (s *Store) KratosSessionsInUse(ctx context.Context, after uuid.UUID, now time.Time, limit int) ([]uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	ids, err := s.q.KratosSessionsInUse(ctx, s.pool, db.KratosSessionsInUseParams{After: after, Now: now, PageSize: int32(limit)})
	return ids, pg.Fault(err, nil)
}

// EndFamilies implements projection.Store.
func (s *Store) EndFamilies(ctx context.Context, kratosSessions []uuid.UUID, now time.Time) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	n, err := s.q.EndFamiliesOfKratosSessions(ctx, s.pool, db.EndFamiliesOfKratosSessionsParams{KratosSessions: kratosSessions, Now: now})
	return int(n), pg.Fault(err, nil)
}
