package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/store/db"
)

var _ keyring.Store = (*Store)(nil)

// EnsureKeys implements keyring.Store.
func (s *Store) EnsureKeys(ctx context.Context, missing func(have []keyring.Key) ([]keyring.Key, error)) (keys []keyring.Key, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.q.LockKeys(ctx, tx); err != nil {
			return err
		}
		rows, err := s.q.ListKeys(ctx, tx)
		if err != nil {
			return err
		}
		keys = nil
		for _, r := range rows {
			keys = append(keys, toKey(r))
		}
		made, err := missing(keys)
		if err != nil {
			return err
		}
		for _, k := range made {
			if err := s.q.InsertKey(ctx, tx, db.InsertKeyParams{
				ID: k.ID, Purpose: string(k.Purpose), State: string(k.State), Sealed: k.Sealed, CreatedAt: k.CreatedAt,
			}); err != nil {
				return err
			}
		}
		keys = append(keys, made...)
		return nil
	})
	return keys, err
}

func toKey(r db.Key) keyring.Key {
	return keyring.Key{
		ID: r.ID, Purpose: keyring.Purpose(r.Purpose), State: keyring.State(r.State), Sealed: r.Sealed,
		CreatedAt: r.CreatedAt.UTC(), StateSince: r.StateSince.UTC(),
	}
}
