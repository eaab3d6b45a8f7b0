package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/pg"
)

// Erase deletes the entries of the account's addresses, whatever their status. Somebody who
// comes back with one of the addresses is new here.
func (s *Store) Erase(ctx context.Context, tx pgx.Tx, account erasure.Account) error {
	return pg.Fault(s.q.DeleteEntries(ctx, tx, account.Emails), nil)
}
