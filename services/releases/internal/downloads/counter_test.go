package downloads_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/release"
)

type sink struct {
	mu     sync.Mutex
	down   bool
	calls  int
	counts map[downloads.Download]int64
}

func (s *sink) AddDownloads(_ context.Context, counts map[downloads.Download]int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.down {
		return errors.New("gone")
	}
	for d, n := range counts {
		s.counts[d] += n
	}
	return nil
}

func (s *sink) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *sink) state() (calls int, counts map[downloads.Download]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls, s.counts
}

var image = release.Asset{Name: "Fledge-1.0.0-arm64.dmg"}

func rig() (*downloads.Counter, *sink, *clock.Fake) {
	s := &sink{counts: map[downloads.Download]int64{}}
	clk := clock.NewFake(time.Date(2026, 11, 20, 23, 59, 0, 0, time.UTC))
	return downloads.New(s, clk, slog.New(slog.DiscardHandler)), s, clk
}

func TestDownloadsAreCountedByDay(t *testing.T) {
	c, s, clk := rig()
	c.Count(t.Context(), "1.0.0", image)
	clk.Advance(2 * time.Minute)
	c.Count(t.Context(), "1.0.0", image)
	c.Count(t.Context(), "1.0.0", image)

	_, counts := s.state()
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	d := downloads.Download{Day: day, Version: "1.0.0", Filename: image.Name, Arch: release.Arm64}
	if counts[d] != 1 {
		t.Errorf("first day: %v", counts)
	}
	d.Day = day.AddDate(0, 0, 1)
	if counts[d] != 2 {
		t.Errorf("second day: %v", counts)
	}
}

func TestACallerThatLeavesIsCounted(t *testing.T) {
	c, s, _ := rig()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Count(ctx, "1.0.0", image)
	if _, counts := s.state(); len(counts) != 1 {
		t.Errorf("got %v", counts)
	}
}

func TestAnOutageLosesNoCountAndDelaysOneCaller(t *testing.T) {
	c, s, _ := rig()
	stop, err := c.Unit().Start(t.Context())
	errtest.None(t, err)
	s.set(true)
	for range 50 {
		c.Count(t.Context(), "1.0.0", image)
	}
	if calls, _ := s.state(); calls > 2 {
		t.Errorf("%d attempts on a database that is down", calls)
	}
	s.set(false)
	errtest.None(t, stop(t.Context()))
	var total int64
	_, counts := s.state()
	for _, n := range counts {
		total += n
	}
	if total != 50 {
		t.Errorf("counted %d, want 50", total)
	}
}

// slowSink takes its time over the first write.
type slowSink struct {
	sink
	began, release chan struct{}
	once           sync.Once
}

func (s *slowSink) AddDownloads(ctx context.Context, counts map[downloads.Download]int64) error {
	s.once.Do(func() { close(s.began); <-s.release })
	return s.sink.AddDownloads(ctx, counts)
}

func TestARushIsAFewStatements(t *testing.T) {
	s := &slowSink{sink: sink{counts: map[downloads.Download]int64{}}, began: make(chan struct{}), release: make(chan struct{})}
	clk := clock.NewFake(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	c := downloads.New(s, clk, slog.New(slog.DiscardHandler))
	var all sync.WaitGroup
	all.Go(func() { c.Count(t.Context(), "1.0.0", image) })
	<-s.began
	for range 100 {
		all.Go(func() { c.Count(t.Context(), "1.0.0", image) })
	}
	all.Wait() // nobody waits longer than timeout
	close(s.release)
	stop, err := c.Unit().Start(t.Context())
	errtest.None(t, errors.Join(err, stop(t.Context())))
	calls, counts := s.state()
	var total int64
	for _, n := range counts {
		total += n
	}
	if total != 101 || calls > 3 {
		t.Errorf("counted %d in %d statements, want 101 in at most 3", total, calls)
	}
}

func TestAFailedWriteKeepsWhatCameDuringIt(t *testing.T) {
	s := &slowSink{sink: sink{down: true, counts: map[downloads.Download]int64{}}, began: make(chan struct{}), release: make(chan struct{})}
	c := downloads.New(s, clock.NewFake(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), slog.New(slog.DiscardHandler))
	var first sync.WaitGroup
	first.Go(func() { c.Count(t.Context(), "1.0.0", image) })
	<-s.began
	c.Count(t.Context(), "1.0.0", image)
	close(s.release)
	first.Wait()
	waittest.Eventually(t, "the write has failed", func() bool { calls, _ := s.state(); return calls > 0 })
	s.set(false)
	stop, err := c.Unit().Start(t.Context())
	errtest.None(t, errors.Join(err, stop(t.Context())))
	_, counts := s.state()
	var total int64
	for _, n := range counts {
		total += n
	}
	if total != 2 {
		t.Errorf("counted %d, want 2", total)
	}
}
