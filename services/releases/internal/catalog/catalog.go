// Package catalog answers from memory what is on offer, so that the public routes are
// fast and survive an outage of the database.
//
// An answer is at most 0.4 s old, on every replica and without a message
// between them; a replica sees its own changes at once. Callers that cache answers, as the
// gateway does, have the rest of the second in which a change must show.
package catalog

import (
	"context"
	"log/slog"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/ttlcache"
	"fledge.dev/services/releases/internal/release"
)

const (
	// freshFor bounds the age of an answer while the database is there.
	freshFor = 400 * time.Millisecond
	// pause is between attempts while the database is not there.
	pause = time.Second
)

// Source is where the truth is.
type Source interface {
	Releases(ctx context.Context) ([]release.Release, error)
}

// Catalog is a copy of the releases in memory. Safe for concurrent use.
type Catalog struct {
	releases *ttlcache.Value[[]release.Release]
}

// New returns an empty catalog. interactive bounds what a visitor waits for a database
// that does not answer. clk is the machine's: an age is not judged by a clock that follows
// another one, and may step back.
func New(source Source, interactive func(context.Context) (context.Context, context.CancelFunc), clk clock.Clock, log *slog.Logger) *Catalog {
	load := func(ctx context.Context) ([]release.Release, error) {
		ctx, cancel := interactive(ctx)
		defer cancel()
		return source.Releases(ctx)
	}
	return &Catalog{ttlcache.New(clk, freshFor, load).Outlive(pause, func(ctx context.Context, err error) {
		log.WarnContext(ctx, "serving the last known releases", "error", err)
	})}
}

// Invalidate makes the next answer come from the source.
func (c *Catalog) Invalidate() { c.releases.Drop() }

// Releases returns all releases, newest version first; the slice must not be
// changed. When the source fails it returns the last good answer. It fails
// only if there never was one.
func (c *Catalog) Releases(ctx context.Context) ([]release.Release, error) {
	return c.releases.Get(ctx)
}
