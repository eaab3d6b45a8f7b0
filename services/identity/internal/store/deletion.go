package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/email"
	"fledge.dev/services/identity/internal/erasure"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	platform "fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
)

const (
	userDisabled = "fledge.identity.v1.user.disabled"
	userEnabled  = "fledge.identity.v1.user.enabled"
)

// Emails is the service's outgoing mail.
type Emails interface {
	Enqueue(ctx context.Context, tx pgx.Tx, e mail.Email) error
	// Waiting reports whether the email with the key is still to be delivered.
	Waiting(ctx context.Context, tx pgx.Tx, key string) (bool, error)
	// Erase removes all emails to the addresses.
	Erase(ctx context.Context, tx pgx.Tx, addresses ...string) error
}

var _ erasure.Store = (*Store)(nil)

// WithEmails returns the store with a queue for emails that link to the site. Without one, it
// tells nobody of new devices and roles, and cannot delete accounts.
func (s *Store) WithEmails(emails Emails, siteOrigin string) *Store {
	with := *s
	with.emails, with.siteOrigin = emails, siteOrigin
	return &with
}

// BeginDeletion implements session.Store.
func (s *Store) BeginDeletion(ctx context.Context, id uuid.UUID, now, eraseAt time.Time) (ended int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.q.LockRoles(ctx, tx); err != nil {
			return err
		}
		before, err := s.q.LockAccount(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		if err := s.keepAnAdmin(ctx, tx, toUser(before)); err != nil {
			return err
		}
		row, err := s.q.BeginDeletion(ctx, tx, db.BeginDeletionParams{ID: id, Now: now, EraseAt: eraseAt})
		if err != nil {
			return pg.Fault(err, authn.ErrDisabled)
		}
		if ended, err = s.closeAccount(ctx, tx, id, uuid.Nil, now); err != nil {
			return err
		}
		if err := announceDisabled(ctx, tx, now, id); err != nil {
			return err
		}
		return s.send(ctx, tx, email.DeletionBegun, toUser(row))
	})
	return ended, err
}

// keepAnAdmin refuses to lose the last active admin; who is disabled is none.
func (s *Store) keepAnAdmin(ctx context.Context, tx pgx.Tx, before account.User) error {
	if before.Disabled {
		return nil
	}
	roles, err := s.q.RolesOf(ctx, tx, before.ID)
	if err != nil || !slices.Contains(toRoles(roles), account.RoleAdmin) {
		return err
	}
	left, err := s.q.AnotherAdmin(ctx, tx, before.ID)
	if err == nil && !left {
		err = ErrLastAdmin
	}
	return err
}

// send queues an email to the owner of an account.
func (s *Store) send(ctx context.Context, tx pgx.Tx, write func(account.User, string) mail.Email, to account.User) error {
	return s.emails.Enqueue(ctx, tx, write(to, s.siteOrigin))
}

// TakeBackDeletion implements session.Store.
func (s *Store) TakeBackDeletion(ctx context.Context, read account.User, now time.Time) (user account.User, ok bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		before, err := s.q.LockAccount(ctx, tx, read.ID)
		if err != nil {
			return pg.Fault(err, ErrUnknownUser)
		}
		if user = toUser(before); !user.SignedOut.At.Equal(read.SignedOut.At) {
			return nil
		}
		row, err := s.q.TakeBackDeletion(ctx, tx, read.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		user, ok = toUser(row), true
		if err := announceEnabled(ctx, tx, now, read.ID); err != nil {
			return err
		}
		return s.send(ctx, tx, email.DeletionTakenBack, toUser(before))
	})
	return user, ok, err
}

// EraseGone implements erasure.Store.
func (s *Store) EraseGone(ctx context.Context, before, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	_, err := s.q.EraseGone(ctx, s.pool, db.EraseGoneParams{GoneBefore: before, Now: now})
	return pg.Fault(err, nil)
}

// AccountsToErase implements erasure.Store.
func (s *Store) AccountsToErase(ctx context.Context, now time.Time, skip, limit int) ([]uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	ids, err := s.q.AccountsToErase(ctx, s.pool, db.AccountsToEraseParams{Now: now, Skip: int32(skip), Count: int32(limit)})
	return ids, pg.Fault(err, nil)
}

// BeginErasure implements erasure.Store.
func (s *Store) BeginErasure(ctx context.Context, id uuid.UUID, now time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.LockAccount(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		former, err := s.q.FormerEmails(ctx, tx, id)
		if err != nil {
			return err
		}
		begun, err := s.q.BeginErasure(ctx, tx, db.BeginErasureParams{ID: id, Emails: append([]string{row.Email}, former...), Now: now})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := bus.Append(ctx, tx, bus.Event{
			Type: platform.Deleted, Time: now, Subject: id.String(),
			Payload: &eventsv1.UserDeleted{UserId: id.String(), Emails: begun.Emails},
		}); err != nil {
			return err
		}
		return s.send(ctx, tx, email.Deleted, toUser(row))
	})
}

// AddErasureAnswer implements erasure.Store.
func (s *Store) AddErasureAnswer(ctx context.Context, tx pgx.Tx, id uuid.UUID, answer erasure.Answer) error {
	return s.q.AddErasureAnswer(ctx, tx, db.AddErasureAnswerParams{
		UserID: id, Service: answer.Service, AnsweredAt: answer.At, AddressHashes: answer.AddressHashes,
	})
}

// AnsweredErasures implements erasure.Store.
func (s *Store) AnsweredErasures(ctx context.Context, services []string, after uuid.UUID, limit int) ([]erasure.Answered, error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	rows, err := s.q.AnsweredErasures(ctx, s.pool, db.AnsweredErasuresParams{Services: services, After: after, Count: int32(limit)})
	var answered []erasure.Answered
	for _, row := range rows {
		answered = append(answered, erasure.Answered{User: row.UserID, At: row.AnsweredAt})
	}
	return answered, pg.Fault(err, nil)
}

// FinishErasure implements erasure.Store.
func (s *Store) FinishErasure(ctx context.Context, id uuid.UUID, now time.Time) (done bool, err error) {
	// Nobody waits for it, and it reads the outbox and the audit log: the deadline is the task's.
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		row, err := s.q.LockErasure(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if now.Sub(row.BeganAt) < erasure.LastEmailWithin {
			waiting, err := s.emails.Waiting(ctx, tx, email.DeletedKey(id))
			if err != nil || waiting {
				return err
			}
		}
		if err := s.q.AllowAuditErasure(ctx, tx); err != nil {
			return err
		}
		if _, err := s.q.EraseFromAudit(ctx, tx, db.EraseFromAuditParams{UserID: id, AddressHashes: row.AddressHashes, BeganAt: row.BeganAt}); err != nil {
			return err
		}
		// The erasure may have waited for days, and somebody else has come with an address.
		others, err := s.q.OthersAddresses(ctx, tx, db.OthersAddressesParams{Emails: row.Emails, UserID: id})
		if err != nil {
			return err
		}
		own := slices.DeleteFunc(row.Emails, func(e string) bool { return slices.Contains(others, e) })
		if err := s.emails.Erase(ctx, tx, own...); err != nil {
			return err
		}
		if err := s.events.Erase(ctx, tx, id, append(own, id.String())...); err != nil {
			return err
		}
		if err := s.q.DeleteUser(ctx, tx, id); err != nil {
			return err
		}
		done = true
		return s.q.FinishErasure(ctx, tx, db.FinishErasureParams{UserID: id, Now: now})
	})
	return done && err == nil, pg.Fault(err, nil)
}

// RepeatErasures tells all services again of the accounts whose erasure has finished since a moment, by
// their ids alone: their addresses are gone. It returns how many they are.
func (s *Store) RepeatErasures(ctx context.Context, since, now time.Time) (repeated int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		ids, err := s.q.FinishedErasures(ctx, tx, since)
		if err != nil {
			return err
		}
		repeated = len(ids)
		for _, id := range ids {
			if err := bus.Append(ctx, tx, bus.Event{
				Type: platform.Deleted, Time: now, Subject: id.String(), Payload: &eventsv1.UserDeleted{UserId: id.String()},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return repeated, err
}

// OpenErasureAges implements erasure.Store.
func (s *Store) OpenErasureAges(ctx context.Context, services []string) (unanswered, answered time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	ages, err := s.q.OpenErasureAges(ctx, s.pool, services)
	seconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	return seconds(ages.Services), seconds(ages.Identity), pg.Fault(err, nil)
}
