package projection

import (
	"context"
	"time"

	"fledge.dev/services/platform/service"
)

const (
	// The first run waits until the parts of an installation that starts have
	// found each other, and one that failed is tried again before its turn.
	firstRun = 10 * time.Second
	retry    = time.Minute
)

// job is one of the two.
type job struct {
	name  string
	every time.Duration
	run   func(ctx context.Context, last time.Time) error
}

// Unit runs both jobs. It starts whether or not Kratos answers, and stops a job
// between two questions.
func (k *Keeper) Unit() service.Unit {
	repeat := func(j job) func(context.Context) { return func(ctx context.Context) { k.repeat(ctx, j) } }
	return service.Background("projection",
		repeat(job{sweep, k.cfg.SweepInterval, func(ctx context.Context, _ time.Time) error { return k.Sweep(ctx) }}),
		repeat(job{walk, k.cfg.WalkInterval, k.Walk}))
}

// repeat runs a job at the start, whatever ran before, and then whenever no
// replica has done so for its interval.
func (k *Keeper) repeat(ctx context.Context, j job) {
	since := k.clock.Now()
	for wait := min(j.every, firstRun); service.Pause(ctx, wait); {
		if err := k.once(ctx, j, since); err != nil {
			wait = min(j.every, retry)
			continue
		}
		wait = j.every
		// Replicas do not tick together: what another did shortly before counts.
		since = k.clock.Now().Add(j.every / 4)
	}
}

func (k *Keeper) once(ctx context.Context, j job, since time.Time) error {
	began := k.clock.Now()
	ran, err := k.store.RunAlone(ctx, j.name, since, began, j.run)
	took := k.clock.Now().Sub(began).Seconds()
	switch {
	case ctx.Err() != nil:
		// Stopping is no failure.
	case err != nil:
		k.metrics.duration.WithLabelValues(j.name, "failed").Observe(took)
		k.log.WarnContext(ctx, "accounts could not be compared with Kratos", "job", j.name, "error", err)
	case ran:
		k.metrics.duration.WithLabelValues(j.name, "done").Observe(took)
		k.metrics.lastSuccess.WithLabelValues(j.name).Set(float64(began.Unix()))
	}
	return err
}
