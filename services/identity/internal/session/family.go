package session

import (
	"bytes"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
)

const (
	// Lifetime is how long a family lives at most, however often it refreshes,
	// and how long a sign-in at Kratos opens one.
	Lifetime = token.RefreshLifetime
	// Grace is how long the leaf's direct parent still works after a rotation,
	// for tabs that refresh at the same time and answers that got lost.
	Grace = 30 * time.Second
	// MaxPerKind is how many browsers, and how many Macs, an account may be signed
	// in on at the same time. One more ends the least recently used of its kind.
	MaxPerKind = 50
)

// Revocation is why a family was ended early.
type Revocation string

// Reuse of a spent token ends the family alone: its thief and its owner cannot
// be told apart. Everything else ends the Kratos session behind it too.
const (
	SignedOut Revocation = "signed_out"
	Reused    Revocation = "reuse"
	Displaced Revocation = "displaced"
	// What changed in Kratos ends families too, see the projection package.
	Disabled    Revocation = "disabled"
	KratosEnded Revocation = "kratos_ended"
)

// AAL is the authenticator assurance level of NIST SP 800-63B: how strongly a person proved who they are.
type AAL int16

// The levels: a provider vouches for the person, who may have verified a second factor, too.
const (
	AAL1 AAL = 1
	AAL2 AAL = 2
)

// Family is one signed-in browser or Mac.
type Family struct {
	ID   uuid.UUID
	User account.User
	// KratosSession is the browser's; uuid.Nil for a Mac.
	KratosSession uuid.UUID
	Device        Device
	Generation    int64
	LeafHash      []byte
	RotatedAt     time.Time
	CreatedAt     time.Time
	// AuthenticatedAt is when the person proved to a provider who they are. A Mac's is that of
	// the browser that handed its sign-in over. Proving it again opens another family.
	AuthenticatedAt time.Time
	// AAL is AAL1 on a Mac.
	AAL AAL
	// LastActiveAt is the minute in which it last got a token.
	LastActiveAt time.Time
	ExpiresAt    time.Time
	// Revoked is empty while the family lives.
	Revoked Revocation
}

// newFamily starts a family whose leaf is not made yet.
func newFamily(user account.User, d Device, now time.Time) Family {
	// It fails without randomness, and then nothing here may go on.
	id := uuid.Must(uuid.NewV7())
	f := Family{ID: id, User: user, Device: d, AAL: AAL1, RotatedAt: now, CreatedAt: now, ExpiresAt: now.Add(Lifetime)}
	f.used(now)
	return f
}

// Kind of a family.
type Kind string

// The kinds.
const (
	Browser Kind = "browser"
	Mac     Kind = "mac"
)

// Kind tells a browser from a Mac.
func (f Family) Kind() Kind {
	if f.KratosSession == uuid.Nil {
		return Mac
	}
	return Browser
}

// Alive reports whether the family may have tokens at all.
func (f Family) Alive(now time.Time) bool {
	return f.Revoked == "" && now.Before(f.ExpiresAt) && !f.User.Disabled
}

// usedBy notes the minute, and in a new one where the device is and what it says of itself. It
// reports whether the minute is new.
func (f *Family) usedBy(d Device, now time.Time) bool {
	if !f.used(now) {
		return false
	}
	f.Device.IPAddress = d.IPAddress
	if d.UserAgent != "" {
		f.Device.UserAgent = d.UserAgent
	}
	return true
}

// used notes the minute, and reports whether it is a new one.
func (f *Family) used(now time.Time) bool {
	minute := now.Truncate(time.Minute)
	if !minute.After(f.LastActiveAt) {
		return false
	}
	f.LastActiveAt = minute
	return true
}

// Leaf is the family's current refresh token.
func (f Family) Leaf() token.Refresh {
	return token.Refresh{Family: f.ID, Generation: f.Generation}
}

// Fresh reports whether the person has signed in lately enough for what cannot be undone.
func (f Family) Fresh(now time.Time) bool { return now.Sub(f.AuthenticatedAt) <= authn.FreshFor }

// verdict is how to respond to a presented refresh token.
type verdict int

const (
	refuse verdict = iota
	rotate         // the leaf, or a newer one that the database has lost: make its child
	repeat         // the direct parent within the grace: the leaf again
	revoke         // spent: somebody has a copy
)

// verify checks a genuine token of this family: rotation, replay within the grace period, reuse.
func (f Family) verify(presented token.Refresh, hash []byte, now time.Time) verdict {
	switch {
	case !f.Alive(now):
		return refuse
	// The database has gone back: to a replica that was behind, or to a backup.
	case presented.Generation > f.Generation:
		return rotate
	case presented.Generation == f.Generation:
		if !bytes.Equal(hash, f.LeafHash) {
			return refuse
		}
		return rotate
	case presented.Generation == f.Generation-1 && now.Sub(f.RotatedAt) <= Grace:
		return repeat
	default:
		return revoke
	}
}
