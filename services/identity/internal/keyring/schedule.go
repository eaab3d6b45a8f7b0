package keyring

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
)

const (
	// ReloadInterval is how often every replica reads the keys again.
	ReloadInterval = 30 * time.Second
	// slack is for replicas whose clocks differ and reloads that fail.
	slack = 4*time.Minute + 30*time.Second
	// cached is how long a key set may be on its way to a signature's check: in an
	// HTTP cache, and after that in a verifier.
	cached = 2 * authn.KeysFresh

	// Lead is how long a key is published before it signs, so that no verifier
	// meets a key it has not heard of.
	Lead = cached + ReloadInterval + slack
	// KeptAccess is how long a retired signing key stays published: a replica may
	// have signed with it until its next reload, and clocks may differ.
	KeptAccess = token.AccessLifetime + authn.Leeway + cached + ReloadInterval + slack
	// KeptRefresh is how long a retired secret still reads refresh tokens: until
	// the families that hold them must have ended.
	KeptRefresh = token.RefreshLifetime + ReloadInterval + slack

	minInterval = time.Hour
)

// Config is the schedule's settings.
type Config struct {
	// RotationInterval is how long a key makes new tokens; 0 changes keys by
	// command alone.
	RotationInterval time.Duration `env:"KEY_ROTATION_INTERVAL" envDefault:"720h"`
}

// Validate checks the bounds.
func (c Config) Validate() error {
	if c.RotationInterval != 0 && c.RotationInterval < minInterval {
		return errors.New("KEY_ROTATION_INTERVAL must be 0 (off) or at least 1h")
	}
	return nil
}

// advance moves every key to the state it should be in by now, sealed under the newest encryption key. It is what all
// replicas run at each reload; the store lets one at a time do it.
func (r *Ring) advance(have []Key) []Key {
	now := r.clock.Now()
	want := slices.DeleteFunc(slices.Clone(have), func(k Key) bool {
		return k.State == Retired && now.Sub(k.StateSince) >= kept(k.Purpose)
	})
	for _, purpose := range Purposes() {
		active, hasActive := find(want, purpose, Active)
		next, hasNext := find(want, purpose, Next)
		switch {
		case hasNext && (!hasActive || r.ripe(next, now)):
			want = moved(moved(want, active, Retired, now), next, Active, now)
		case !hasActive:
			want = append(want, r.newKey(purpose, Active, now))
		case !hasNext && r.config.RotationInterval > 0 && now.Sub(active.StateSince) >= r.config.RotationInterval-Lead:
			want = append(want, r.newKey(purpose, Next, now))
		}
	}
	for i, k := range want {
		want[i] = r.sealer.renewed(k)
	}
	return want
}

// ripe reports whether everybody must have heard of a next key. What this
// replica published before it started does not count: it may not have been there
// to be asked.
func (r *Ring) ripe(next Key, now time.Time) bool {
	since := next.StateSince
	if since.Before(r.opened) {
		since = r.opened
	}
	return now.Sub(since) >= Lead
}

func kept(purpose Purpose) time.Duration {
	if purpose == RefreshToken {
		return KeptRefresh
	}
	return KeptAccess
}

func moved(keys []Key, key Key, state State, now time.Time) []Key {
	for i, k := range keys {
		if k.ID == key.ID {
			keys[i] = k.in(state, now)
		}
	}
	return keys
}

// same reports whether two lists hold the same keys in the same states, sealed alike.
func same(a, b []Key) bool {
	return slices.EqualFunc(a, b, func(x, y Key) bool { return x.ID == y.ID && x.State == y.State && bytes.Equal(x.Sealed, y.Sealed) })
}
