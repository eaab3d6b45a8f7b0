// Package email has the emails about accounts.
package email

import (
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
)

// moment is how emails write a time: readers may be anywhere.
const moment = "2 January 2006 at 15:04 UTC"

const reason = "You get this email because it is about your " + brand.Name + " account."

// DeletionBegun tells the owner of an account until when its deletion can be taken back.
func DeletionBegun(u account.User, siteOrigin string) (mail.Message, error) {
	until := u.EraseAt.UTC().Format(moment)
	return mail.Email{
		Subject: "Your " + brand.Name + " account will be deleted",
		Preview: "You can keep it: sign in before " + until + ".",
		Heading: "Your account will be deleted",
		Paragraphs: []string{
			"Somebody who was signed in to your account asked us to delete it. You are signed out everywhere, and your plan does not renew.",
			whatGoes(until),
			"You want to keep it, or it was not you? Sign in before then, and nothing is deleted.",
		},
		Action: &mail.Action{Label: "Keep my account", URL: siteOrigin + "/signin"},
		Reason: reason,
	}.Compose(key("deletion-begun", u), u.Email)
}

// DeletionTakenBack tells the owner that the account stays. u is as it was before.
func DeletionTakenBack(u account.User, siteOrigin string) (mail.Message, error) {
	return mail.Email{
		Subject: "Your " + brand.Name + " account stays",
		Preview: "You signed in again, so nothing is deleted.",
		Heading: "Your account stays",
		Paragraphs: []string{
			"You signed in again, so your account is no longer going to be deleted. Everything is as it was.",
			"If it was not you who signed in, sign out everywhere on your profile page, and change the password of your Google or Apple account.",
		},
		Action: &mail.Action{Label: "Open my profile", URL: siteOrigin + "/profile"},
		Reason: reason,
	}.Compose(key("deletion-taken-back", u), u.Email)
}

// whatGoes tells what the end of an account means.
func whatGoes(until string) string {
	return "On " + until + " we erase the account for good: your plan ends, unused credits end, and your support tickets and your place on the waitlist are deleted. What tax law wants of past payments stays: in our books without your name, at Stripe with it."
}

// DeletionByStaff tells the owner of an account that staff delete it.
func DeletionByStaff(u account.User, siteOrigin string) (mail.Message, error) {
	until := u.EraseAt.UTC().Format(moment)
	return mail.Email{
		Subject: "Your " + brand.Name + " account will be deleted",
		Preview: "You can keep it: sign in before " + until + ".",
		Heading: "Your account will be deleted",
		Paragraphs: []string{
			"Our staff has begun to delete your account. You are signed out everywhere, and your plan does not renew.",
			whatGoes(until),
			"You want to keep it? Sign in before then, and nothing is deleted. Questions? Write to " + brand.SupportEmail + ".",
		},
		Action: &mail.Action{Label: "Keep my account", URL: siteOrigin + "/signin"},
		Reason: reason,
	}.Compose(key("deletion-begun", u), u.Email)
}

// DeletionOfDisabled tells the owner of a disabled account, who cannot sign in, that staff delete it.
func DeletionOfDisabled(u account.User, siteOrigin string) (mail.Message, error) {
	until := u.EraseAt.UTC().Format(moment)
	return mail.Email{
		Subject: "Your " + brand.Name + " account will be deleted",
		Preview: "It is disabled, and will be erased on " + until + ".",
		Heading: "Your account will be deleted",
		Paragraphs: []string{
			"Our staff has begun to delete your account, which is disabled.",
			whatGoes(until),
			"You want to keep it? Write to " + brand.SupportEmail + " before then.",
		},
		Action: &mail.Action{Label: "Go to " + brand.Name, URL: siteOrigin},
		Reason: reason,
	}.Compose(key("deletion-begun", u), u.Email)
}

// DeletionStopped tells the owner that staff have taken the deletion back. u is as it was before.
func DeletionStopped(u account.User, siteOrigin string) (mail.Message, error) {
	return mail.Email{
		Subject: "Your " + brand.Name + " account stays",
		Preview: "Our staff has stopped its deletion.",
		Heading: "Your account stays",
		Paragraphs: []string{
			"Our staff has stopped the deletion of your account. You can sign in again, and everything is as it was.",
			"You want it to be deleted? Sign in, and delete it on your profile page.",
		},
		Action: &mail.Action{Label: "Open my profile", URL: siteOrigin + "/profile"},
		Reason: reason,
	}.Compose(key("deletion-taken-back", u), u.Email)
}

// Deleted is the last email to an account.
func Deleted(u account.User, siteOrigin string) (mail.Message, error) {
	return mail.Email{
		Subject: "Your " + brand.Name + " account is deleted",
		Preview: "This is our last email to you.",
		Heading: "Your account is deleted",
		Paragraphs: []string{
			"Your account is being erased now, with everything that belongs to it. This cannot be taken back.",
			"You are welcome to start anew at any time: then we meet as strangers.",
		},
		Action: &mail.Action{Label: "Go to " + brand.Name, URL: siteOrigin},
		Reason: "You get this last email because your " + brand.Name + " account is deleted.",
	}.Compose(DeletedKey(u.ID), u.Email)
}

// DeletedKey is the key of an account's last email.
func DeletedKey(id uuid.UUID) string { return "account-deleted/" + id.String() }

// key names an email about one request for a deletion.
func key(kind string, u account.User) string {
	return kind + "/" + u.ID.String() + "/" + u.EraseAt.UTC().Format(time.RFC3339Nano)
}
