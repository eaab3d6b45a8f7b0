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
	// KeysFresh is the max-age of the published set, in caches on the way and at
	// verifiers of others. The issuer therefore publishes a key for longer than twice
	// this before it signs with it.
	KeysFresh = 10 * time.Minute
	// keysAsk is how long a key set is used here without asking again. With the half minute in
	// which the issuer's replicas notice, a key that was withdrawn opens nothing after a minute.
	keysAsk = 20 * time.Second
	// keysRetry bounds how often an unknown key id, which anybody can send, or a
	// failing source can cause a fetch.
	keysRetry = 10 * time.Second
	// keysTimeout bounds one fetch, and keysWait how long somebody waits for it
	// whose key is known already.
	keysTimeout = 3 * time.Second
	keysWait    = 500 * time.Millisecond
)

// KeySource returns the current JSON Web Key Set (RFC 7517) as JSON.
type KeySource func(ctx context.Context) ([]byte, error)

// Keys caches the key set: one fetch at a time, and the last good set serves on
// while the source is down. Safe for concurrent use.
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
// there is no such key, and Unavailable when that cannot be told because no
// current key set can be had.
func (k *Keys) Find(ctx context.Context, kid string) (crypto.PublicKey, error) {
	key, fresh := k.lookup(kid)
	if key != nil && fresh {
		return key, nil
	}
	err := k.refresh(ctx, key != nil)
	key, fresh = k.lookup(kid)
	switch {
	case key != nil:
		return key, nil
	case fresh:
		return nil, ErrBadToken
	}
	return nil, fault.New(fault.Unavailable, "keys_unavailable", "Signing in is not available right now. Please try again.").
		RetryAfter(time.Second).Wrap(err)
}

func (k *Keys) lookup(kid string) (key crypto.PublicKey, fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.set[kid], k.set != nil && k.clock.Now().Sub(k.fetched) < keysAsk
}

// due reports whether the source may be asked again.
func (k *Keys) due() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.set == nil || k.clock.Now().Sub(k.tried) >= keysRetry
}

// refresh fetches the set if that is due, and waits for the outcome.
func (k *Keys) refresh(ctx context.Context, known bool) error {
	if !k.due() {
		return nil
	}
	fetched := k.flight.DoChan("", func() (any, error) {
		if !k.due() {
			return nil, nil // the flight before this one has just landed
		}
		// The fetch serves everybody who waits, so one caller's end must not end it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysTimeout)
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
	wait := keysTimeout
	if known {
		wait = keysWait
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case result := <-fetched:
		return result.Err
	case <-timer.C:
		return context.DeadlineExceeded
	case <-ctx.Done():
		return ctx.Err()
	}
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
