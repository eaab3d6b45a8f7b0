package mirror

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/service"
)

// New returns a mirror whose metrics are registered with reg.
func New(cfg Config, lister Lister, store Store, clk clock.Clock, log *slog.Logger, reg prometheus.Registerer) (*Mirror, error) {
	metrics, err := newMetrics(reg, clk)
	if err != nil {
		return nil, err
	}
	m := &Mirror{cfg: cfg, github: lister, store: store, clock: clk, log: log, metrics: metrics}
	m.life, m.end = context.WithCancel(context.Background())
	return m, nil
}

// Unit looks at GitHub at the start and then at the configured interval. It
// starts whether or not GitHub and the database answer.
func (m *Mirror) Unit() service.Unit {
	return service.Unit{Name: "github mirror", Start: func(context.Context) (func(context.Context) error, error) {
		m.spawn(m.run)
		return m.stop, nil
	}}
}

func (m *Mirror) stop(ctx context.Context) error {
	m.mu.Lock()
	m.end()
	m.mu.Unlock()
	done := make(chan struct{})
	go func() { defer close(done); m.running.Wait() }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// spawn runs f until the mirror stops; after that it does nothing.
func (m *Mirror) spawn(f func(ctx context.Context)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.life.Err() == nil {
		m.running.Go(func() { f(m.life) })
	}
}

func (m *Mirror) run(ctx context.Context) {
	m.Sync(ctx, true)
	for service.Pause(ctx, m.cfg.Tick) {
		m.Sync(ctx, false)
	}
}

// Refresh asks for a turn on behalf of a person and waits for it, but no longer
// than wait: the turn goes on without them.
func (m *Mirror) Refresh(ctx context.Context, wait time.Duration) {
	done := make(chan struct{})
	m.spawn(func(ctx context.Context) {
		defer close(done)
		m.Sync(ctx, true)
	})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Notice is told that GitHub has news. It puts that on record and returns; a turn
// follows soon, one for any number of notices that come before it begins.
func (m *Mirror) Notice(ctx context.Context) error {
	if err := m.store.Want(ctx, m.cfg.Repository, m.clock.Now()); err != nil {
		return err
	}
	m.spawn(func(ctx context.Context) { m.Sync(ctx, false) })
	return nil
}
