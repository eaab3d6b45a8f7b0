package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/secrettoken"
	"fledge.dev/services/waitlist/internal/email"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/invitation"
	"fledge.dev/services/waitlist/internal/store/db"
)

var (
	errNoInvitation = fault.New(fault.NotFound, "invitation_not_found",
		"This invitation link has expired or is no longer valid. Sign in with the email address that it was sent to, or write to our support.")
	errInvitationUsed = fault.New(fault.Conflict, "invitation_used",
		"Another account already uses this invitation. Sign in with that account, or write to our support.")
)

// Account is who claims an invitation.
type Account struct {
	ID uuid.UUID
	// Email is the account's verified address.
	Email string
}

// Invitation returns the entry that the link with the token of that hash is about. The error is
// that of Claim.
func (s *Store) Invitation(ctx context.Context, hash []byte, account Account) (entry.Entry, error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	row, err := s.q.InvitedEntry(ctx, s.pool, db.InvitedEntryParams{Hash: hash, Since: s.invitedSince()})
	if err != nil {
		return entry.Entry{}, pg.Fault(err, errNoInvitation)
	}
	e := fromRow(row)
	claimed := e
	if _, err := claimed.Claim(account.ID, account.Email); err != nil {
		return entry.Entry{}, refused(err)
	}
	return e, nil
}

// Claim gives the entry of the link with the token of that hash to the account, too, and queues an email to the
// entry's address that says so. It reports whether that changed anything. The error is a
// NotFound for a link that is unknown, expired, replaced or of an entry that is not approved
// now, a Conflict when another account has claimed the entry, and erasure.ErrErased for an account that is no more.
func (s *Store) Claim(ctx context.Context, hash []byte, account Account) (e entry.Entry, changed bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if erased, err := s.isErased(ctx, tx, account.ID); err != nil {
			return err
		} else if erased {
			return erasure.ErrErased
		}
		row, err := s.q.LockInvitedEntry(ctx, tx, db.LockInvitedEntryParams{Hash: hash, Since: s.invitedSince()})
		if err != nil {
			return pg.Fault(err, errNoInvitation)
		}
		e = fromRow(row)
		if changed, err = e.Claim(account.ID, account.Email); err != nil || !changed {
			return refused(err)
		}
		if err := s.q.SetClaim(ctx, tx, db.SetClaimParams{ID: e.ID, Account: account.ID, Email: account.Email, Spelled: spelled(account.Email), Now: s.clock.Now()}); err != nil {
			return err
		}
		return s.emails.Enqueue(ctx, tx, email.Claimed(e, s.cfg.SiteOrigin))
	})
	return e, changed && err == nil, err
}

// Open notes that the link with the token of that hash was opened.
func (s *Store) Open(ctx context.Context, hash []byte) error {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	return pg.Fault(s.q.SetOpened(ctx, s.pool, db.SetOpenedParams{Hash: hash, Now: s.clock.Now()}), nil)
}

// invite queues the approval email with a new link; an earlier one ends. It leaves after that time. The day that it
// names is that of an email which leaves at once: EmailEnded moves the end.
func (s *Store) invite(ctx context.Context, tx pgx.Tx, e *entry.Entry, after time.Time) error {
	token, hash := secrettoken.New()
	now := s.clock.Now()
	var ends time.Time
	if s.cfg.ExpireAfter > 0 {
		ends = invitation.End(now, s.cfg.ExpireAfter)
	}
	set, err := s.q.SetInvitation(ctx, tx, db.SetInvitationParams{ID: e.ID, Hash: hash, InvitedAt: now, EndsAt: orNull(ends)})
	if err != nil {
		return err
	}
	e.EndsAt, e.Mail, e.MailReply, e.InvitedAt = set.InvitationEndsAt.Time, mail.Waiting, "", now.UTC()
	return s.emails.EnqueueFor(ctx, tx, email.Approval(*e, s.cfg.SiteOrigin, token, set.LeaveToken.String()), after)
}

// endClaim takes the entry from the account that has claimed it, and removes the emails that
// name it.
func (s *Store) endClaim(ctx context.Context, tx pgx.Tx, e entry.Entry) error {
	if e.ClaimedBy == uuid.Nil {
		return nil
	}
	if err := s.q.DropClaim(ctx, tx, e.ID); err != nil {
		return err
	}
	return s.emails.Erase(ctx, tx, e.Email.String())
}

// Follow gives the entries of an account to its new address: those that it has claimed, and those of
// the addresses that it had before, which become claimed. Of an account that is erased, the news is late: somebody
// else may have signed up with such an address since.
func (s *Store) Follow(ctx context.Context, tx pgx.Tx, moved identityclient.AddressChange) error {
	if erased, err := s.isErased(ctx, tx, moved.Account); err != nil || erased {
		return err
	}
	if err := s.q.ClaimFormer(ctx, tx, db.ClaimFormerParams{Account: moved.Account, Email: moved.Email, Spelled: spelled(moved.Email), Former: moved.Former}); err != nil {
		return err
	}
	if moved.Email == "" {
		return nil
	}
	return s.q.MoveClaims(ctx, tx, db.MoveClaimsParams{Account: moved.Account, Email: moved.Email, Spelled: spelled(moved.Email)})
}

// invitedSince is when the oldest invitations that are still valid were sent.
func (s *Store) invitedSince() time.Time { return s.clock.Now().Add(-invitation.Lifetime) }

func refused(err error) error {
	switch {
	case errors.Is(err, entry.ErrClaimed):
		return errInvitationUsed.Wrap(err)
	case errors.Is(err, entry.ErrNotApproved):
		return errNoInvitation.Wrap(err)
	default:
		return err
	}
}
