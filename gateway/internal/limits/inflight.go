package limits

import (
	"time"

	"fledge.dev/services/platform/fault"
)

// InFlight caps the requests in progress, so that an overload is refused at once
// instead of queueing until every request is too late.
type InFlight struct{ slots chan struct{} }

// NewInFlight returns a cap of n requests.
func NewInFlight(n int) *InFlight { return &InFlight{slots: make(chan struct{}, n)} }

// Enter takes a slot. Its release must be called once. Without a free slot it
// fails with fault.Unavailable.
func (f *InFlight) Enter() (release func(), err error) {
	select {
	case f.slots <- struct{}{}:
		return func() { <-f.slots }, nil
	default:
		return nil, fault.New(fault.Unavailable, "overloaded", "We are very busy right now. Please try again.").RetryAfter(time.Second)
	}
}

// Count is how many requests are in progress.
func (f *InFlight) Count() int { return len(f.slots) }
