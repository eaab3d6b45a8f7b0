package email

import (
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
)

// SecondFactorChanged tells members of staff of what they did to their second factor. flow names
// the change.
func SecondFactorChanged(change account.SecondFactorChange, flow uuid.UUID, at time.Time) func(u account.User, siteOrigin string) (mail.Message, error) {
	said := changes[change]
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		return mail.Email{
			Subject: said.subject,
			Preview: said.preview,
			Heading: said.heading,
			Paragraphs: []string{
				"On " + at.UTC().Format(moment) + " " + said.what + " of your account " + u.Email + ". " + said.means,
				"It was you? Then there is nothing to do.",
				"It was not you? Tell another admin at once, and change the passwords of your Google and Apple accounts.",
			},
			Action: secondFactor(siteOrigin),
			Reason: reason,
		}.Compose("second-factor/"+u.ID.String()+"/"+string(change)+"/"+flow.String(), u.Email)
	}
}

var changes = map[account.SecondFactorChange]struct{ subject, preview, heading, what, means string }{
	account.SecondFactorAdded: {
		subject: "Your " + brand.Name + " account has a second factor",
		preview: "The staff pages can ask for a code of your authenticator app.",
		heading: "Your account has a second factor",
		what:    "an authenticator app became the second factor",
		means:   "The staff pages can ask for its code after a sign-in.",
	},
	account.SecondFactorRemoved: {
		subject: "The second factor of your " + brand.Name + " account was removed",
		preview: "The authenticator app and the recovery codes no longer work.",
		heading: "Your second factor was removed",
		what:    "the authenticator app was removed as the second factor",
		means:   "Neither its codes nor the recovery codes work any more.",
	},
	account.RecoveryCodesCreated: {
		subject: "Your " + brand.Name + " account has new recovery codes",
		preview: "Each of them replaces your authenticator app once.",
		heading: "Your account has new recovery codes",
		what:    "new recovery codes were created for the second factor",
		means:   "Each of them replaces the authenticator app once; older ones no longer work. Keep them where your phone is not.",
	},
}

// SecondFactorReset tells members of staff that another one has removed their second factor.
func SecondFactorReset(at time.Time) func(u account.User, siteOrigin string) (mail.Message, error) {
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		return mail.Email{
			Subject: "The second factor of your " + brand.Name + " account was reset",
			Preview: "You are signed out everywhere. Set it up again on your profile page.",
			Heading: "Your second factor was reset",
			Paragraphs: []string{
				"On " + at.UTC().Format(moment) + " another admin or the operator removed the authenticator app of your account " + u.Email + ", with its recovery codes. You are signed out everywhere.",
				"Sign in, and set up your app again on your profile page.",
				"You have not asked for that? Talk to the other admins.",
			},
			Action: secondFactor(siteOrigin),
			Reason: reason,
		}.Compose("second-factor-reset/"+u.ID.String()+"/"+at.UTC().Format(time.RFC3339Nano), u.Email)
	}
}

func secondFactor(siteOrigin string) *mail.Action {
	return &mail.Action{Label: "Open my profile", URL: siteOrigin + "/profile#second-factor"}
}
