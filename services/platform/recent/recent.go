// Package recent shares an answer that is costly to find and may be some seconds
// old: many who ask cost one search.
package recent

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fledge.dev/services/platform/clock"
)

// Value is an answer, kept in this process only. Safe for concurrent use.
type Value[T any] struct {
	clock clock.Clock
	age   time.Duration
	load  func(context.Context) (T, error)

	mu     sync.Mutex
	latest *answer[T]
}

// answer is one load; value and err stand once done is closed.
type answer[T any] struct {
	began time.Time
	done  chan struct{}
	value T
	err   error
}

// New returns a value that load finds, anew for who asks age or more after the last
// load began. One load runs at a time, but for Drop. It outlives its caller, because
// others may wait for it too, so it bounds its own time. All get the same T, to read only.
func New[T any](clk clock.Clock, age time.Duration, load func(context.Context) (T, error)) *Value[T] {
	return &Value[T]{clock: clk, age: age, load: load}
}

// Get returns the answer. The error is load's, which the next to ask tries again,
// or that of ctx when it ends first.
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

// Drop makes whoever asks from now on wait for a load that begins from now on.
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
			if a.err == nil && v.clock.Now().Sub(a.began) < v.age {
				return a
			}
		default:
			return a
		}
	}
	a := &answer[T]{began: v.clock.Now(), done: make(chan struct{})}
	v.latest = a
	go v.find(context.WithoutCancel(ctx), a)
	return a
}

func (v *Value[T]) find(ctx context.Context, a *answer[T]) {
	defer close(a.done)
	defer func() {
		if p := recover(); p != nil {
			a.err = fmt.Errorf("recent: panic: %v", p)
		}
	}()
	a.value, a.err = v.load(ctx)
}
