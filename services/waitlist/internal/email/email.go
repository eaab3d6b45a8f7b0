// Package email has the email to people who are let in.
package email

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/entry"
)

const approvalPrefix = "waitlist-approved/"

// Approval tells the person of an entry that they may come in. There is one for each
// version of an entry.
//
// It holds no text that came from a person: sign-ups are open to everybody, and an email
// must not carry a stranger's words. The token stands in the link's fragment, which browsers
// send to no server.
//
// Its reader, or a mail program for them, can leave the list by the token leave.
func Approval(e entry.Entry, siteOrigin, token, leave string) (mail.Message, error) {
	m, err := mail.Email{
		Subject: "You have access to the " + brand.Name + " closed beta",
		Preview: "Your spot is ready. Download the app for Mac.",
		Heading: "You're in",
		Paragraphs: []string{
			"You now have access to the " + brand.Name + " closed beta.",
			"Sign in with this email address on the closed beta page to download the app for Mac.",
			"You sign in with another address, or Apple hides yours from us? Open the page from this email, and it asks whether the invitation is for that account. That works for 90 days and for one account: please do not forward this email.",
		},
		Action: &mail.Action{Label: "Get the app", URL: siteOrigin + "/closed-beta#claim=" + token},
		Reason: "You get this email because this address is on the " + brand.Name + " waitlist.",
		Leave:  &mail.Action{Label: "Take it off the list", URL: siteOrigin + "/leave-waitlist#" + leave},
	}.Compose(fmt.Sprintf("%s%s/%d", approvalPrefix, e.ID, e.Version), e.Email.String())
	m.Unsubscribe = siteOrigin + "/api/leave-waitlist?token=" + leave
	return m, err
}

// Claimed tells the address of an entry which account has claimed it.
func Claimed(e entry.Entry, siteOrigin string) (mail.Message, error) {
	return mail.Email{
		Subject: "Your invitation to the " + brand.Name + " closed beta is in use",
		Preview: "An account with another email address uses it.",
		Heading: "Your invitation is in use",
		Paragraphs: []string{
			"We sent an invitation to the " + brand.Name + " closed beta to this address. Somebody opened the link in that email, signed in as " + e.ClaimedEmail + ", and now uses the invitation with that account.",
			"If that was you, there is nothing to do. You can still sign in with this address, too.",
			"If it was not you, write to " + brand.SupportEmail + ": we take the invitation from that account and send you a new one. Somebody else may be reading your email.",
		},
		Action: &mail.Action{Label: "Open the closed beta page", URL: siteOrigin + "/closed-beta"},
		Reason: "You get this email because this address is on the " + brand.Name + " waitlist.",
	}.Compose(fmt.Sprintf("waitlist-claimed/%s/%s", e.ID, e.ClaimedBy), e.Email.String())
}

// ApprovalOf returns the entry and its version that the email with the key is about; ok is
// false for another email.
func ApprovalOf(key string) (id uuid.UUID, version int64, ok bool) {
	rest, ok := strings.CutPrefix(key, approvalPrefix)
	entryID, number, _ := strings.Cut(rest, "/")
	id, errID := uuid.Parse(entryID)
	version, errVersion := strconv.ParseInt(number, 10, 64)
	return id, version, ok && errID == nil && errVersion == nil
}
