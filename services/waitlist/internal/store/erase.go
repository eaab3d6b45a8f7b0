package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/store/db"
)

// Erase deletes the entries of the account's addresses and those that it has claimed, whatever
// their status, and returns their addresses. Somebody who comes back with one of the addresses
// is new here.
func (s *Store) Erase(ctx context.Context, tx pgx.Tx, account erasure.Account) (addresses []string, err error) {
	addresses, err = s.q.DeleteEntries(ctx, tx, db.DeleteEntriesParams{Emails: account.Emails, Account: account.ID})
	return addresses, pg.Fault(err, nil)
}
