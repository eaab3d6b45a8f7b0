// Package email has the emails to people who sign up or are let in.
package email

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/invitation"
)

const (
	approvalPrefix = "waitlist-approved/"
	reminderPrefix = "waitlist-reminder/"
	confirmPrefix  = "waitlist-confirm/"
)

// Approval tells the person of an entry that they may come in. There is one for each
// version of an entry.
//
// It holds no text that came from a person: sign-ups are open to everybody, and an email
// must not carry a stranger's words. The token stands in the link's fragment, which browsers
// send to no server.
//
// Its reader, or a mail program for them, can leave the list by the token leave.
func Approval(e entry.Entry, siteOrigin, token, leave string) mail.Email {
	return invitationTo(e, "approved", approvalPrefix, siteOrigin, token, leave)
}

// Reminder tells the person of an entry once more what Approval has told them, with a link of its own.
// There is one for each version of an entry.
func Reminder(e entry.Entry, siteOrigin, token, leave string) mail.Email {
	return invitationTo(e, "reminder", reminderPrefix, siteOrigin, token, leave)
}

func invitationTo(e entry.Entry, template, prefix, siteOrigin, token, leave string) mail.Email {
	until := ""
	if !e.EndsAt.IsZero() {
		until = invitation.LastDay(e.EndsAt)
	}
	return mail.Email{
		Template: template, Key: fmt.Sprintf("%s%s/%d", prefix, e.ID, e.Version), To: e.Reader(),
		Values: map[string]string{"Until": until},
		Action: siteOrigin + "/closed-beta#claim=" + token, Leave: siteOrigin + "/leave-waitlist#" + leave,
		Unsubscribe: siteOrigin + "/api/leave-waitlist?token=" + leave,
	}
}

// Claimed tells the address of an entry which account has claimed it.
func Claimed(e entry.Entry, siteOrigin string) mail.Email {
	return mail.Email{
		Template: "claimed", Key: fmt.Sprintf("waitlist-claimed/%s/%s", e.ID, e.ClaimedBy), To: e.Email.String(),
		Values: map[string]string{"Account": e.ClaimedEmail}, Action: siteOrigin + "/closed-beta",
	}
}

// SignUp is one whose address is yet to be confirmed.
type SignUp struct {
	ID    uuid.UUID
	Email string
	// Token confirms it, and takes it back. It stands in the link's fragment.
	Token uuid.UUID
	// Emails counts those to it, this one included.
	Emails int32
	// EndsAt is until when the link works.
	EndsAt time.Time
}

// Confirm asks the address of a sign-up whether its reader wants to be on the list. As in Approval, no word of it
// came from a person.
func Confirm(s SignUp, siteOrigin string) mail.Email {
	return mail.Email{
		Template: "confirm", Key: fmt.Sprintf("%s%s/%d", confirmPrefix, s.ID, s.Emails), To: s.Email,
		Values: map[string]string{"Until": s.EndsAt.UTC().Format("2 January 2006 at 15:04 UTC")},
		Action: siteOrigin + "/confirm-waitlist#" + s.Token.String(), Leave: siteOrigin + "/leave-waitlist#" + s.Token.String(),
		Unsubscribe: siteOrigin + "/api/leave-waitlist?token=" + s.Token.String(),
	}
}

// SignUpOf returns the sign-up and its count of emails that the email with the key asks to confirm; ok is false for
// another email.
func SignUpOf(key string) (id uuid.UUID, emails int32, ok bool) {
	rest, ok := strings.CutPrefix(key, confirmPrefix)
	if !ok {
		return uuid.Nil, 0, false
	}
	id, number, ok := numbered(rest)
	return id, int32(number), ok
}

// numbered reads "<id>/<number>".
func numbered(rest string) (id uuid.UUID, number int64, ok bool) {
	before, after, _ := strings.Cut(rest, "/")
	id, errID := uuid.Parse(before)
	number, errNumber := strconv.ParseInt(after, 10, 64)
	return id, number, errID == nil && errNumber == nil
}

// InvitationOf returns the entry and its version that the email with the key, an approval or a reminder
// of it, is about; ok is false for another email.
func InvitationOf(key string) (id uuid.UUID, version int64, isReminder, ok bool) {
	rest, isReminder := strings.CutPrefix(key, reminderPrefix)
	if !isReminder {
		if rest, ok = strings.CutPrefix(key, approvalPrefix); !ok {
			return uuid.Nil, 0, false, false
		}
	}
	id, version, ok = numbered(rest)
	return id, version, isReminder, ok
}
