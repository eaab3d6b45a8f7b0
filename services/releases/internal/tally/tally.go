// Package tally counts downloads without delaying them.
//
// Downloads during a write are counted by the next one, so that a burst is a few
// statements and not a queue for one row. Counts that the database refuses are kept in
// memory and written later. During an outage, a killed process loses the counts it kept,
// and a statement that succeeded without an answer counts twice.
package tally

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/release"
)

const (
	// timeout is how long a download waits for its count.
	timeout = 300 * time.Millisecond
	// writeTimeout bounds a statement. It is longer, because one that is given up may
	// have been done.
	writeTimeout = 5 * time.Second
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

	writer sync.Mutex // held while a statement is under way

	mu      sync.Mutex
	waiting map[Download]int64 // what the next write takes
	taken   chan struct{}      // closed when that write has ended
	writing bool
	behind  bool // the last write failed: only Unit tries again
}

// New returns a Tally. Its Unit must run for kept counts to be written.
func New(sink Sink, clk clock.Clock, log *slog.Logger) *Tally {
	return &Tally{sink: sink, clock: clk, log: log, waiting: map[Download]int64{}, taken: make(chan struct{})}
}

// Count counts one download of an asset. A browser that has its redirect and hangs up
// has still downloaded.
func (t *Tally) Count(ctx context.Context, v release.Version, a release.Asset) {
	ended := t.add(ctx, Download{Day: t.clock.Now().UTC().Truncate(24 * time.Hour), Version: v, Filename: a.Name, Arch: a.Arch()})
	if ended == nil {
		return
	}
	enough := time.NewTimer(timeout)
	defer enough.Stop()
	select {
	case <-ended:
	case <-enough.C:
	}
}

// add returns what the count's write closes, or nil where there is nothing to wait for:
// the database is known to be in trouble.
func (t *Tally) add(ctx context.Context, d Download) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting[d]++
	if t.behind {
		return nil
	}
	if !t.writing {
		t.writing = true
		go t.writeAll(context.WithoutCancel(ctx))
	}
	return t.taken
}

// writeAll writes until nothing waits, or a write fails.
func (t *Tally) writeAll(ctx context.Context) {
	for {
		err := t.flush(ctx)
		if err != nil {
			t.log.WarnContext(ctx, "download counts are kept in memory for now", "error", err)
		}
		t.mu.Lock()
		if t.behind || len(t.waiting) == 0 {
			t.writing = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
	}
}

// Unit writes what was kept, at intervals and when it stops.
func (t *Tally) Unit() service.Unit {
	return service.Unit{Name: "download tally", Start: func(ctx context.Context) (func(context.Context) error, error) {
		stop := service.Go(ctx, t.run)
		return func(stopping context.Context) error {
			return errors.Join(stop(stopping), t.flush(stopping))
		}, nil
	}}
}

func (t *Tally) run(ctx context.Context) {
	for service.Pause(ctx, flushInterval) {
		// What fails stays kept, and writeAll has said so already.
		_ = t.flush(ctx)
	}
}

// flush writes what waits, after the write that is under way.
func (t *Tally) flush(ctx context.Context) error {
	t.writer.Lock()
	defer t.writer.Unlock()
	t.mu.Lock()
	counts, ended := t.waiting, t.taken
	t.waiting, t.taken = map[Download]int64{}, make(chan struct{})
	t.mu.Unlock()
	defer close(ended)
	if len(counts) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := t.sink.AddDownloads(ctx, counts)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.behind = err != nil
	if err != nil {
		for d, n := range counts {
			t.waiting[d] += n
		}
	}
	return err
}
