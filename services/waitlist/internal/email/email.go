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
// must not carry a stranger's words.
func Approval(e entry.Entry, siteOrigin string) (mail.Message, error) {
	return mail.Email{
		Subject: "You have access to the " + brand.Name + " closed beta",
		Preview: "Your spot is ready. Download the app for Mac.",
		Heading: "You're in",
		Paragraphs: []string{
			"You now have access to the " + brand.Name + " closed beta.",
			"Sign in with this email address on the closed beta page to download the app for Mac.",
		},
		Action: &mail.Action{Label: "Get the app", URL: siteOrigin + "/closed-beta"},
		Reason: "You get this one email because this address is on the " + brand.Name + " waitlist.",
	}.Compose(fmt.Sprintf("%s%s/%d", approvalPrefix, e.ID, e.Version), e.Email.String())
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
