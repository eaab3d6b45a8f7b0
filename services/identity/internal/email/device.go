package email

import (
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
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
func NewDevice(d Device) func(u account.User, siteOrigin string) mail.Email {
	return func(u account.User, siteOrigin string) mail.Email {
		return mail.Email{
			Template: "new_device", Key: "new-device/" + d.ID.String(), To: u.Email,
			Values: map[string]string{"Device": d.Label, "At": when(d.At), "IPAddress": d.IPAddress},
			Action: siteOrigin + "/profile#devices",
		}
	}
}
