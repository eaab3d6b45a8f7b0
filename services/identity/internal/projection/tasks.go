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
	incrementalTimeout = 30 * time.Minute
	fullTimeout        = 12 * time.Hour
)

// Tasks are the incremental and the full reconciliation. A run that is stopped ends between
// two requests to Kratos.
func (r *Reconciler) Tasks() []periodic.Task {
	return []periodic.Task{
		r.task(incremental, r.cfg.Interval, incrementalTimeout, func(ctx context.Context, _ time.Time) error { return r.Incremental(ctx) }),
		r.task(full, r.cfg.FullInterval, fullTimeout, r.Full),
	}
}

// task runs at the start, whatever ran before, and then whenever no replica has begun a run
// that succeeded for most of its interval, as replicas do not tick together. run gets when
// the last one began.
func (r *Reconciler) task(name string, every, timeout time.Duration, run func(ctx context.Context, last time.Time) error) periodic.Task {
	// By the machine's clock, as the database was not asked yet: one that is wrong makes a replica
	// look too often for a while, or not at its start.
	started := r.clock.Now()
	return periodic.Task{
		Name: name, Every: every, Delay: min(every, firstRun), Retry: min(every, retry), Timeout: timeout, Exclusive: true,
		Run: func(ctx context.Context) error {
			began := r.clock.Now()
			last, err := r.store.LastRun(ctx, name)
			if err != nil {
				return err
			}
			if last.After(started) && began.Sub(last) < every*3/4 {
				return periodic.ErrNotDue
			}
			if err := run(ctx, last); err != nil {
				return err
			}
			return r.store.RecordRun(ctx, name, began)
		},
	}
}
