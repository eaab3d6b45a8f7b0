// Package entry is the waitlist's domain: an address, its source, and the rules for
// changing between pending, approved and rejected.
//
//	           Approve
//	pending ─────────────▶ approved
//	 │   ▲                    │
//	 │   │ Readmit            │
//	 │   │                    │
//	 ▼   │       Remove       │
//	rejected ◀────────────────┘
//
// An approval can be undone before its email leaves, and an invitation that nobody uses may expire: the
// entry is pending again.
//
// Approving what is approved, removing what is rejected and readmitting what is
// not rejected change nothing. Approving what is rejected is refused.
//
// An approved entry may be claimed by one account whose address is another one, and an entry of
// whatever status becomes that of the account that had its address before. The claim outlives the
// removal, and ends when the address is readmitted.
package entry

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/mail"
)

// Entry is one address on the waitlist.
type Entry struct {
	ID     uuid.UUID
	Email  Email
	Status Status
	Source Source
	// CreatedAt and UpdatedAt are UTC with microseconds, as the database keeps them.
	CreatedAt time.Time
	UpdatedAt time.Time
	// Version starts at 1 and grows by one with each change of Status and each approval email.
	Version int64
	// ClaimedBy is the account that has claimed the entry, uuid.Nil without one, and
	// ClaimedEmail that account's address.
	ClaimedBy    uuid.UUID
	ClaimedEmail string
	// Mail is what became of the last approval email or its reminder, "" without one, and MailReply the code of
	// the server's answer that kept it from being delivered.
	Mail      mail.State
	MailReply string
	// InvitedAt is when the last approval email was queued, from its delivery on when it was sent, zero without one.
	InvitedAt time.Time
	// Consent names the words that the person agreed to at ConsentedAt, "" and zero if they did not: staff or an
	// import has added them. ConfirmedAt is when they confirmed their address, zero if they did not.
	Consent                  string
	ConsentedAt, ConfirmedAt time.Time
	// LeftAt is when the person asked not to be written to, zero if they did not.
	LeftAt time.Time
	// EndsAt is until when the invitation has to be used, zero if that is not said.
	EndsAt time.Time
	// ExpiredAt is since when the entry is pending again because its invitation was not used, zero otherwise.
	ExpiredAt time.Time
	// FormerInvitedAt and FormerExpiredAt are InvitedAt and ExpiredAt of before an approval, as long as it stands.
	FormerInvitedAt, FormerExpiredAt time.Time
	// ByWave is whether a wave has approved the entry.
	ByWave bool
	// Channel is the update channel that the wave gave, NoChannel without one.
	Channel Channel
}

// Channel is an update channel of the Mac app that those get whom a wave approves.
type Channel string

// The channels that can be given. Who is given none follows the stable releases.
const (
	NoChannel Channel = ""
	Beta      Channel = "beta"
	Alpha     Channel = "alpha"
)

// New makes a pending entry with a fresh time-ordered id (UUID version 7).
func New(email Email, source Source, now time.Time) Entry {
	now = now.UTC().Truncate(time.Microsecond)
	return Entry{
		ID:        uuid.Must(uuid.NewV7()),
		Email:     email,
		Status:    Pending,
		Source:    source,
		CreatedAt: now,
		UpdatedAt: now,
		Version:   1,
	}
}

// SignedUp makes the entry of somebody who has sent a form, which is their consent.
func SignedUp(email Email, source Source, now time.Time) Entry {
	e := New(email, source, now)
	e.Consent, e.ConsentedAt = Consent, e.CreatedAt
	return e
}

// Imported makes the entry of a line of a file, with the status that it has there. Of entries that
// joined at the same time, those of a lower rank have waited longer.
func Imported(email Email, status Status, source Source, joined time.Time, rank int) Entry {
	e := New(email, source, joined)
	e.Status = status
	// A UUID of version 7 whose counter, the 26 bits after the time, is the rank from the middle on.
	const middle = 1 << 25
	counter := uint64(max(-middle, min(rank, middle-1)) + middle)
	binary.BigEndian.PutUint64(e.ID[:8], uint64(joined.UnixMilli())<<16|0x7000|counter>>14)
	e.ID[8], e.ID[9] = 0x80|byte(counter>>8&0x3f), byte(counter)
	return e
}

// Approve lets the entry in. It reports whether that changed anything, and
// returns ErrRejected for a rejected entry.
func (e *Entry) Approve(now time.Time) (changed bool, err error) {
	switch e.Status {
	case Approved:
		return false, nil
	case Rejected:
		return false, ErrRejected
	default:
		invited, expired := e.InvitedAt, e.ExpiredAt
		e.move(Approved, now)
		e.FormerInvitedAt, e.FormerExpiredAt = invited, expired
		return true, nil
	}
}

// UndoUntil is when the email of an approval leaves that has waited for so long, and by when the approval can be undone
// by itself; zero when it cannot.
func (e *Entry) UndoUntil(hold time.Duration) time.Time {
	hasLeft := !e.LeftAt.IsZero() && !e.LeftAt.Before(e.UpdatedAt) // since then, so that the email does not wait any more
	if e.Status != Approved || e.Mail != mail.Waiting && !hasLeft || e.ByWave || hold == 0 {
		return time.Time{}
	}
	return e.UpdatedAt.Add(hold)
}

// Undo makes an approved entry again what it was before, rejected if its person has left since. It returns ErrTooLate
// from UndoUntil on.
func (e *Entry) Undo(now time.Time, hold time.Duration) error {
	if !now.Before(e.UndoUntil(hold)) {
		return ErrTooLate
	}
	invited, expired := e.FormerInvitedAt, e.FormerExpiredAt
	if e.move(Rejected, now); e.LeftAt.IsZero() {
		e.Status, e.ExpiredAt = Pending, expired
	}
	e.InvitedAt = invited
	e.Mail, e.MailReply, e.EndsAt = "", "", time.Time{}
	return nil
}

// Remove takes the entry off the list; it stays on record as rejected. It
// reports whether that changed anything.
func (e *Entry) Remove(now time.Time) (changed bool) {
	if e.Status == Rejected {
		return false
	}
	e.move(Rejected, now)
	return true
}

// Expire takes the invitation of an approved entry back that nobody has used: the entry keeps its place in
// the list.
func (e *Entry) Expire(now time.Time) {
	e.move(Pending, now)
	e.ExpiredAt = e.UpdatedAt
}

// Leave is the person's own wish: no more emails, and off the list unless they were let in. It
// reports whether that changed anything.
func (e *Entry) Leave(now time.Time) (changed bool) {
	if !e.LeftAt.IsZero() {
		return false
	}
	e.LeftAt = now.UTC().Truncate(time.Microsecond)
	if e.Status == Pending {
		e.move(Rejected, now)
	}
	return true
}

// resendPause is how long an approval email that nothing is known against is not sent again: the
// later one would make the link of the earlier one worthless.
const resendPause = time.Minute

// Held reports whether the approval email, which waits for so long, has not left yet.
func (e *Entry) Held(now time.Time, hold time.Duration) bool {
	return e.Status == Approved && e.Mail == mail.Waiting && now.Before(e.UpdatedAt.Add(hold))
}

// Resend makes the approval email due again, with another link. It returns ErrNotApproved for an
// entry that has none, ErrLeft for one whose person does not want it, ErrHeld while that of the approval has not left,
// which waits for so long, and ErrJustSent within resendPause of the last one.
func (e *Entry) Resend(now time.Time, hold time.Duration) error {
	switch {
	case e.Status != Approved:
		return ErrNotApproved
	case !e.LeftAt.IsZero():
		return ErrLeft
	case e.Held(now, hold):
		return ErrHeld
	case (e.Mail == mail.Waiting || e.Mail == mail.Sent) && now.Sub(e.InvitedAt) < resendPause:
		return ErrJustSent
	default:
		e.Version++
		return nil
	}
}

// Readmit makes a rejected entry pending again. It reports whether that changed
// anything: pending and approved entries stay as they are.
func (e *Entry) Readmit(now time.Time) (changed bool) {
	if e.Status != Rejected {
		return false
	}
	e.move(Pending, now)
	e.ClaimedBy, e.ClaimedEmail, e.LeftAt = uuid.Nil, "", time.Time{}
	return true
}

// Claim gives the entry to an account with that address, too. It reports whether that
// changed anything: the account of the entry's own address, in the accepted spelling, has it
// already. It returns ErrClaimed when another account has claimed the entry, and
// ErrNotApproved for an entry that gives nothing.
func (e *Entry) Claim(account uuid.UUID, address string) (changed bool, err error) {
	switch {
	case e.Status != Approved:
		return false, ErrNotApproved
	case e.ClaimedBy == account, address == e.Email.String():
		return false, nil
	case e.ClaimedBy != uuid.Nil:
		return false, ErrClaimed
	default:
		e.ClaimedBy, e.ClaimedEmail = account, address
		return true, nil
	}
}

// Reader is the address to which the list writes to the entry's person: that of the account that has
// claimed it, or else the entry's own.
func (e *Entry) Reader() string {
	if e.ClaimedEmail != "" {
		return e.ClaimedEmail
	}
	return e.Email.String()
}

func (e *Entry) move(to Status, now time.Time) {
	e.Status = to
	e.UpdatedAt = now.UTC().Truncate(time.Microsecond)
	e.Version++
	e.ExpiredAt, e.FormerInvitedAt, e.FormerExpiredAt = time.Time{}, time.Time{}, time.Time{}
}
