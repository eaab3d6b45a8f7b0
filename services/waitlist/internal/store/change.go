package store

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/event"
	"fledge.dev/services/waitlist/internal/store/db"
)

var errRejected = fault.New(fault.Conflict, "waitlist_user_rejected",
	"This waitlist user was removed. Add the email address again first.")

// Add puts an address on the list for an admin and reports whether that changed
// anything. A rejected entry becomes pending again; pending and approved ones
// stay as they are.
func (s *Store) Add(ctx context.Context, email entry.Email) (added entry.Entry, changed bool, err error) {
	fresh := entry.New(email, entry.Admin, s.clock.Now())
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		isNew, err := s.signUpWith(ctx, tx, []entry.Entry{fresh})
		if err != nil {
			return err
		}
		if added, changed = fresh, isNew[0]; changed {
			return s.record(ctx, tx, Added, added, "")
		}
		row, err := s.q.LockEntryByEmail(ctx, tx, email.String())
		if err != nil {
			return err
		}
		added = fromRow(row)
		before := added.Status
		if changed = added.Readmit(s.clock.Now()); !changed {
			return nil
		}
		if err := s.setStatus(ctx, tx, added); err != nil {
			return err
		}
		return s.record(ctx, tx, Added, added, before)
	})
	return added, changed && err == nil, err
}

// Approve lets a pending entry in and reports whether that changed anything. An
// approved one stays as it is; a rejected one is a Conflict.
func (s *Store) Approve(ctx context.Context, id uuid.UUID) (e entry.Entry, changed bool, err error) {
	return s.change(ctx, id, Approved, func(e *entry.Entry) (*bus.Event, error) {
		changed, err := e.Approve(s.clock.Now())
		if errors.Is(err, entry.ErrRejected) {
			return nil, errRejected.Wrap(err)
		}
		return eventIf(changed, event.Approved(*e)), err
	})
}

// Remove takes an entry off the list and reports whether that changed anything;
// it stays on record as rejected.
func (s *Store) Remove(ctx context.Context, id uuid.UUID) (e entry.Entry, changed bool, err error) {
	return s.change(ctx, id, Removed, func(e *entry.Entry) (*bus.Event, error) {
		changed := e.Remove(s.clock.Now())
		return eventIf(changed, event.Rejected(*e)), nil
	})
}

// change applies a rule to the entry while its row is locked, and writes the
// outcome with its event and the audit record of that name. A rule that returns no
// event has changed nothing.
func (s *Store) change(ctx context.Context, id uuid.UUID, name audit.Name, rule func(*entry.Entry) (*bus.Event, error)) (e entry.Entry, changed bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		changed = false
		row, err := s.q.LockEntry(ctx, tx, id)
		if err != nil {
			return err
		}
		e = fromRow(row)
		before := e.Status
		ev, err := rule(&e)
		if err != nil || ev == nil {
			return err
		}
		changed = true
		if err := s.setStatus(ctx, tx, e); err != nil {
			return err
		}
		record, err := recorded(ctx, name, e, before)
		if err != nil {
			return err
		}
		return bus.Append(ctx, tx, *ev, record)
	})
	return e, changed && err == nil, err
}

func (s *Store) record(ctx context.Context, tx pgx.Tx, name audit.Name, e entry.Entry, before entry.Status) error {
	record, err := recorded(ctx, name, e, before)
	if err != nil {
		return err
	}
	return bus.Append(ctx, tx, record)
}

func (s *Store) setStatus(ctx context.Context, tx pgx.Tx, e entry.Entry) error {
	return s.q.SetStatus(ctx, tx, db.SetStatusParams{
		ID: e.ID, Status: string(e.Status), UpdatedAt: e.UpdatedAt, Version: e.Version,
	})
}

// Status returns the state of an address's entry; ok is false when there is none.
func (s *Store) Status(ctx context.Context, email entry.Email) (status entry.Status, ok bool, err error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	stored, err := s.q.EntryStatus(ctx, s.pool, email.String())
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return entry.Status(stored), err == nil, pg.Fault(err, nil)
}

func eventIf(changed bool, ev bus.Event) *bus.Event {
	if !changed {
		return nil
	}
	return &ev
}
