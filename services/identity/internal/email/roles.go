package email

import (
	"strconv"
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/mail"
)

// titles are the roles in a sentence.
var titles = map[account.Role]string{account.RoleAdmin: "an admin", account.RoleModerator: "a moderator"}

// RoleChanged tells the owner of an account what they may do from now on. version is the one of the
// account's roles; one of the two roles is the staff's.
func RoleChanged(before, after account.Role, version int64, at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return func(u account.User, siteOrigin string) mail.Email {
		e := mail.Email{
			Template: "now_admin", Key: "role-changed/" + u.ID.String() + "/" + strconv.FormatInt(version, 10), To: u.Email,
			Values: map[string]string{"Account": u.Email, "At": when(at)}, Action: siteOrigin + "/admin",
		}
		switch after {
		case account.RoleModerator:
			e.Template, e.Values["WasAdmin"] = "now_moderator", ""
			if before == account.RoleAdmin {
				e.Values["WasAdmin"] = "true"
			}
		case account.RoleUser:
			e.Template, e.Values["Role"], e.Action = "no_longer_staff", titles[before], siteOrigin+"/profile"
		}
		return e
	}
}
