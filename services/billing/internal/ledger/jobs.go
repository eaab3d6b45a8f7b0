package ledger

import (
	"context"
	"sync"
	"time"

	"fledge.dev/services/platform/service"
)

// Unit ends what has ended and checks all balances, regularly, until stopped. It
// starts whether or not the database answers.
func (l *Ledger) Unit() service.Unit {
	return service.Unit{Name: "ledger", Start: func(ctx context.Context) (func(context.Context) error, error) {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var running sync.WaitGroup
		running.Go(func() {
			every(ctx, l.cfg.LapseEvery, func() {
				if err := l.Lapse(ctx); err != nil && ctx.Err() == nil {
					l.log.Error("cannot end holds and grants that are due", "error", err)
				}
			})
		})
		running.Go(func() {
			every(ctx, l.cfg.CheckEvery, func() {
				if _, err := l.Check(ctx); err != nil && ctx.Err() == nil {
					l.log.Error("cannot check the balances", "error", err)
				}
			})
		})
		return func(stopping context.Context) error {
			cancel()
			done := make(chan struct{})
			go func() { defer close(done); running.Wait() }()
			select {
			case <-done:
				return nil
			case <-stopping.Done():
				return stopping.Err()
			}
		}, nil
	}}
}

// every works now and then, and returns soon after ctx ends.
func every(ctx context.Context, interval time.Duration, work func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		work()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
