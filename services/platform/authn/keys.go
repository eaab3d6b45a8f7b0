package authn

import (
	"context"
	"crypto"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

const (
	// keysFresh is how long a key set is used without asking again. Keys do not
	// rotate yet; rotation has to publish a key this long before signing with it.
	keysFresh = 10 * time.Minute
	// keysRetry bounds how often an unknown key id, which anybody can send, or a
	// failing source can cause a fetch.
	keysRetry = 10 * time.Second
)

// KeySource returns the current JSON Web Key Set (RFC 7517) as JSON.
type KeySource func(ctx context.Context) ([]byte, error)

// Keys caches the key set: one fetch at a time, and the last good set serves on
// while the source is down.
type Keys struct {
	source KeySource
	clock  clock.Clock
	flight singleflight.Group

	mu      sync.Mutex
	set     map[string]crypto.PublicKey
	fetched time.Time
	tried   time.Time
}

// NewKeys returns an empty cache over source.
func NewKeys(source KeySource, clk clock.Clock) *Keys { return &Keys{source: source, clock: clk} }

// Find returns the public key with the given id. It fails with ErrBadToken when
// there is no such key, and Unavailable when no key set was ever had.
func (k *Keys) Find(ctx context.Context, kid string) (crypto.PublicKey, error) {
	key, fetch := k.lookup(kid)
	if fetch {
		if err := k.refresh(ctx); err != nil && !k.loaded() {
			return nil, fault.New(fault.Unavailable, "keys_unavailable", "Signing in is not available right now. Please try again.").
				RetryAfter(time.Second).Wrap(err)
		}
		key, _ = k.lookup(kid)
	}
	if key == nil {
		return nil, ErrBadToken
	}
	return key, nil
}

func (k *Keys) lookup(kid string) (key crypto.PublicKey, fetch bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock.Now()
	key = k.set[kid]
	stale := now.Sub(k.fetched) >= keysFresh || key == nil
	return key, stale && (k.set == nil || now.Sub(k.tried) >= keysRetry)
}

func (k *Keys) loaded() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.set != nil
}

func (k *Keys) refresh(ctx context.Context) error {
	_, err, _ := k.flight.Do("", func() (any, error) {
		// The fetch serves everybody who waits, so one caller's end must not end it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		set, err := k.fetch(ctx)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.tried = k.clock.Now()
		if err == nil {
			k.set, k.fetched = set, k.tried
		}
		return nil, err
	})
	return err
}

func (k *Keys) fetch(ctx context.Context) (map[string]crypto.PublicKey, error) {
	doc, err := k.source(ctx)
	if err != nil {
		return nil, fmt.Errorf("authn: fetch keys: %w", err)
	}
	var jwks jose.JSONWebKeySet
	if err := json.Unmarshal(doc, &jwks); err != nil {
		return nil, fmt.Errorf("authn: decode keys: %w", err)
	}
	set := make(map[string]crypto.PublicKey, len(jwks.Keys))
	for _, key := range jwks.Keys {
		if key.Valid() && key.IsPublic() && key.Algorithm == Algorithm {
			set[key.KeyID] = key.Key
		}
	}
	return set, nil
}
