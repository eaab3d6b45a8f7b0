// Package catalog answers from memory what is on offer, so that the public routes are
// fast and survive an outage of the database.
//
// An answer is at most half a second old, on every replica and without a message
// between them; a replica sees its own changes at once. Callers that cache answers, as the
// gateway does, have the other half of the second in which a change must show.
package catalog

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/releases/internal/release"
)

const (
	// freshFor bounds the age of an answer while the database is there.
	freshFor = 400 * time.Millisecond
	// loadTimeout is what a visitor waits for a database that does not answer.
	loadTimeout = 500 * time.Millisecond
	// pause is between attempts while the database is not there.
	pause = time.Second
)

// Source is where the truth is.
type Source interface {
	Releases(ctx context.Context) ([]release.Release, error)
}

// Catalog is a copy of the releases in memory. Safe for concurrent use.
type Catalog struct {
	source Source
	clock  clock.Clock
	log    *slog.Logger
	flight singleflight.Group

	mu         sync.Mutex
	releases   []release.Release
	loaded     bool
	valid      bool
	next       time.Time // not loaded again before this unless invalidated
	generation uint64    // counts invalidations
}

// New returns an empty catalog.
func New(source Source, clk clock.Clock, log *slog.Logger) *Catalog {
	return &Catalog{source: source, clock: clk, log: log}
}

// Invalidate makes the next answer come from the source.
func (c *Catalog) Invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.valid = false
	c.generation++
}

// Releases returns all releases, newest version first; the slice must not be
// changed. When the source fails it returns the last good answer. It fails
// only if there never was one.
func (c *Catalog) Releases(ctx context.Context) ([]release.Release, error) {
	releases, generation, fresh := c.held()
	if fresh {
		return releases, nil
	}
	// Keyed by generation: whoever comes after a change must not join a load
	// that began before it.
	v, err, _ := c.flight.Do(strconv.FormatUint(generation, 10), func() (any, error) {
		// A load may have ended between the look above and this one's turn.
		if releases, _, fresh := c.held(); fresh {
			return releases, nil
		}
		return c.load(ctx, generation)
	})
	if err != nil {
		return nil, err
	}
	return v.([]release.Release), nil
}

// held is the copy in memory, the generation it is asked for in, and whether
// it may be served without a look at the source.
func (c *Catalog) held() (releases []release.Release, generation uint64, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.releases, c.generation, c.loaded && c.valid && c.clock.Now().Before(c.next)
}

func (c *Catalog) load(ctx context.Context, generation uint64) ([]release.Release, error) {
	// The load serves everybody who waits, so one caller's end must not end it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
	defer cancel()
	began := c.clock.Now()
	releases, err := c.source.Releases(ctx)

	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.releases, c.loaded = releases, true
		c.next = began.Add(freshFor)
	case !c.loaded:
		return nil, err
	default:
		c.log.WarnContext(ctx, "serving the last known releases", "error", err)
		releases = c.releases
		c.next = c.clock.Now().Add(pause)
	}
	c.valid = c.generation == generation
	return releases, nil
}
