package authntest

import (
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fledge.dev/services/platform/authn"
)

// Caller is one kind of client, as an authorisation matrix tells them apart.
type Caller string

// The kinds of callers.
const (
	// Nobody sends no token.
	Nobody Caller = "nobody"
	// Expired, Garbage, ForeignIssuer and ForeignKey send a token that is not
	// worth anything, or not any more. The last two stand for an admin.
	Expired       Caller = "an expired token"
	Garbage       Caller = "garbage"
	ForeignIssuer Caller = "a foreign issuer"
	ForeignKey    Caller = "a foreign key"
	// UserU and UserV are two people without a role.
	UserU Caller = "a user"
	UserV Caller = "another user"
	// Moderator holds the role that opens the staff's methods, but for the admins'.
	Moderator Caller = "a moderator"
	Admin     Caller = "an admin"
	// Disabled is an admin whose account was disabled.
	Disabled Caller = "a disabled admin"
	// SignedOut is an admin whose session has ended, with a token that has not.
	SignedOut Caller = "a signed-out admin"
	// AdminMac is an admin on a Mac, with a sign-in that is fresh.
	AdminMac Caller = "an admin's Mac"
	// OldAdmin and EarlierAdmin are admins in a browser who signed in 13 hours and 16 minutes ago.
	OldAdmin     Caller = "an admin who signed in 13 hours ago"
	EarlierAdmin Caller = "an admin who signed in 16 minutes ago"
	// OneFactor is an admin who has not verified the second factor that the installation requires.
	OneFactor Caller = "an admin without the second factor"
	// Server is a server of ours, which is no person.
	Server Caller = "a server"
)

// Callers makes one caller of each kind and returns their tokens; Nobody's is "".
func (i *Issuer) Callers() map[Caller]string {
	i.t.Helper()
	_, u := i.User("u@example.com")
	_, v := i.User("v@example.com")
	_, moderator := i.Moderator("moderator@example.com")
	adminID, admin := i.Admin("admin@example.com")
	disabledID, disabled := i.Admin("disabled@example.com")
	i.Disable(disabledID)
	leftID, left := i.Admin("left@example.com")
	i.SignOut(leftID)
	macID, mac := i.Admin("mac@example.com")
	i.UseMac(macID)
	oldID, old := i.Admin("old@example.com")
	i.SignedInAgo(oldID, 13*time.Hour)
	earlierID, earlier := i.Admin("earlier@example.com")
	i.SignedInAgo(earlierID, 16*time.Minute)
	oneID, one := i.Admin("one@example.com")
	i.RequireSecondFactor(oneID)
	other := New(i.t, i.clock)
	other.kid = i.kid
	return map[Caller]string{
		Nobody: "", Garbage: "x.y.z", UserU: u, UserV: v, Moderator: moderator, Admin: admin, Disabled: disabled, SignedOut: left,
		AdminMac: mac, OldAdmin: old, EarlierAdmin: earlier, OneFactor: one, Server: i.Server("builder"),
		Expired: i.Token(adminID, "admin@example.com", func(c *authn.Claims, _ map[string]any) {
			c.ExpiresAt = jwt.NewNumericDate(i.clock.Now().Add(-time.Minute))
		}),
		ForeignIssuer: i.Token(adminID, "admin@example.com", func(c *authn.Claims, _ map[string]any) { c.Issuer = "https://evil.example" }),
		ForeignKey:    other.Token(adminID, "admin@example.com", nil),
	}
}
