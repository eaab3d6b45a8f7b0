package keyring

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"time"
)

// Purpose is what a key is for; a key never serves two.
type Purpose string

// The purposes.
const (
	AccessToken  Purpose = "access_token"
	RefreshToken Purpose = "refresh_token"
)

// Purposes returns all of them.
func Purposes() []Purpose { return []Purpose{AccessToken, RefreshToken} }

// State is a key's stage of life.
type State string

// A Next key is known everywhere before it is used, the one Active key of its
// purpose makes new tokens, and a Retired one is kept while tokens that it made
// can be alive. Then it is deleted.
const (
	Next    State = "next"
	Active  State = "active"
	Retired State = "retired"
)

// Key is a key as stored.
type Key struct {
	ID         string
	Purpose    Purpose
	State      State
	Sealed     []byte
	CreatedAt  time.Time
	StateSince time.Time
}

// Store keeps the keys.
type Store interface {
	// Keys returns all keys, the oldest first.
	Keys(ctx context.Context) ([]Key, error)
	// ChangeKeys hands all keys to decide, makes the stored ones what it returns,
	// and returns that. Only one caller at a time is between the two.
	ChangeKeys(ctx context.Context, decide func(have []Key) (want []Key, err error)) ([]Key, error)
}

// newKey makes a key of 256 random bits.
func (r *Ring) newKey(purpose Purpose, state State, now time.Time) Key {
	secret, id := make([]byte, secretSize), rand.Text()
	_, _ = rand.Read(secret) // never fails
	return Key{ID: id, Purpose: purpose, State: state, Sealed: r.sealer.seal(secret, id, purpose), CreatedAt: now, StateSince: now}
}

// secretSize is that of an Ed25519 seed, and of the refresh tokens' secret.
const secretSize = ed25519.SeedSize

func (k Key) in(state State, now time.Time) Key {
	k.State, k.StateSince = state, now
	return k
}

// find returns the first key of a purpose in a state.
func find(keys []Key, purpose Purpose, state State) (Key, bool) {
	for _, k := range keys {
		if k.Purpose == purpose && k.State == state {
			return k, true
		}
	}
	return Key{}, false
}
