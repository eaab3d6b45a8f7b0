package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/identity/internal/staff"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/pg"
)

// SecondFactorChanged tells an account's owner by email of what they did to their second factor,
// and records it as theirs, once however often it is reported. flow names the change. An account that does not
// exist is ErrUnknownUser.
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
		record, err := records.Event(ctx, audit.Action{Name: ownChanges[change], Subject: id.String(), Label: user.Email})
		if err != nil {
			return err
		}
		record.ID = uuid.NewSHA1(flow, []byte(change)) // the log takes an event once
		return bus.Append(ctx, tx, record)
	})
}

// AdmitFactorCode keeps a code that was typed for an account, and fails as account.FactorCode.After
// says. All codes of an account count, wherever they were typed.
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
func (s *Store) ResetSecondFactor(ctx context.Context, id uuid.UUID, reason string, now time.Time, at staff.SecondFactors) (ended int, err error) {
	if _, err := s.User(ctx, id); err != nil {
		return 0, err
	}
	// The account may be locked while Kratos is asked about it: one that waits for it holds a connection, too.
	done, err := s.mayAsk(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	app, codes, err := at.SecondFactor(ctx, id)
	switch {
	case err != nil && !errors.Is(err, kratos.ErrGone):
		return 0, err
	case !app && !codes:
		return 0, kratos.ErrNoSecondFactor
	}
	// Kratos comes last: if it fails, a repeat finds what is left, and what was done to the account is on record.
	if ended, err = s.recordReset(ctx, id, reason, now); err != nil {
		return 0, err
	}
	err = s.lockedAtKratos(ctx, id, func(ctx context.Context, _ pgx.Tx) error { return at.RemoveSecondFactor(ctx, id) })
	if errors.Is(err, kratos.ErrNoSecondFactor) { // another was faster
		err = nil
	}
	return ended, err
}

func (s *Store) recordReset(ctx context.Context, id uuid.UUID, reason string, now time.Time) (ended int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		if err := s.stillStaff(ctx, tx); err != nil {
			return err
		}
		before := toUser(row)
		if err := s.send(ctx, tx, email.SecondFactorReset(now), before); err != nil {
			return err
		}
		if ended, err = s.closeAccount(ctx, tx, id, uuid.Nil, now); err != nil {
			return err
		}
		return records.Record(ctx, tx, audit.Action{
			Name: SecondFactorReset, Subject: id.String(), Label: before.Email, Reason: reason, After: audit.State{"sessions": ended},
		})
	})
	return ended, err
}
