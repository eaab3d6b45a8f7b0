// Package tally counts downloads without ever standing in their way.
//
// A count is one atomic statement. When the database does not take it in time
// it is kept in memory and written later; a killed process loses what it kept,
// and a statement that succeeded unnoticed counts twice. Both need an outage.
package tally

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/release"
)

const (
	// writeTimeout is what a download waits for its count.
	writeTimeout = 300 * time.Millisecond
	// flushInterval is the pause between attempts to write what was kept.
	flushInterval = 2 * time.Second
)

// Download is what one count is about.
type Download struct {
	Day      time.Time // midnight UTC
	Version  release.Version
	Filename string
	Arch     release.Arch
}

// Sink adds counts, all or none.
type Sink interface {
	AddDownloads(ctx context.Context, counts map[Download]int64) error
}

// Tally counts into a Sink. Safe for concurrent use.
type Tally struct {
	sink  Sink
	clock clock.Clock
	log   *slog.Logger

	mu   sync.Mutex
	kept map[Download]int64
}

// New returns a Tally. Its Unit must run for kept counts to be written.
func New(sink Sink, clk clock.Clock, log *slog.Logger) *Tally {
	return &Tally{sink: sink, clock: clk, log: log, kept: map[Download]int64{}}
}

// Count counts one download of an asset.
func (t *Tally) Count(ctx context.Context, v release.Version, a release.Asset) {
	d := Download{Day: t.clock.Now().UTC().Truncate(24 * time.Hour), Version: v, Filename: a.Name, Arch: a.Arch()}
	if t.keepIfBehind(d) {
		return
	}
	// A browser that has its redirect and hangs up has still downloaded.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := t.sink.AddDownloads(ctx, map[Download]int64{d: 1}); err != nil {
		t.log.WarnContext(ctx, "download counts are kept in memory for now", "error", err)
		t.keep(map[Download]int64{d: 1})
	}
}

// Unit writes what was kept, at intervals and when it stops.
func (t *Tally) Unit() service.Unit {
	return service.Unit{Name: "download tally", Start: func(ctx context.Context) (func(context.Context) error, error) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		done := make(chan struct{})
		go func() { defer close(done); t.run(ctx) }()
		return func(ctx context.Context) error {
			cancel()
			<-done
			return t.flush(ctx)
		}, nil
	}}
}

func (t *Tally) run(ctx context.Context) {
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			// What fails stays kept, and Count has said so already.
			_ = t.flush(ctx)
		}
	}
}

func (t *Tally) flush(ctx context.Context) error {
	t.mu.Lock()
	counts := t.kept
	t.kept = map[Download]int64{}
	t.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	if err := t.sink.AddDownloads(ctx, counts); err != nil {
		t.keep(counts)
		return err
	}
	return nil
}

// keepIfBehind keeps a count at once while others wait: the database is known
// to be in trouble, and trying again would cost every download the timeout.
func (t *Tally) keepIfBehind(d Download) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) == 0 {
		return false
	}
	t.kept[d]++
	return true
}

func (t *Tally) keep(counts map[Download]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for d, n := range counts {
		t.kept[d] += n
	}
}
