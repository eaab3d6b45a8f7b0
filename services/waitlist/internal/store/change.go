package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
	"fledge.dev/services/waitlist/internal/wave"
)

var errRejected = fault.New(fault.Conflict, "waitlist_user_rejected",
	"This waitlist user was removed. Add the email address again first.")

// Add puts an address on the list for an admin and reports whether that changed
// anything. A rejected entry becomes pending again; pending and approved ones
// stay as they are.
func (s *Store) Add(ctx context.Context, address entry.Email) (added entry.Entry, changed bool, err error) {
	fresh := entry.New(address, entry.Admin, s.clock.Now())
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		isNew, err := s.add(ctx, tx, []entry.Entry{fresh}, time.Time{})
		if err != nil {
			return err
		}
		if added, changed = fresh, isNew[0]; changed {
			return s.record(ctx, tx, Added, "", added, "")
		}
		row, err := s.q.LockEntryByEmail(ctx, tx, address.String())
		if err != nil {
			return err
		}
		added = fromRow(row)
		before := added.Status
		if changed = added.Readmit(s.clock.Now()); !changed {
			return nil
		}
		if err := s.endClaim(ctx, tx, fromRow(row)); err != nil {
			return err
		}
		if err := s.emails.Allow(ctx, tx, address.String()); err != nil {
			return err
		}
		if err := s.setStatus(ctx, tx, added); err != nil {
			return err
		}
		return s.record(ctx, tx, Added, "", added, before)
	})
	return added, changed && err == nil, err
}

// Approve lets a pending entry in, queues the email that says so, and reports whether
// that changed anything. An approved one stays as it is; a rejected one is a Conflict.
func (s *Store) Approve(ctx context.Context, id uuid.UUID) (e entry.Entry, changed bool, err error) {
	return s.change(ctx, id, Approved, "", func(ctx context.Context, tx pgx.Tx, e *entry.Entry) (bool, error) {
		e.ByWave = false
		var leaves time.Time
		if hold := s.holdFor(*e); hold > 0 {
			leaves = s.clock.Now().Add(hold)
		}
		return s.approve(ctx, tx, e, leaves)
	})
}

// holdFor is how long the email of an approval waits, so that it can be undone.
func (s *Store) holdFor(e entry.Entry) time.Duration {
	switch {
	case e.ByWave:
		return wave.HoldFor
	case s.cfg.UndoFor > 0:
		return s.cfg.UndoFor + wave.HoldFor - wave.UndoFor
	default:
		return 0
	}
}

// Undo makes an entry again what it was whose approval email still waits: it is withdrawn when its time comes, because it
// is about an earlier version. Too late, for an entry that is not approved any more, and for an approval by a wave, it is a
// Conflict.
func (s *Store) Undo(ctx context.Context, id uuid.UUID) (e entry.Entry, err error) {
	e, _, err = s.change(ctx, id, Undone, "", func(ctx context.Context, tx pgx.Tx, e *entry.Entry) (bool, error) {
		if err := e.Undo(s.clock.Now(), s.cfg.UndoFor); err != nil {
			switch {
			case e.Status != entry.Approved:
				return false, errNotApprovedNow.Wrap(err)
			case e.ByWave:
				return false, errByWave.Wrap(err)
			default:
				return false, errUndoTooLate.Wrap(err)
			}
		}
		return true, s.q.DropInvitation(ctx, tx, []uuid.UUID{e.ID})
	})
	return e, err
}

// UndoUntil is by when Undo works, zero when it does not.
func (s *Store) UndoUntil(e entry.Entry) time.Time {
	until := e.UndoUntil(s.cfg.UndoFor)
	if !s.clock.Now().Before(until) {
		return time.Time{}
	}
	return until
}

// approve is the rule of an approval whose email leaves after that time.
func (s *Store) approve(ctx context.Context, tx pgx.Tx, e *entry.Entry, after time.Time) (changed bool, err error) {
	changed, err = e.Approve(s.clock.Now())
	if errors.Is(err, entry.ErrRejected) {
		return false, errRejected.Wrap(err)
	}
	if err != nil || !changed {
		return false, err
	}
	return true, s.invite(ctx, tx, e, after)
}

// Remove takes an entry off the list and reports whether that changed anything;
// it stays on record as rejected.
func (s *Store) Remove(ctx context.Context, id uuid.UUID) (e entry.Entry, changed bool, err error) {
	return s.change(ctx, id, Removed, "", func(_ context.Context, _ pgx.Tx, e *entry.Entry) (bool, error) {
		return e.Remove(s.clock.Now()), nil
	})
}

var (
	errUndoTooLate = fault.New(fault.Conflict, "approval_undo_too_late", "It is too late to undo: the email is on its way.")
	errNotApproved = fault.New(fault.Conflict, "waitlist_user_not_approved", "Only approved people get this email.")
	errHeld        = fault.New(fault.Conflict, "approval_email_waiting", "This email has not left yet: it leaves when the approval can no longer be undone.")
	errJustSent    = fault.New(fault.Conflict, "approval_email_just_sent", "This email was sent less than a minute ago.")
	errLeft        = fault.New(fault.Conflict, "waitlist_user_left", "This person has asked not to get any emails.")
	errNoLeaver    = fault.New(fault.NotFound, "leave_link_unknown", "This link is not known. You may be off the list already.")

	errNotApprovedNow = fault.New(fault.Conflict, "waitlist_user_not_approved", "This person is not approved any more: no email is on its way.")
	errByWave         = fault.New(fault.Conflict, "approval_undo_too_late", "This approval is part of an approval of many. Undo it there.")
)

// Resend queues the approval email again, with a new link, whatever the provider has reported of its
// address; reason is why, "" where it was not asked for. An entry that is not approved, one whose person has left, and one whose email has just been
// sent or still waits so that the approval can be undone, is a Conflict.
func (s *Store) Resend(ctx context.Context, id uuid.UUID, reason string) (e entry.Entry, err error) {
	e, _, err = s.change(ctx, id, Resent, reason, func(ctx context.Context, tx pgx.Tx, e *entry.Entry) (bool, error) {
		switch err := e.Resend(s.clock.Now(), s.holdFor(*e)); {
		case errors.Is(err, entry.ErrLeft):
			return false, errLeft.Wrap(err)
		case errors.Is(err, entry.ErrHeld):
			return false, errHeld.Wrap(err)
		case errors.Is(err, entry.ErrJustSent):
			return false, errJustSent.Wrap(err)
		case err != nil:
			return false, errNotApproved.Wrap(err)
		}
		if err := s.emails.Allow(ctx, tx, e.Reader()); err != nil {
			return false, err
		}
		return true, s.invite(ctx, tx, e, time.Time{})
	})
	return e, err
}

// Leave is what the link in an email to the list does. Repeating it changes nothing; an unknown
// token is a NotFound.
func (s *Store) Leave(ctx context.Context, token uuid.UUID) (e entry.Entry, changed bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.LockLeaver(ctx, tx, token)
		if errors.Is(err, pgx.ErrNoRows) {
			if err := s.q.TakeRefused(ctx, tx, token); err != nil {
				return err
			}
			row, err = s.q.LockLeaver(ctx, tx, token)
		}
		if err != nil {
			return pg.Fault(err, errNoLeaver)
		}
		e = fromRow(row)
		if changed = e.Leave(s.clock.Now()); !changed {
			return nil
		}
		return s.setStatus(ctx, tx, e)
	})
	return e, changed && err == nil, err
}

// EmailEnded notes what became of the email with the key, which is one of three: it has an address confirmed, tells of an
// approval, or reminds of one. The time of an invitation starts when its approval email was sent. Whoever has unsubscribed at the provider before it was sent has left the list.
func EmailEnded(ctx context.Context, tx pgx.Tx, key string, o mail.Outcome) error {
	if id, emails, ok := email.SignUpOf(key); ok {
		return db.New().SetUnconfirmedMail(ctx, tx, db.SetUnconfirmedMailParams{ID: id, Mails: emails, Mail: shown(o.State), Reply: o.Reply})
	}
	id, version, isReminder, ok := email.InvitationOf(key)
	if !ok {
		return nil
	}
	if o.State == mail.Unsubscribed {
		return db.New().SetLeft(ctx, tx, db.SetLeftParams{ID: id, Version: version})
	}
	return db.New().SetMail(ctx, tx, db.SetMailParams{ID: id, Version: version, Mail: string(o.State), Reply: o.Reply, Starts: o.State == mail.Sent && !isReminder})
}

// EmailReported notes at the entries and sign-ups whose emails go to an address what the provider has reported of it.
// Whoever calls our email spam, or has unsubscribed at the provider, has left the list, also at an address to which it
// wrote before.
func (s *Store) EmailReported(ctx context.Context, tx pgx.Tx, r mail.Report) error {
	rows, err := s.q.LockReported(ctx, tx, r.Address)
	if err != nil {
		return err
	}
	err = s.q.SetUnconfirmedReport(ctx, tx, db.SetUnconfirmedReportParams{Email: r.Address, Mail: shown(r.State), Reply: r.Reason})
	for _, row := range rows {
		err = errors.Join(err, s.reported(ctx, tx, fromRow(row), r))
	}
	return err
}

func (s *Store) reported(ctx context.Context, tx pgx.Tx, e entry.Entry, r mail.Report) error {
	if r.State != mail.Bounced && e.Leave(s.clock.Now()) {
		if err := s.setStatus(ctx, tx, e); err != nil {
			return err
		}
	}
	// What is reported while the approval email is held is about an earlier email.
	if r.State == mail.Unsubscribed || e.Reader() != r.Address || e.Held(s.clock.Now(), s.holdFor(e)) {
		return nil
	}
	return s.q.SetMail(ctx, tx, db.SetMailParams{ID: e.ID, Version: e.Version, Mail: string(r.State), Reply: r.Reason})
}

// EmailDue reports whether the email with the key still says what is so: an approval may have been taken
// back since it was queued, an invitation used whose person was to be reminded, and an address confirmed.
func (s *Store) EmailDue(ctx context.Context, key string) (bool, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	if id, emails, ok := email.SignUpOf(key); ok {
		return s.q.Unconfirmed(ctx, s.pool, db.UnconfirmedParams{ID: id, Mails: emails, Now: s.clock.Now()})
	}
	id, version, isReminder, ok := email.InvitationOf(key)
	if !ok {
		return true, nil
	}
	if isReminder {
		return s.q.Unused(ctx, s.pool, db.UnusedParams{ID: id, Version: version})
	}
	return s.q.Approved(ctx, s.pool, db.ApprovedParams{ID: id, Version: version})
}

// change applies a rule to the entry while its row is locked, and writes the outcome with
// the audit record of that name and reason. The rule reports whether it has changed the entry.
func (s *Store) change(ctx context.Context, id uuid.UUID, name audit.Name, reason string, rule func(context.Context, pgx.Tx, *entry.Entry) (bool, error)) (e entry.Entry, changed bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.q.LockEntry(ctx, tx, id)
		if err != nil {
			return err
		}
		e = fromRow(row)
		changed, err = s.apply(ctx, tx, &e, name, reason, rule)
		return err
	})
	return e, changed && err == nil, err
}

// apply is change for an entry whose row is locked.
func (s *Store) apply(ctx context.Context, tx pgx.Tx, e *entry.Entry, name audit.Name, reason string, rule func(context.Context, pgx.Tx, *entry.Entry) (bool, error)) (changed bool, err error) {
	before := e.Status
	if changed, err = rule(ctx, tx, e); err != nil || !changed {
		return false, err
	}
	if err := s.setStatus(ctx, tx, *e); err != nil {
		return false, err
	}
	return true, s.record(ctx, tx, name, reason, *e, before)
}

func (s *Store) record(ctx context.Context, tx pgx.Tx, name audit.Name, reason string, e entry.Entry, before entry.Status) error {
	record, err := recorded(ctx, name, reason, e, before)
	if err != nil {
		return err
	}
	return bus.Append(ctx, tx, record)
}

func (s *Store) setStatus(ctx context.Context, tx pgx.Tx, e entry.Entry) error {
	return s.q.SetStatus(ctx, tx, db.SetStatusParams{
		ID: e.ID, Status: string(e.Status), UpdatedAt: e.UpdatedAt, Version: e.Version,
		LeftAt: orNull(e.LeftAt), ExpiredAt: orNull(e.ExpiredAt), ByWave: e.ByWave,
		FormerInvitedAt: orNull(e.FormerInvitedAt), FormerExpiredAt: orNull(e.FormerExpiredAt),
	})
}

// orNull is NULL for the zero time.
func orNull(t time.Time) pgtype.Timestamptz { return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()} }

// Standing is what an account's entry says to its person; the zero value is for an account without one.
type Standing struct {
	Status  entry.Status
	Channel entry.Channel
}

// Status returns the standing of an account's entry, by its address or its claim. It notes when
// somebody comes for the first time who was approved.
func (s *Store) Status(ctx context.Context, account uuid.UUID, address entry.Email) (Standing, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	found, err := s.q.EntryStatus(ctx, s.pool, db.EntryStatusParams{Email: address.String(), Account: account})
	if errors.Is(err, pgx.ErrNoRows) {
		return Standing{}, nil
	}
	if err != nil {
		return Standing{}, pg.Fault(err, nil)
	}
	standing := Standing{entry.Status(found.Status), entry.Channel(found.Channel)}
	if standing.Status == entry.Approved && !found.ArrivedAt.Valid {
		// If that fails, the invitation counts as unused until its person comes again.
		if err := s.q.SetArrived(ctx, s.pool, db.SetArrivedParams{ID: found.ID, Now: s.clock.Now()}); err != nil {
			s.cfg.Log.ErrorContext(ctx, "that an invited person has signed in was not recorded: their invitation may be reminded of or expire", "entry", found.ID, "error", err)
		}
	}
	return standing, nil
}

// Downloaded notes that the person of an account's entry, who was approved, has loaded the app for the first time.
func (s *Store) Downloaded(ctx context.Context, account uuid.UUID, address entry.Email) error {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	found, err := s.q.EntryStatus(ctx, s.pool, db.EntryStatusParams{Email: address.String(), Account: account})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err == nil {
		err = s.q.SetDownloaded(ctx, s.pool, db.SetDownloadedParams{ID: found.ID, Now: s.clock.Now()})
	}
	return pg.Fault(err, nil)
}
