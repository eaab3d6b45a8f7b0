package mirror_test

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// margin is for the time that really passes.
const margin = 5 * time.Second

// gitHub is a Lister whose answers a test sets.
type gitHub struct {
	mu     sync.Mutex
	asked  int
	known  []mirror.Page
	answer func(ctx context.Context) (mirror.Listing, error)
}

func (g *gitHub) List(ctx context.Context, known []mirror.Page) (mirror.Listing, error) {
	g.mu.Lock()
	g.asked++
	g.known = known
	answer := g.answer
	g.mu.Unlock()
	return answer(ctx)
}

func (g *gitHub) says(l mirror.Listing, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = func(context.Context) (mirror.Listing, error) { return l, err }
}

func (g *gitHub) times() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}

type rig struct {
	github  *gitHub
	store   *store.Store
	pool    *pgxpool.Pool
	mu      sync.Mutex
	changed int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	url := pgtest.New(t, "releases", store.Migrate)
	cfg := pg.Config{URL: config.Secret(url), MaxConns: 10, StatementTimeout: 5 * time.Second, Deadline: 5 * time.Second}
	pool, err := pg.Open(t.Context(), cfg, service.NewRuntime("releases", "test", obs.NewLogger(io.Discard, "releases", 0)))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	r := &rig{github: &gitHub{}, store: store.New(pool), pool: pool}
	r.github.says(listing("1.0.0"), nil)
	return r
}

// pass makes it later. PostgreSQL's clock stays; the times of the schedule move back.
func (r *rig) pass(t *testing.T, d time.Duration) {
	t.Helper()
	_, err := r.pool.Exec(t.Context(), `UPDATE github_sync SET due_at = due_at - $1::interval, held_until = held_until - $1::interval,
		last_check_at = last_check_at - $1::interval`, d)
	errtest.None(t, err)
}

// replica is another process on the same database.
func (r *rig) replica(t *testing.T) *mirror.Mirror {
	t.Helper()
	return r.replicaWith(t, clock.System())
}

func (r *rig) replicaWith(t *testing.T, clk clock.Clock) *mirror.Mirror {
	t.Helper()
	return r.replicaOf(t, "fledge/fledge-mac", clk, slog.DiscardHandler)
}

func (r *rig) replicaOf(t *testing.T, repository string, clk clock.Clock, log slog.Handler) *mirror.Mirror {
	t.Helper()
	m, err := mirror.New(mirror.Config{
		Repository: repository, Interval: 5 * time.Minute, Spacing: 10 * time.Second, Tick: time.Hour,
		Changed: func() { r.mu.Lock(); r.changed++; r.mu.Unlock() },
	}, r.github, r.store, clk, slog.New(log), prometheus.NewRegistry())
	errtest.None(t, err)
	return m
}

func listing(versions ...release.Version) mirror.Listing {
	l := mirror.Listing{Complete: true, Pages: []mirror.Page{{URL: "u", ETag: `W/"1"`, Body: []byte("[]")}}}
	for i, v := range versions {
		l.Releases = append(l.Releases, release.Release{GitHubID: int64(i + 1), Version: v, Name: string(v), PublishedAt: noon})
	}
	return l
}

func (r *rig) versions(t *testing.T) []release.Version {
	t.Helper()
	releases, err := r.store.Releases(t.Context())
	errtest.None(t, err)
	var out []release.Version
	for _, rel := range releases {
		out = append(out, rel.Version)
	}
	return out
}

// look is one run.
func look(t *testing.T, m *mirror.Mirror, asked bool) mirror.Outcome {
	t.Helper()
	outcome, err := m.Sync(context.Background(), asked)
	if failed := outcome == mirror.Failed || outcome == mirror.RateLimited; failed != (err != nil) {
		t.Errorf("%s with %v", outcome, err)
	}
	return outcome
}

// start has the mirror look by itself.
func start(t *testing.T, m *mirror.Mirror) (stop func()) {
	t.Helper()
	background, err := periodic.New(nil, service.NewRuntime("releases", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	end, err := background.Unit(m.Task()).Start(t.Context())
	errtest.None(t, err)
	return func() {
		t.Helper()
		if err := end(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func expect(t *testing.T, got, want mirror.Outcome) {
	t.Helper()
	if got != want {
		t.Fatalf("outcome %s, want %s", got, want)
	}
}
