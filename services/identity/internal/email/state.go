package email

import (
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
)

// Disabled tells the owner of an account that staff have disabled it. They cannot read it on the site.
func Disabled(at time.Time) func(u account.User, siteOrigin string) (mail.Message, error) {
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		return mail.Email{
			Subject: "Your " + brand.Name + " account is disabled",
			Preview: "You cannot sign in until our staff enables it again.",
			Heading: "Your account is disabled",
			Paragraphs: []string{
				"Our staff has disabled your account " + u.Email + " on " + at.UTC().Format(moment) + ". You are signed out everywhere and cannot sign in.",
				"Nothing of it is deleted. A plan that you pay for does not renew while the account is disabled.",
				"You want to know why, or think that this is a mistake? Write to " + brand.SupportEmail + ".",
			},
			Action: &mail.Action{Label: "Read our terms", URL: siteOrigin + "/terms"},
			Reason: reason,
		}.Compose("account-disabled/"+u.ID.String()+"/"+at.UTC().Format(time.RFC3339Nano), u.Email)
	}
}

// Enabled tells the owner of an account that staff have put it back into use.
func Enabled(at time.Time) func(u account.User, siteOrigin string) (mail.Message, error) {
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		return mail.Email{
			Subject: "Your " + brand.Name + " account is enabled again",
			Preview: "You can sign in again.",
			Heading: "Your account is enabled again",
			Paragraphs: []string{
				"Our staff has enabled your account " + u.Email + " again, on " + at.UTC().Format(moment) + ". You can sign in, and everything is as it was; a plan renews again.",
			},
			Action: &mail.Action{Label: "Open my profile", URL: siteOrigin + "/profile"},
			Reason: reason,
		}.Compose("account-enabled/"+u.ID.String()+"/"+at.UTC().Format(time.RFC3339Nano), u.Email)
	}
}
