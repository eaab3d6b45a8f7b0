// Package downloads counts downloads without delaying them.
//
// Downloads during a write are counted by the next one, so that a burst is a few
// statements and not a queue for one row. Counts that the database refuses are kept in
// memory and written later. During an outage, a killed process loses the counts it kept,
// and a statement that succeeded without an answer counts twice.
package downloads

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

// Counter counts into a Sink. Safe for concurrent use.
type Counter struct {
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

// New returns a counter. Its Unit must run for kept counts to be written.
func New(sink Sink, clk clock.Clock, log *slog.Logger) *Counter {
	return &Counter{sink: sink, clock: clk, log: log, waiting: map[Download]int64{}, taken: make(chan struct{})}
}

// Count counts one download of an asset. A browser that has its redirect and hangs up
// has still downloaded.
func (c *Counter) Count(ctx context.Context, v release.Version, a release.Asset) {
	ended := c.add(ctx, Download{Day: c.clock.Now().UTC().Truncate(24 * time.Hour), Version: v, Filename: a.Name, Arch: a.Arch()})
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
func (c *Counter) add(ctx context.Context, d Download) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[d]++
	if c.behind {
		return nil
	}
	if !c.writing {
		c.writing = true
		go c.writeAll(context.WithoutCancel(ctx))
	}
	return c.taken
}

// writeAll writes until nothing waits, or a write fails.
func (c *Counter) writeAll(ctx context.Context) {
	for {
		err := c.flush(ctx)
		if err != nil {
			c.log.WarnContext(ctx, "download counts could not be written and stay in memory, a stop now loses them", "error", err)
		}
		c.mu.Lock()
		if c.behind || len(c.waiting) == 0 {
			c.writing = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
	}
}

// Unit writes what was kept, at intervals and when it stops.
func (c *Counter) Unit() service.Unit {
	return service.Unit{Name: "download counter", Start: func(ctx context.Context) (func(context.Context) error, error) {
		stop := service.Go(ctx, c.run)
		return func(stopping context.Context) error {
			return errors.Join(stop(stopping), c.flush(stopping))
		}, nil
	}}
}

func (c *Counter) run(ctx context.Context) {
	for service.Pause(ctx, flushInterval) {
		// What fails stays kept, and writeAll has said so already.
		_ = c.flush(ctx)
	}
}

// flush writes what waits, after the write that is under way.
func (c *Counter) flush(ctx context.Context) error {
	c.writer.Lock()
	defer c.writer.Unlock()
	c.mu.Lock()
	counts, ended := c.waiting, c.taken
	c.waiting, c.taken = map[Download]int64{}, make(chan struct{})
	c.mu.Unlock()
	defer close(ended)
	if len(counts) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := c.sink.AddDownloads(ctx, counts)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.behind = err != nil
	if err != nil {
		for d, n := range counts {
			c.waiting[d] += n
		}
	}
	return err
}
