package catalog_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/catalog"
	"fledge.dev/services/releases/internal/release"
)

type source func(context.Context) ([]release.Release, error)

func (s source) Releases(ctx context.Context) ([]release.Release, error) { return s(ctx) }

// shelf is a source whose content and health a test changes.
type shelf struct {
	mu    sync.Mutex
	loads int
	now   []release.Release
	err   error
}

func (s *shelf) Releases(context.Context) ([]release.Release, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	return s.now, s.err
}

func (s *shelf) set(err error, versions ...release.Version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.now = err, nil
	for _, v := range versions {
		s.now = append(s.now, release.Release{Version: v})
	}
}

func (s *shelf) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loads
}

func expect(t *testing.T, c *catalog.Catalog, want release.Version) {
	t.Helper()
	got, err := c.Releases(t.Context())
	if err != nil || len(got) != 1 || got[0].Version != want {
		t.Fatalf("got %v, %v; want %s", got, err, want)
	}
}

func newCatalog(s catalog.Source) (*catalog.Catalog, *clock.Fake) {
	clk := clock.NewFake(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	return catalog.New(s, pg.Config{Deadline: time.Minute}.Interactive, clk, slog.New(slog.DiscardHandler)), clk
}

func TestAnswersAreHalfASecondOldAtMost(t *testing.T) {
	s := &shelf{}
	s.set(nil, "1.0.0")
	c, clk := newCatalog(s)
	expect(t, c, "1.0.0")
	s.set(nil, "2.0.0")
	expect(t, c, "1.0.0")
	clk.Advance(time.Second / 2)
	expect(t, c, "2.0.0")
	if s.count() != 2 {
		t.Errorf("%d loads, want 2", s.count())
	}
}

// TestTheAgeCountsFromWhereALoadBegan: what a slow database answers is as old as the
// question.
func TestTheAgeCountsFromWhereALoadBegan(t *testing.T) {
	var clk *clock.Fake
	version := release.Version("1.0.0")
	var c *catalog.Catalog
	c, clk = newCatalog(source(func(context.Context) ([]release.Release, error) {
		now := []release.Release{{Version: version}}
		version = "2.0.0"
		clk.Advance(time.Second / 2)
		return now, nil
	}))
	expect(t, c, "1.0.0")
	expect(t, c, "2.0.0")
}

func TestOwnChangesShowAtOnce(t *testing.T) {
	s := &shelf{}
	s.set(nil, "1.0.0")
	c, _ := newCatalog(s)
	expect(t, c, "1.0.0")
	s.set(nil, "2.0.0")
	c.Invalidate()
	expect(t, c, "2.0.0")
}

func TestAnOutageServesTheLastGoodAnswerAndAsksOnceASecond(t *testing.T) {
	s := &shelf{}
	s.set(nil, "1.0.0")
	c, clk := newCatalog(s)
	expect(t, c, "1.0.0")
	s.set(errors.New("gone"))
	clk.Advance(time.Hour)
	for range 100 {
		expect(t, c, "1.0.0")
	}
	if s.count() != 2 {
		t.Errorf("%d loads during the outage, want 1", s.count()-1)
	}
	s.set(nil, "2.0.0")
	clk.Advance(time.Second)
	expect(t, c, "2.0.0")
}

func TestWithoutAnyAnswerTheErrorShows(t *testing.T) {
	gone := errors.New("gone")
	c, _ := newCatalog(source(func(context.Context) ([]release.Release, error) { return nil, gone }))
	if _, err := c.Releases(t.Context()); !errors.Is(err, gone) {
		t.Fatalf("got %v", err)
	}
}

func TestALoadThatBeganBeforeAChangeIsNotReused(t *testing.T) {
	began, release1 := make(chan struct{}), make(chan struct{})
	var loads atomic.Int32
	c, _ := newCatalog(source(func(context.Context) ([]release.Release, error) {
		if loads.Add(1) == 1 {
			close(began)
			<-release1
			return []release.Release{{Version: "1.0.0"}}, nil
		}
		return []release.Release{{Version: "2.0.0"}}, nil
	}))
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = c.Releases(context.Background()) })
	<-began
	c.Invalidate()
	expect(t, c, "2.0.0")
	close(release1)
	wg.Wait()
	// The late answer must not have replaced the newer one.
	expect(t, c, "2.0.0")
}

func TestVisitorsShareOneLoad(t *testing.T) {
	s := &shelf{}
	s.set(nil, "1.0.0")
	c, clk := newCatalog(s)
	for round := range 5 {
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { _, _ = c.Releases(context.Background()) })
		}
		wg.Wait()
		if got := s.count(); got != round+1 {
			t.Fatalf("round %d: %d loads", round, got)
		}
		clk.Advance(time.Second)
	}
}
