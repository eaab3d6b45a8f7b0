// Package clock is the time of day, which tests can replace by a clock of their own.
package clock

import (
	"sync"
	"time"
)

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// System returns the machine's clock, in UTC.
func System() Clock { return system{} }

type system struct{}

func (system) Now() time.Time { return time.Now().UTC() }

// Off returns the clock of a machine that is ahead of the real time by d, or behind it.
func Off(d time.Duration) Clock { return off(d) }

type off time.Duration

func (o off) Now() time.Time { return time.Now().UTC().Add(time.Duration(o)) }

// Fake is a clock that moves only when told to. Safe for concurrent use.
type Fake struct {
	mu  sync.Mutex
	now time.Time
}

// NewFake returns a fake clock that stands at t.
func NewFake(t time.Time) *Fake { return &Fake{now: t.UTC()} }

// Now returns the time the clock stands at.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Advance moves the clock by d, which may be negative.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}
