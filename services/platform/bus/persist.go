package bus

import (
	"context"
	"time"
)

const (
	// askAgain is how long after a cluster can answer again it is asked at the latest.
	askAgain = time.Second
	// patience is how long a busy cluster may take to answer one request.
	patience = 10 * time.Second
)

// persist asks until somebody answers, for as long as patience: nobody does while a
// cluster has no leader, nor to what was asked of a server that died. What was asked
// before still counts, so that a cluster that is slow is heard as well. ask must be
// repeatable, and end with its context.
func persist[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1+patience/askAgain)
	again := time.NewTicker(askAgain)
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
