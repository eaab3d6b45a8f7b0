// Package keyring manages the service's keys: the Ed25519 pair that signs access tokens and
// the secret from which refresh tokens are derived. They are stored in the database,
// encrypted, so that all replicas agree, and are rotated without interruption: see Lead,
// KeptAccess and KeptRefresh.
package keyring

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/clock"
)

// Ring is the opened keys. Use it after Open, from any number of goroutines:
// each method answers from one reading of the keys.
type Ring struct {
	store  Store
	sealer *Sealer
	clock  clock.Clock
	config Config

	current atomic.Pointer[snapshot]
	failed  atomic.Int64 // reloads

	reloading sync.Mutex
	opened    time.Time // the first time
}

// New returns a ring without keys. Its keys change by command alone, until
// Scheduled says otherwise.
func New(store Store, sealer *Sealer, clk clock.Clock) *Ring {
	return &Ring{store: store, sealer: sealer, clock: clk}
}

// Scheduled makes the ring follow a schedule. Call it before Open.
func (r *Ring) Scheduled(c Config) *Ring {
	r.config = c
	return r
}

// Open reads the keys, brings their states up to date and makes missing ones.
// Call it again to reload; when it fails the ring stays as it was. It fails when
// keys were sealed under another encryption key: starting with new ones would
// sign everybody out.
func (r *Ring) Open(ctx context.Context) error {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	if r.opened.IsZero() {
		r.opened = r.clock.Now()
	}
	keys, err := r.store.Keys(ctx)
	if err != nil {
		return fmt.Errorf("keyring: %w", err)
	}
	if !same(keys, r.advance(keys)) {
		// Decided again under the lock: another replica may have been first.
		keys, err = r.store.ChangeKeys(ctx, func(have []Key) ([]Key, error) { return r.advance(have), nil })
		if err != nil {
			return fmt.Errorf("keyring: %w", err)
		}
	}
	opened, err := r.sealer.openAll(keys)
	if err != nil {
		return err
	}
	opened.read = r.clock.Now()
	r.current.Store(opened)
	return nil
}

// Signing returns the key that signs access tokens, and its id.
func (r *Ring) Signing() (kid string, key ed25519.PrivateKey) {
	s := r.current.Load()
	return s.kid, s.signing
}

// RefreshSecrets returns the secrets that refresh tokens are made under.
func (r *Ring) RefreshSecrets() token.Secrets { return r.current.Load().refresh }

// JWKS returns the public keys as a JSON Web Key Set (RFC 7517, RFC 8037).
func (r *Ring) JWKS() []byte { return r.current.Load().jwks }
