package email

import (
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/mail"
)

// Disabled tells the owner of an account that staff have disabled it. They cannot read it on the site.
func Disabled(at time.Time) func(u account.User, siteOrigin string) mail.Email {
	disabled := state("disabled", "account-disabled", at, "/terms")
	return func(u account.User, siteOrigin string) mail.Email {
		return withPayments(disabled(u, siteOrigin), siteOrigin)
	}
}

// withPayments names the page on which who cannot sign in here gets to the invoices.
func withPayments(e mail.Email, siteOrigin string) mail.Email {
	e.Values["Payments"] = siteOrigin + "/api/stripe-portal"
	return e
}

// Enabled tells the owner of an account that staff have put it back into use.
func Enabled(at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return state("enabled", "account-enabled", at, "/profile")
}

func state(template, kind string, at time.Time, page string) func(u account.User, siteOrigin string) mail.Email {
	return func(u account.User, siteOrigin string) mail.Email {
		return mail.Email{
			Template: template, Key: kind + "/" + u.ID.String() + "/" + at.UTC().Format(time.RFC3339Nano), To: u.Email,
			Values: map[string]string{"Account": u.Email, "At": when(at)}, Action: siteOrigin + page,
		}
	}
}
