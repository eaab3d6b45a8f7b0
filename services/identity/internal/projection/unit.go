package projection

import (
	"context"
	"time"

	"fledge.dev/services/platform/periodic"
)

const (
	// The first run waits until the parts of an installation that starts have
	// found each other, and one that failed is tried again before its turn.
	firstRun = 10 * time.Second
	retry    = time.Minute
	// Deadlines far above what runs take, so that one that hangs ends at all.
	sweepTimeout = 30 * time.Minute
	walkTimeout  = 12 * time.Hour
)

// Tasks are the sweep and the walk. A run that is stopped ends between two questions.
func (k *Keeper) Tasks() []periodic.Task {
	return []periodic.Task{
		k.task(sweep, k.cfg.SweepInterval, sweepTimeout, func(ctx context.Context, _ time.Time) error { return k.Sweep(ctx) }),
		k.task(walk, k.cfg.WalkInterval, walkTimeout, k.Walk),
	}
}

// task runs at the start, whatever ran before, and then whenever no replica has
// done so for its interval. run gets when the last good run began.
func (k *Keeper) task(name string, every, timeout time.Duration, run func(ctx context.Context, last time.Time) error) periodic.Task {
	since := k.clock.Now()
	return periodic.Task{
		Name: name, Every: every, Delay: min(every, firstRun), Retry: min(every, retry), Timeout: timeout, Exclusive: true,
		Run: func(ctx context.Context) error {
			began := k.clock.Now()
			last, err := k.store.LastRun(ctx, name)
			if err != nil {
				return err
			}
			due := !last.After(since)
			if due {
				if err := run(ctx, last); err != nil {
					return err
				}
				if err := k.store.RecordRun(ctx, name, began); err != nil {
					return err
				}
			}
			// Replicas do not tick together: what another did shortly before counts.
			since = k.clock.Now().Add(every / 4)
			if !due {
				return periodic.ErrNotDue
			}
			return nil
		},
	}
}
