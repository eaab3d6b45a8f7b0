package consumer

import (
	"fmt"

	"github.com/google/uuid"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
)

// approvalKey is the same for one approval however often its event is delivered.
func approvalKey(id uuid.UUID, version int64) string {
	return fmt.Sprintf("waitlist-approved/%s/%d", id, version)
}

// approvalEmail holds no text that came from a person: sign-ups are open to
// everybody, and an email must not carry a stranger's words.
func approvalEmail(siteOrigin string) mail.Email {
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
	}
}
