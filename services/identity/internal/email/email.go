// Package email has the emails about accounts.
package email

import (
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/mail"
)

// moment is how emails write a time: readers may be anywhere.
const moment = "2 January 2006 at 15:04 UTC"

func when(at time.Time) string { return at.UTC().Format(moment) }

// DeletionBegun tells the owner of an account until when its deletion can be taken back.
func DeletionBegun(u account.User, siteOrigin string) mail.Email {
	return deletion("deletion_begun", "deletion-begun", u, siteOrigin+"/signin")
}

// DeletionTakenBack tells the owner that the account stays. u is as it was before.
func DeletionTakenBack(u account.User, siteOrigin string) mail.Email {
	return deletion("deletion_taken_back", "deletion-taken-back", u, siteOrigin+"/profile")
}

// DeletionByStaff tells the owner of an account that staff delete it.
func DeletionByStaff(u account.User, siteOrigin string) mail.Email {
	return deletion("deletion_by_staff", "deletion-begun", u, siteOrigin+"/signin")
}

// DeletionOfDisabled tells the owner of a disabled account, who cannot sign in, that staff delete it.
func DeletionOfDisabled(u account.User, siteOrigin string) mail.Email {
	return withPayments(deletion("deletion_of_disabled", "deletion-begun", u, siteOrigin), siteOrigin)
}

// DeletionStopped tells the owner that staff have taken the deletion back. u is as it was before.
func DeletionStopped(u account.User, siteOrigin string) mail.Email {
	return deletion("deletion_stopped", "deletion-taken-back", u, siteOrigin+"/profile")
}

// deletion is an email about one request for a deletion, which names its key.
func deletion(template, kind string, u account.User, action string) mail.Email {
	return mail.Email{
		Template: template, Key: kind + "/" + u.ID.String() + "/" + u.EraseAt.UTC().Format(time.RFC3339Nano), To: u.Email,
		Values: map[string]string{"Until": when(u.EraseAt)}, Action: action,
	}
}

// Deleted is the last email to an account.
func Deleted(u account.User, siteOrigin string) mail.Email {
	return mail.Email{Template: "deleted", Key: DeletedKey(u.ID), To: u.Email, Action: siteOrigin}
}

// DeletedKey is the key of an account's last email.
func DeletedKey(id uuid.UUID) string { return "account-deleted/" + id.String() }
