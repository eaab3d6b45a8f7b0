package service

import (
	"context"
	"sync"
	"time"
)

// Background is a unit of work that goes on until the process stops: each of runs has a
// goroutine of its own and ends with its context.
func Background(name string, runs ...func(ctx context.Context)) Unit {
	return Unit{Name: name, Start: func(ctx context.Context) (func(context.Context) error, error) {
		return Go(ctx, runs...), nil
	}}
}

// Go starts runs for a unit that does more than that. They outlive ctx, whose values they
// have; stop ends them and waits for them, as long as its own context lasts.
func Go(ctx context.Context, runs ...func(ctx context.Context)) (stop func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, run := range runs {
		running.Go(func() { run(ctx) })
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	return func(stopping context.Context) error {
		cancel()
		select {
		case <-done:
			return nil
		case <-stopping.Done():
			return stopping.Err()
		}
	}
}

// Pause waits for d and reports false when ctx ended first.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
