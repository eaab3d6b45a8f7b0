package mirror

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/periodic"
)

// New returns a mirror whose metrics are registered with reg.
func New(cfg Config, lister Lister, store Store, clk clock.Clock, log *slog.Logger, reg prometheus.Registerer) (*Mirror, error) {
	metrics, err := newMetrics(reg, clk)
	if err != nil {
		return nil, err
	}
	return &Mirror{
		cfg: cfg, github: lister, store: store, clock: clk, log: log, metrics: metrics,
		asked: true, wake: make(chan struct{}, 1),
	}, nil
}

// Task looks at GitHub at the start, when told to, and at the configured interval. Each
// replica looks whether a run is due; the database decides whose it is. To find that none is
// due is a success, even while GitHub does not answer: that tells releases_sync_age_seconds.
func (m *Mirror) Task() periodic.Task {
	return periodic.Task{Name: "github_mirror", Every: m.cfg.Tick, Timeout: runTimeout, Wake: m.wake, Run: m.run}
}

func (m *Mirror) run(ctx context.Context) error {
	m.mu.Lock()
	asked, waiting := m.asked, m.waiting
	m.asked, m.waiting = false, nil
	m.mu.Unlock()
	defer func() {
		for _, done := range waiting {
			close(done)
		}
	}()
	_, err := m.Sync(ctx, asked)
	return err
}

func (m *Mirror) soon() {
	select {
	case m.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Refresh asks for a run on behalf of a person and waits for it, but no longer
// than wait: the run goes on without them.
func (m *Mirror) Refresh(ctx context.Context, wait time.Duration) {
	done := make(chan struct{})
	m.mu.Lock()
	m.asked, m.waiting = true, append(m.waiting, done)
	m.mu.Unlock()
	m.soon()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Notice is told that GitHub has news. It puts that on record and returns; a run
// follows soon, one for any number of notices that come before it begins.
func (m *Mirror) Notice(ctx context.Context) error {
	if err := m.store.Want(ctx, m.cfg.Repository); err != nil {
		return err
	}
	m.soon()
	return nil
}
