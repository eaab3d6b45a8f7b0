package email

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/mail"
)

//go:embed templates
var files embed.FS

// BuiltIn are the templates of the service, with a sample of each email.
func BuiltIn(siteOrigin string) mail.BuiltIn {
	return mail.BuiltIn{Files: files, Samples: samples(siteOrigin)}
}

func samples(siteOrigin string) []mail.Email {
	at := time.Date(2026, 12, 24, 9, 30, 0, 0, time.UTC)
	user := account.User{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Email: "person@fledge.example", EraseAt: at.AddDate(0, 0, 14)}
	phone, unknown := Device{Label: "Safari on iPhone", IPAddress: "198.51.100.7", At: at}, Device{Label: "Firefox on Linux", At: at}
	var all []mail.Email
	for _, write := range []func(account.User, string) mail.Email{
		DeletionBegun, DeletionTakenBack, DeletionByStaff, DeletionOfDisabled, DeletionStopped, Deleted,
		Disabled(at), Enabled(at), AddressTaken(at), AddressGiven(at), NewDevice(phone), NewDevice(unknown), ProviderLinked("apple", at), ProviderRemoved("apple", at),
		RoleChanged(account.RoleUser, account.RoleAdmin, 2, at), RoleChanged(account.RoleUser, account.RoleModerator, 2, at),
		RoleChanged(account.RoleAdmin, account.RoleModerator, 2, at), RoleChanged(account.RoleAdmin, account.RoleUser, 2, at),
		SecondFactorChanged(account.SecondFactorAdded, user.ID, at), SecondFactorChanged(account.SecondFactorRemoved, user.ID, at),
		SecondFactorChanged(account.RecoveryCodesCreated, user.ID, at), SecondFactorReset(at),
	} {
		all = append(all, write(user, siteOrigin))
	}
	return all
}
