// Package account models an account: the record, the roles, and whether it may act. It
// does no I/O.
package account

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/authn"
)

// User is a person. Times are UTC.
type User struct {
	// ID is the Kratos identity's.
	ID uuid.UUID
	// Email is verified and lower-cased.
	Email string
	// Provider is the one of the latest sign-in, "google" or "apple"; Identities
	// are the ones that are linked, sorted: sign-ins add theirs, and the full reconciliation drops
	// those that were unlinked in Kratos.
	Provider   string
	Identities []string
	// Disabled accounts keep their record and get no session. DisabledAt and DisabledBecause tell
	// since when and why; zero for others.
	Disabled        bool
	DisabledAt      time.Time
	DisabledBecause Reason
	// EraseAt is when a disabled account is erased, unless its owner takes that back; zero if
	// nobody wants that.
	EraseAt          time.Time
	EmailConfirmedAt time.Time
	// EmailOffSince is when the person had the relay of their address at Apple stop; zero if emails arrive.
	EmailOffSince time.Time
	CreatedAt     time.Time
	LastSignInAt  time.Time
	SignedOut     SignOut
}

// SignOut is the last sign-out everywhere of an account.
type SignOut struct {
	// At is when, by the database's clock; zero if there was none.
	At time.Time
	// AtKratos reports that Kratos has ended all sessions for it.
	AtKratos bool
}

// Deleting reports whether the account is to be deleted.
func (u User) Deleting() bool { return !u.EraseAt.IsZero() }

// SignIn is one sign-in as Kratos reports it. The same one may be reported many times.
type SignIn struct {
	UserID uuid.UUID
	Email  string
	// Provider may be empty where Kratos does not say.
	Provider string
	// Identities may be empty where nobody asked.
	Identities  []string
	ConfirmedAt time.Time
	At          time.Time
	// CreatedAt is when Kratos made the identity; zero where nobody asked.
	CreatedAt time.Time
}

// Providers are the sign-in's providers: the one used and the ones known.
func (s SignIn) Providers() []string {
	all := append(slices.Clone(s.Identities), s.Provider)
	all = slices.DeleteFunc(all, func(p string) bool { return p == "" })
	slices.Sort(all)
	return slices.Compact(all)
}

// Access answers whether an account may act, in which standing, and as what.
type Access struct {
	// SignedIn is false once the session family that was asked about has ended.
	SignedIn bool
	Active   bool
	Roles    []Role
	// Browser is true in a browser's family, false in a Mac's, and once the family has ended.
	Browser bool
	// AuthenticatedAt is when the person signed in, see session.Family.
	AuthenticatedAt time.Time
	// SecondFactor is true in a family that has verified one.
	SecondFactor bool
}

// IsAdmin reports whether the account may act as an admin.
func (a Access) IsAdmin() bool {
	return a.SignedIn && a.Active && slices.Contains(a.Roles, RoleAdmin)
}

// IsModerator reports whether the account may act as a moderator.
func (a Access) IsModerator() bool {
	return a.SignedIn && a.Active && slices.Contains(a.Roles, RoleModerator)
}

// Rights are what the product's guards decide by, where staff needs a second factor or not.
func (a Access) Rights(now time.Time, secondFactor bool) authn.Rights {
	age := now.Sub(a.AuthenticatedAt)
	isStaff := a.IsAdmin() || a.IsModerator()
	return authn.Rights{
		SignedIn: a.SignedIn, Active: a.Active, Admin: a.IsAdmin(), Moderator: a.IsModerator(),
		StaffSession: a.Browser && age <= authn.StaffFor, Fresh: age <= authn.FreshFor,
		SecondFactorMissing: secondFactor && isStaff && !a.SecondFactor,
	}
}

// Admins are the addresses of the bootstrap setting. Each becomes an admin at a sign-in, once: an
// address does not regain a lost role.
type Admins map[string]bool

// NewAdmins takes the addresses in the spelling of package address, and drops what is none.
func NewAdmins(emails []string) Admins {
	admins := Admins{}
	for _, e := range emails {
		if accepted, err := address.Parse(e); err == nil {
			admins[accepted] = true
		}
	}
	return admins
}
