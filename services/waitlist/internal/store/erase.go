package store

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/store/db"
)

// Erase deletes the entries of the account's addresses and those that it has claimed, whatever
// their status, and sign-ups with its addresses that are not confirmed; it returns the addresses
// of the entries. Somebody who comes back with one of the addresses is new here, also if this comes late. Waves that the account has started or last resumed lose its name, and pause.
func (s *Store) Erase(ctx context.Context, tx pgx.Tx, account erasure.Account) (addresses []string, err error) {
	// A claim of the account's that is under way ends first.
	if err := s.q.LockPerson(ctx, tx, account.ID.String()); err != nil {
		return nil, pg.Fault(err, nil)
	}
	deleted, err := s.q.DeleteEntries(ctx, tx, db.DeleteEntriesParams{Emails: account.Emails, Account: account.ID, Deleted: account.Deleted})
	var ids []uuid.UUID
	for _, e := range deleted {
		ids, addresses = append(ids, e.ID), append(addresses, e.Email)
	}
	if err == nil && len(ids) > 0 {
		err = s.q.ForgetFailed(ctx, tx, ids)
	}
	if err == nil {
		err = s.q.DropUnconfirmed(ctx, tx, account.Emails)
	}
	if err == nil {
		err = s.q.ForgetWaves(ctx, tx, searchedAs(addresses, account.Emails))
	}
	if err == nil {
		err = s.q.ForgetActor(ctx, tx, db.ForgetActorParams{Nobody: uuid.Nil, Account: account.ID})
	}
	return addresses, pg.Fault(err, nil)
}

// isErased tells whether the account was erased. Whoever asks may give it something until the transaction ends: an erasure
// waits for that.
func (s *Store) isErased(ctx context.Context, tx pgx.Tx, account uuid.UUID) (bool, error) {
	if err := s.q.LockPerson(ctx, tx, account.String()); err != nil {
		return false, err
	}
	return erasure.IsErased(ctx, tx, "waitlist", account)
}

// searchedAs are the spellings by which somebody may have searched for the addresses.
func searchedAs(addresses ...[]string) (searches []string) {
	for _, email := range slices.Concat(addresses...) {
		searches = append(searches, email, address.Unicode(email))
	}
	return searches
}
