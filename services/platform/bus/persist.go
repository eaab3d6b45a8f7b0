package bus

import (
	"context"
	"time"
)

const (
	// askInterval is the time between attempts. It bounds how long a cluster that has
	// recovered waits for one.
	askInterval = time.Second
	// askTimeout is how long a busy cluster may take to answer one request.
	askTimeout = 10 * time.Second
)

// persist asks once every askInterval until an answer arrives, for askTimeout at most. A
// cluster without a leader does not answer, nor does a server that died. The answer to an
// earlier attempt counts too, so that a slow cluster succeeds. ask must be repeatable, and
// end with its context.
func persist[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1+askTimeout/askInterval)
	again := time.NewTicker(askInterval)
	defer again.Stop()
	for {
		go func() {
			value, err := ask(ctx)
			answers <- answer{value, err}
		}()
		select {
		case a := <-answers:
			return a.value, a.err
		case <-again.C:
		}
	}
}
