package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/cleanup"
	"fledge.dev/services/identity/internal/store/db"
)

var _ cleanup.Store = (*Store)(nil)

// RemoveOld implements cleanup.Store. Codes go first: those of a removed family
// would go with it and not be counted.
func (s *Store) RemoveOld(ctx context.Context, before cleanup.Before, limit int) (r cleanup.Removed, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		removedCodes, err := s.q.DeleteOldHandOffCodes(ctx, tx, db.DeleteOldHandOffCodesParams{Before: before.Codes, Count: int32(limit)})
		if err != nil {
			return err
		}
		removedFamilies, err := s.q.DeleteEndedFamilies(ctx, tx, db.DeleteEndedFamiliesParams{Before: before.Families, Count: int32(limit)})
		if err != nil {
			return err
		}
		removedFactorCodes, err := s.q.DeleteOldSecondFactorCodes(ctx, tx, db.DeleteOldSecondFactorCodesParams{Before: before.FactorCodes, Count: int32(limit)})
		if err != nil {
			return err
		}
		removedErasures, err := s.q.DeleteOldErasures(ctx, tx, db.DeleteOldErasuresParams{Before: before.Erasures, Count: int32(limit)})
		if err != nil {
			return err
		}
		if err := s.q.AllowAuditExpiry(ctx, tx); err != nil {
			return err
		}
		removedEntries, err := s.q.DeleteOldAuditEntries(ctx, tx, db.DeleteOldAuditEntriesParams{Before: before.AuditEntries, Count: int32(limit)})
		r = cleanup.Removed{
			Families: int(removedFamilies), Codes: int(removedCodes), FactorCodes: int(removedFactorCodes),
			Erasures: int(removedErasures), AuditEntries: int(removedEntries),
		}
		return err
	})
	return r, err
}
