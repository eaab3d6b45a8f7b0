package email

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/invitation"
)

//go:embed templates
var files embed.FS

// BuiltIn are the templates of the service, with a sample of each email.
func BuiltIn(siteOrigin string) mail.BuiltIn {
	return mail.BuiltIn{Files: files, Samples: samples(siteOrigin)}
}

func samples(siteOrigin string) []mail.Email {
	id := uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8")
	e := entry.Entry{ID: id, Version: 2, Email: entry.StoredEmail("person@fledge.example"), ClaimedBy: id, ClaimedEmail: "x7k2@relay.example"}
	e.EndsAt = invitation.End(time.Date(2026, time.December, 10, 0, 0, 0, 0, time.UTC), 14*24*time.Hour)
	signUp := SignUp{ID: id, Email: e.Email.String(), Token: id, Emails: 1, EndsAt: e.EndsAt}
	all := []mail.Email{Claimed(e, siteOrigin), Confirm(signUp, siteOrigin)}
	// Invitations end only where an installation says so.
	for _, e.EndsAt = range []time.Time{{}, e.EndsAt} {
		all = append(all, Approval(e, siteOrigin, "sample", "sample"), Reminder(e, siteOrigin, "sample", "sample"))
	}
	return all
}
