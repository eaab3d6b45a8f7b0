// Package periodic runs what a service does regularly, such as removing old rows or
// comparing its data with somebody else's.
//
// A task's next run begins its interval after the end of the last one, so that runs never
// overlap in a process. An exclusive task runs in one replica at a time: whoever holds an
// advisory lock of the database, which PostgreSQL frees when the connection is lost. A run
// that panics or exceeds its deadline is a failed one; the process lives on.
package periodic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// ErrNotDue is returned by a Run that finds that another replica has succeeded within the
// interval. The task is not overdue then.
var ErrNotDue = errors.New("periodic: not due")

// Task is work that is done again and again until the process stops.
type Task struct {
	// Name is the task's in logs and metrics, unique within the service.
	Name string
	// Every is the pause between two runs.
	Every time.Duration
	// Delay is the pause before the first run; by default it begins at once.
	Delay time.Duration
	// Retry is the pause after a failure; by default Every.
	Retry time.Duration
	// Timeout bounds a run, which until then is not overdue; by default it has no deadline of
	// its own.
	Timeout time.Duration
	// Exclusive has one replica run the task at a time. The others skip their turn.
	Exclusive bool
	// Wake, if set, has the next run begin at once, whatever the pause.
	Wake <-chan struct{}
	// Run does the work. Its context ends when the process stops, at the deadline, and, if
	// the task is exclusive, when another replica could have taken over. One that looks and
	// finds nothing to do has succeeded, too.
	Run func(ctx context.Context) error
}

// Scheduler runs the tasks of one service.
type Scheduler struct {
	pool    *pgxpool.Pool
	clock   clock.Clock
	log     *slog.Logger
	metrics *metrics
}

// New returns a scheduler. Exclusive tasks need the pool and take a connection of it for
// as long as a run lasts.
func New(pool *pgxpool.Pool, rt *service.Runtime) (*Scheduler, error) {
	m, err := newMetrics(rt.Metrics)
	return &Scheduler{pool: pool, clock: rt.Clock, log: rt.Log, metrics: m}, err
}

// Unit runs the tasks beside each other. It starts whether or not they succeed, and stops
// when the runs under way have returned.
func (s *Scheduler) Unit(tasks ...Task) service.Unit {
	loops := make([]func(context.Context), len(tasks))
	for i, t := range tasks {
		loops[i] = func(ctx context.Context) { s.repeat(ctx, t) }
	}
	return service.Background("periodic tasks", loops...)
}

func (s *Scheduler) repeat(ctx context.Context, t Task) {
	s.metrics.announce(t)
	failing, failures := false, obs.Repeated{Log: s.log}
	for wait := t.Delay; s.pause(ctx, wait, t.Wake); {
		wait = t.Every
		outcome, err := s.once(ctx, t, failing)
		switch {
		case ctx.Err() != nil:
			return
		case outcome.success():
			failing = false
			failures.Over()
			continue
		case outcome == elsewhere:
			continue
		}
		failing = true
		wait = cmp.Or(t.Retry, t.Every)
		failures.Warn(ctx, "a periodic task failed and will be tried again", "task", t.Name, "retry_in", wait, "error", err)
	}
}

// pause waits and reports false when ctx has ended.
func (s *Scheduler) pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// once runs a task, unless another replica does. failing tells whether the run before failed.
func (s *Scheduler) once(ctx context.Context, t Task, failing bool) (outcome, error) {
	began := s.clock.Now()
	ctx, cancel := ctx, context.CancelFunc(func() {})
	if t.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, t.Timeout)
	}
	defer cancel()
	outcome, err := s.run(ctx, t, failing)
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return outcome, err // the process stops, which is no failure
	}
	s.metrics.observe(t, outcome, began, s.clock.Now())
	return outcome, err
}

func (s *Scheduler) run(ctx context.Context, t Task, failing bool) (outcome outcome, err error) {
	stopping := ctx
	if t.Exclusive {
		held, release, lockErr := s.lock(ctx, t.Name)
		if lockErr != nil {
			return failed, lockErr
		}
		if release == nil {
			return elsewhere, nil
		}
		defer release()
		ctx = held
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.ErrorContext(ctx, "periodic task panicked", "task", t.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			outcome, err = panicked, fmt.Errorf("panic: %v", p)
		}
	}()
	if t.Timeout > 0 && !failing {
		s.metrics.allow(t, s.clock.Now().Add(t.Timeout))
	}
	err = t.Run(ctx)
	switch lost := context.Cause(ctx); {
	case errors.Is(err, ErrNotDue):
		return notDue, nil
	case err != nil && lost != nil && stopping.Err() == nil && !errors.Is(err, lost):
		return failed, fmt.Errorf("%w: %w", lost, err)
	case err != nil:
		return failed, err
	}
	return done, nil
}
