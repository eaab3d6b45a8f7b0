// Package keyring keeps the service's keys: the Ed25519 pair that signs access
// tokens and the secret that refresh tokens derive from. They live in the
// database, sealed, so that all replicas agree; the first one to start makes them.
package keyring

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/service"
)

// Purpose is what a key is for; a key never serves two.
type Purpose string

// The purposes.
const (
	AccessToken  Purpose = "access_token"
	RefreshToken Purpose = "refresh_token"
)

// State is a key's stage of life.
type State string

// Nothing moves a key from one state to another yet: every key is made Active and
// stays so. The states are there so that rotation can come without a migration:
// the ring publishes a Next key before it signs, signs with the Active one, and
// publishes a Retired one while tokens that it signed can be alive.
const (
	Next    State = "next"
	Active  State = "active"
	Retired State = "retired"
)

// retiredFor is how long a retired signing key stays published: the life of an
// access token and the time that verifiers cache the key set, doubled.
const retiredFor = 40 * time.Minute

const refreshSecretSize = 32

// Key is a key as stored.
type Key struct {
	ID         string
	Purpose    Purpose
	State      State
	Sealed     []byte
	CreatedAt  time.Time
	StateSince time.Time
}

// Store keeps the keys. EnsureKeys reads all of them, adds those that missing
// returns, and gives back the whole; no two callers are between reading and
// adding at the same time.
type Store interface {
	EnsureKeys(ctx context.Context, missing func(have []Key) ([]Key, error)) ([]Key, error)
}

// Ring is the opened keys. Use it after its unit has started.
type Ring struct {
	store  Store
	sealer *Sealer
	clock  clock.Clock

	kid     string
	signing ed25519.PrivateKey
	refresh []byte
	jwks    []byte
}

// New returns a ring without keys.
func New(store Store, sealer *Sealer, clk clock.Clock) *Ring {
	return &Ring{store: store, sealer: sealer, clock: clk}
}

// Unit opens the ring. It fails when the keys were sealed under another
// encryption key: starting with new ones would sign everybody out.
func (r *Ring) Unit() service.Unit {
	return service.Unit{Name: "keyring", Start: func(ctx context.Context) (func(context.Context) error, error) {
		return nil, r.Open(ctx)
	}}
}

// Open reads the keys and makes the missing ones.
func (r *Ring) Open(ctx context.Context) error {
	keys, err := r.store.EnsureKeys(ctx, r.missing)
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, k := range keys {
		secret, err := r.sealer.open(k.Sealed, k.ID, k.Purpose)
		if err != nil {
			return fmt.Errorf("keyring: key %s %w", k.ID, err)
		}
		switch k.Purpose {
		case RefreshToken:
			if k.State == Active {
				r.refresh = secret
			}
		case AccessToken:
			private := ed25519.NewKeyFromSeed(secret)
			if k.State == Active {
				r.kid, r.signing = k.ID, private
			}
			if k.State != Retired || r.clock.Now().Sub(k.StateSince) < retiredFor {
				set.Keys = append(set.Keys, jose.JSONWebKey{KeyID: k.ID, Algorithm: authn.Algorithm, Use: "sig", Key: private.Public()})
			}
		}
	}
	r.jwks, err = json.Marshal(set)
	return err
}

// missing makes a first active key for each purpose that has none.
func (r *Ring) missing(have []Key) ([]Key, error) {
	var made []Key
	for purpose, size := range map[Purpose]int{AccessToken: ed25519.SeedSize, RefreshToken: refreshSecretSize} {
		if hasActive(have, purpose) {
			continue
		}
		secret := make([]byte, size)
		if _, err := rand.Read(secret); err != nil {
			return nil, err
		}
		id, now := rand.Text(), r.clock.Now()
		made = append(made, Key{
			ID: id, Purpose: purpose, State: Active, Sealed: r.sealer.seal(secret, id, purpose), CreatedAt: now, StateSince: now,
		})
	}
	return made, nil
}

func hasActive(keys []Key, purpose Purpose) bool {
	for _, k := range keys {
		if k.Purpose == purpose && k.State == Active {
			return true
		}
	}
	return false
}

// Signing returns the key that signs access tokens, and its id.
func (r *Ring) Signing() (kid string, key ed25519.PrivateKey) { return r.kid, r.signing }

// RefreshSecret returns the secret that refresh tokens derive from.
func (r *Ring) RefreshSecret() []byte { return r.refresh }

// RefreshSecrets returns the secrets that refresh tokens are made under.
func (r *Ring) RefreshSecrets() token.Secrets { return token.NewSecrets(r.refresh) }

// JWKS returns the public keys as a JSON Web Key Set (RFC 7517, RFC 8037).
func (r *Ring) JWKS() []byte { return r.jwks }
