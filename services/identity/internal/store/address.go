package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/staff"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

// ErrAddressTaken refuses an address of another account.
var ErrAddressTaken = fault.New(fault.Conflict, "address_taken", "Another account has this address.")

// ChangeAddress gives an account another address, which Parse of package address has spelled, and
// tells the old and the new one by email. All its families end, so that no token with the old address
// is accepted any more. set does it in Kratos: nothing happens if it fails. It fails with
// ErrAddressTaken, with ErrDeleting and ErrGone for an account that ends, and with ErrDisabled for one that
// nobody can sign in to. What is so already is not changed.
func (s *Store) ChangeAddress(
	ctx context.Context, id uuid.UUID, to, reason string, now time.Time, set func(context.Context) error,
) (change staff.Change, err error) {
	err = s.aloneAtKratos(ctx, id, func(ctx context.Context, tx pgx.Tx) error {
		locked, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		before := toUser(locked)
		ends := endsOf(before)
		switch {
		case ends != nil:
			return ends
		case before.Disabled:
			return ErrDisabled
		case before.Email == to:
			return nil
		}
		taken, err := s.q.EmailTaken(ctx, tx, db.EmailTakenParams{ID: id, Email: to})
		if err != nil {
			return err
		}
		if taken {
			return ErrAddressTaken
		}
		row, err := s.q.ChangeEmail(ctx, tx, db.ChangeEmailParams{ID: id, Email: to, Now: now})
		if err != nil {
			return err
		}
		was, err := s.q.WasAdmin(ctx, tx, id)
		if err != nil {
			return err
		}
		if was { // BOOTSTRAP_ADMIN_EMAILS makes nobody an admin again
			if _, err := s.q.RememberAdmin(ctx, tx, db.RememberAdminParams{Email: to, UserID: id, Since: now}); err != nil {
				return err
			}
		}
		ended, err := s.closeAccount(ctx, tx, id, uuid.Nil, now)
		if err != nil {
			return err
		}
		if err := s.announceEmail(ctx, tx, id, now); err != nil {
			return err
		}
		if err := s.send(ctx, tx, email.AddressTaken(now), before); err != nil {
			return err
		}
		if err := s.send(ctx, tx, email.AddressGiven(now), toUser(row)); err != nil {
			return err
		}
		// The new address stands in no field of the record: an erasure empties labels alone.
		if err := records.Record(ctx, tx, audit.Action{Name: AddressChanged, Subject: id.String(), Label: before.Email, Reason: reason, After: audit.State{"sessions": ended}}); err != nil {
			return err
		}
		change = staff.Change{Changed: true, Ended: ended}
		// The last step: Kratos may refuse it, and then nothing has happened. Where its answer or the commit is lost, a
		// repeat makes good for it.
		return set(ctx)
	})
	return change, err
}
