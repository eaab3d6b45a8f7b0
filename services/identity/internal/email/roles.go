package email

import (
	"strconv"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
)

// may says what each role of the staff opens.
var may = map[account.Role]string{
	account.RoleAdmin: "As an admin you can use the whole admin dashboard: answer support tickets, manage people, their roles and the waitlist, " +
		"release new versions of the Mac app, and read what staff has changed.",
	account.RoleModerator: "As a moderator you can read support tickets and answer them, and look at people and the waitlist. Everything else is for admins.",
}

// titles are the roles in a sentence.
var titles = map[account.Role]string{account.RoleAdmin: "an admin", account.RoleModerator: "a moderator"}

// RoleChanged tells the owner of an account what they may do from now on. version is the one of the
// account's roles; one of the two roles is the staff's.
func RoleChanged(before, after account.Role, version int64, at time.Time) func(u account.User, siteOrigin string) (mail.Message, error) {
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		when := "on " + at.UTC().Format(moment)
		unexpected := "You did not expect this? Write to " + brand.SupportEmail + "."
		m := mail.Email{
			Subject:    "You are now " + titles[after] + " of " + brand.Name,
			Preview:    "The admin dashboard is open to your account.",
			Heading:    "You are now " + titles[after],
			Paragraphs: []string{"Your account " + u.Email + " was made " + titles[after] + " of " + brand.Name + ", " + when + ".", may[after], unexpected},
			Action:     &mail.Action{Label: "Open the admin dashboard", URL: siteOrigin + "/admin"},
			Reason:     reason,
		}
		switch {
		case after == account.RoleUser:
			m.Subject = "You are no longer " + titles[before] + " of " + brand.Name
			m.Preview = "The admin dashboard is closed to your account."
			m.Heading = "You are no longer " + titles[before]
			m.Paragraphs = []string{
				"The role of " + titles[before] + " of " + brand.Name + " was taken from your account " + u.Email + ", " + when + ".",
				"You can no longer use the admin dashboard. Nothing else changes: you stay signed in, and your plan, credits and tickets stay as they are.",
				unexpected,
			}
			m.Action = &mail.Action{Label: "Open my profile", URL: siteOrigin + "/profile"}
		case before == account.RoleAdmin:
			m.Paragraphs[0] = "Your account " + u.Email + " is no longer an admin of " + brand.Name + " but " + titles[after] + ", since " + at.UTC().Format(moment) + "."
		}
		return m.Compose("role-changed/"+u.ID.String()+"/"+strconv.FormatInt(version, 10), u.Email)
	}
}
