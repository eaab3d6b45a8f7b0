package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/pg"
)

// SecondFactorChanged tells an account's owner by email of what they did to their second factor,
// and records it as theirs. flow names the change. An account that does not exist is ErrUnknownUser.
func (s *Store) SecondFactorChanged(ctx context.Context, id, flow uuid.UUID, change account.SecondFactorChange, now time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		user := toUser(row)
		if err := s.send(ctx, tx, email.SecondFactorChanged(change, flow, now), user); err != nil {
			return err
		}
		ctx = authn.WithPrincipal(ctx, authn.Principal{UserID: id.String(), Email: user.Email})
		return records.Record(ctx, tx, audit.Action{Name: ownChanges[change], Subject: id.String(), Label: user.Email})
	})
}

// AdmitFactorCode implements api.Accounts.
func (s *Store) AdmitFactorCode(ctx context.Context, id uuid.UUID, code account.FactorCode) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := s.q.LockAccount(ctx, tx, id); err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		rows, err := s.q.SecondFactorCodes(ctx, tx, db.SecondFactorCodesParams{
			UserID: id, Since: code.TypedAt.Add(-account.FactorCodesWithin), Count: account.MaxFactorCodes,
		})
		if err != nil {
			return err
		}
		var before []account.FactorCode
		for _, r := range rows {
			before = append(before, account.FactorCode(r))
		}
		if err := code.After(before); err != nil {
			return err
		}
		return s.q.InsertSecondFactorCode(ctx, tx, db.InsertSecondFactorCodeParams{UserID: id, Hash: code.Hash, Now: code.TypedAt})
	})
}

var ownChanges = map[account.SecondFactorChange]audit.Name{
	account.SecondFactorAdded:    SecondFactorAdded,
	account.SecondFactorRemoved:  SecondFactorRemoved,
	account.RecoveryCodesCreated: RecoveryCodesCreated,
}

// ResetSecondFactor implements staff.Store.
func (s *Store) ResetSecondFactor(
	ctx context.Context, id uuid.UUID, reason string, now time.Time, remove func(context.Context) error,
) (ended int, err error) {
	done, err := s.mayAsk(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	err = s.asStaff(ctx, id, func(ctx context.Context, tx pgx.Tx, before account.User) error {
		if err := s.send(ctx, tx, email.SecondFactorReset(now), before); err != nil {
			return err
		}
		if ended, err = s.closeAccount(ctx, tx, id, uuid.Nil, now); err != nil {
			return err
		}
		if err := records.Record(ctx, tx, audit.Action{
			Name: SecondFactorReset, Subject: id.String(), Label: before.Email, Reason: reason, After: audit.State{"sessions": ended},
		}); err != nil {
			return err
		}
		// The last step: if it fails, nothing has happened.
		return remove(ctx)
	})
	return ended, err
}
