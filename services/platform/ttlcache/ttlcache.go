// Package ttlcache caches one value that is costly to load and may be some seconds
// old. Concurrent callers share one load. A value can outlive failures to load it again.
//
// Caches of many keys (expirable, otter) do not know the two things that this is about: that
// a change makes the load under way useless, and that an old value is better than none.
package ttlcache

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fledge.dev/services/platform/clock"
)

// Value is a cached value of this process. Safe for concurrent use.
type Value[T any] struct {
	clock clock.Clock
	age   time.Duration
	load  func(context.Context) (T, error)
	// For one that outlives failures.
	pause  time.Duration
	failed func(context.Context, error)

	mu     sync.Mutex
	loads  int
	latest *answer[T]
	good   *answer[T] // the newest that succeeded
}

// answer is one load; value, err and until are set once done is closed.
type answer[T any] struct {
	number int
	began  time.Time
	until  time.Time
	done   chan struct{}
	value  T
	err    error
}

// New returns a value that load finds, and finds again for the first Get that comes age
// or more after the last load began. Except after Drop, one load runs at a time. A load is
// not cancelled with its caller, because others may wait for it too, so it must bound its
// own time. All callers get the same T, which they must not change.
func New[T any](clk clock.Clock, age time.Duration, load func(context.Context) (T, error)) *Value[T] {
	return &Value[T]{clock: clk, age: age, load: load}
}

// Outlive has v answer with the last good value when a load fails, if there ever was one,
// and load again no sooner than pause after the failure, unless it is dropped. failed is told
// of the failure. Called before the first Get; returns v.
func (v *Value[T]) Outlive(pause time.Duration, failed func(ctx context.Context, err error)) *Value[T] {
	v.pause, v.failed = pause, failed
	return v
}

// Get returns the value. The error is load's, after which the next Get loads again, or
// that of ctx if it ends first.
func (v *Value[T]) Get(ctx context.Context) (T, error) {
	a := v.current(ctx)
	select {
	case <-a.done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// Drop makes every later Get wait for a load that begins after Drop.
func (v *Value[T]) Drop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.latest = nil
}

// current is the answer to wait for.
func (v *Value[T]) current(ctx context.Context) *answer[T] {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a := v.latest; a != nil {
		select {
		case <-a.done:
			if a.err == nil && v.clock.Now().Before(a.until) {
				return a
			}
		default:
			return a
		}
	}
	v.loads++
	a := &answer[T]{number: v.loads, began: v.clock.Now(), done: make(chan struct{})}
	v.latest = a
	go v.find(context.WithoutCancel(ctx), a)
	return a
}

func (v *Value[T]) find(ctx context.Context, a *answer[T]) {
	defer close(a.done)
	defer func() {
		if p := recover(); p != nil {
			a.err = fmt.Errorf("ttlcache: panic: %v", p)
		}
		v.settle(ctx, a)
	}()
	a.value, a.err = v.load(ctx)
}

// settle keeps a good answer, and replaces a failure by the last good one.
func (v *Value[T]) settle(ctx context.Context, a *answer[T]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case a.err == nil:
		a.until = a.began.Add(v.age)
		if v.good == nil || v.good.number < a.number {
			v.good = a
		}
	case v.failed != nil && v.good != nil:
		v.failed(ctx, a.err)
		a.value, a.err, a.until = v.good.value, nil, v.clock.Now().Add(v.pause)
	}
}
