package email

import (
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/mail"
)

var secondFactorTemplates = map[account.SecondFactorChange]string{
	account.SecondFactorAdded:    "second_factor_added",
	account.SecondFactorRemoved:  "second_factor_removed",
	account.RecoveryCodesCreated: "recovery_codes_created",
}

// SecondFactorChanged tells members of staff of what they did to their second factor. flow names
// the change.
func SecondFactorChanged(change account.SecondFactorChange, flow uuid.UUID, at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return func(u account.User, siteOrigin string) mail.Email {
		return secondFactor(secondFactorTemplates[change], "second-factor/"+u.ID.String()+"/"+string(change)+"/"+flow.String(), u, at, siteOrigin)
	}
}

// SecondFactorReset tells members of staff that another one has removed their second factor.
func SecondFactorReset(at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return func(u account.User, siteOrigin string) mail.Email {
		return secondFactor("second_factor_reset", "second-factor-reset/"+u.ID.String()+"/"+at.UTC().Format(time.RFC3339Nano), u, at, siteOrigin)
	}
}

func secondFactor(template, key string, u account.User, at time.Time, siteOrigin string) mail.Email {
	return mail.Email{
		Template: template, Key: key, To: u.Email, Values: map[string]string{"Account": u.Email, "At": when(at)},
		Action: siteOrigin + "/profile#second-factor",
	}
}
