package store

import (
	"bytes"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/pg"
)

var _ keyring.Store = (*Store)(nil)

// Keys implements keyring.Store.
func (s *Store) Keys(ctx context.Context) ([]keyring.Key, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	keys, err := s.keys(ctx, s.pool)
	return keys, pg.Fault(err, nil)
}

// ChangeKeys implements keyring.Store.
func (s *Store) ChangeKeys(ctx context.Context, decide func(have []keyring.Key) ([]keyring.Key, error)) (want []keyring.Key, err error) {
	var refusal error
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.q.LockKeys(ctx, tx); err != nil {
			return err
		}
		have, err := s.keys(ctx, tx)
		if err != nil {
			return err
		}
		if want, refusal = decide(have); refusal != nil {
			return refusal
		}
		return s.replaceKeys(ctx, tx, have, want)
	})
	if refusal != nil {
		return nil, refusal // as it is, not as an outage of the database
	}
	return want, err
}

func (s *Store) keys(ctx context.Context, tx db.DBTX) ([]keyring.Key, error) {
	rows, err := s.q.ListKeys(ctx, tx)
	if err != nil {
		return nil, err
	}
	keys := make([]keyring.Key, len(rows))
	for i, r := range rows {
		keys[i] = keyring.Key{
			ID: r.ID, Purpose: keyring.Purpose(r.Purpose), State: keyring.State(r.State), Sealed: r.Sealed,
			CreatedAt: r.CreatedAt.UTC(), StateSince: r.StateSince.UTC(),
		}
	}
	return keys, nil
}

// replaceKeys writes the difference. A place among the states is left before
// another key takes it: there is one active and one next key of a purpose.
func (s *Store) replaceKeys(ctx context.Context, tx db.DBTX, have, want []keyring.Key) error {
	for _, k := range have {
		if !slices.ContainsFunc(want, func(w keyring.Key) bool { return w.ID == k.ID }) {
			if err := s.q.DeleteKey(ctx, tx, k.ID); err != nil {
				return err
			}
		}
	}
	for _, state := range []keyring.State{keyring.Retired, keyring.Active, keyring.Next} {
		for _, w := range want {
			if w.State != state {
				continue
			}
			if err := s.putKey(ctx, tx, have, w); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) putKey(ctx context.Context, tx db.DBTX, have []keyring.Key, want keyring.Key) error {
	i := slices.IndexFunc(have, func(k keyring.Key) bool { return k.ID == want.ID })
	if i < 0 {
		return s.q.InsertKey(ctx, tx, db.InsertKeyParams{
			ID: want.ID, Purpose: string(want.Purpose), State: string(want.State), Sealed: want.Sealed,
			CreatedAt: want.CreatedAt, StateSince: want.StateSince,
		})
	}
	if have[i].State != want.State {
		if err := s.q.MoveKey(ctx, tx, db.MoveKeyParams{ID: want.ID, State: string(want.State), StateSince: want.StateSince}); err != nil {
			return err
		}
	}
	if !bytes.Equal(have[i].Sealed, want.Sealed) {
		return s.q.ResealKey(ctx, tx, db.ResealKeyParams{ID: want.ID, Sealed: want.Sealed})
	}
	return nil
}
