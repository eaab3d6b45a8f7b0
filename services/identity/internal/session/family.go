package session

import (
	"bytes"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/token"
)

const (
	// Lifetime is how long a family lives at most, however often it refreshes.
	Lifetime = 30 * 24 * time.Hour
	// Grace is how long the leaf's direct parent still works after a rotation,
	// for tabs that refresh at the same time and answers that got lost.
	Grace = 10 * time.Second
)

// Revocation is why a family was ended early.
type Revocation string

// Reuse of a spent token ends the family alone: its thief and its owner cannot
// be told apart. Signing out ends the Kratos session behind it too.
const (
	SignedOut Revocation = "signed_out"
	Reused    Revocation = "reuse"
)

// Family is one signed-in browser or device.
type Family struct {
	ID   uuid.UUID
	User account.User
	// KratosSession is the browser's; uuid.Nil for a device of its own.
	KratosSession uuid.UUID
	Generation    int64
	LeafHash      []byte
	RotatedAt     time.Time
	ExpiresAt     time.Time
	// Revoked is empty while the family lives.
	Revoked Revocation
}

// Alive reports whether the family may have tokens at all.
func (f Family) Alive(now time.Time) bool {
	return f.Revoked == "" && now.Before(f.ExpiresAt) && !f.User.Disabled
}

// Leaf is the family's current refresh token.
func (f Family) Leaf() token.Refresh {
	return token.Refresh{Family: f.ID, Generation: f.Generation}
}

// verdict is what a presented refresh token deserves.
type verdict int

const (
	refuse verdict = iota
	rotate         // the leaf: make its child
	repeat         // the direct parent within the grace: the leaf again
	revoke         // spent: somebody has a copy
)

// judge decides on a genuine token of this family.
func (f Family) judge(presented token.Refresh, hash []byte, now time.Time) verdict {
	switch {
	case !f.Alive(now) || presented.Generation > f.Generation:
		return refuse
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
