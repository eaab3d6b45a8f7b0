package email

import (
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/mail"
)

// Device is one that has just been signed in.
type Device struct {
	// ID is its session family.
	ID uuid.UUID
	// Label such as "Safari on Mac".
	Label string
	// IPAddress may be empty.
	IPAddress string
	At        time.Time
}

// NewDevice tells the owner of an account that it was signed in to on a device not seen before.
func NewDevice(d Device) func(u account.User, siteOrigin string) (mail.Message, error) {
	return func(u account.User, siteOrigin string) (mail.Message, error) {
		where := d.Label + ", on " + d.At.UTC().Format(moment)
		if d.IPAddress != "" {
			where += ", from the network address " + d.IPAddress
		}
		return mail.Email{
			Subject: "New sign-in to your " + brand.Name + " account",
			Preview: d.Label + ". If it was you, there is nothing to do.",
			Heading: "New sign-in to your account",
			Paragraphs: []string{
				"Your account is now signed in on a device that we had not seen lately: " + where + ".",
				"It was you? Then there is nothing to do.",
				"It was not you? On your profile page, under \"Where you're signed in\", sign that device out, or sign out everywhere. Then change the password of your Google or Apple account: whoever it was could sign in with that.",
			},
			Action: &mail.Action{Label: "Look at my devices", URL: siteOrigin + "/profile#devices"},
			Reason: reason,
		}.Compose("new-device/"+d.ID.String(), u.Email)
	}
}
