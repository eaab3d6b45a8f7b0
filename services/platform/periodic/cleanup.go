package periodic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// cleanupRows is how many rows one statement of a cleanup removes: few enough to end in time.
const cleanupRows = 500

// Kind is a kind of rows that are removed when they are old.
type Kind struct {
	// Name is the kind's in errors and as the label of the counter.
	Name string
	// Kept is how long a row stays.
	Kept time.Duration
	// Remove removes at most count rows that are from before a moment, and returns how many it has removed.
	Remove func(ctx context.Context, before time.Time, count int32) (int64, error)
}

// Clean removes what is old by now of each kind, one after the other, and counts it in removed, which may be nil.
// A kind that fails keeps none of the others.
func Clean(ctx context.Context, now time.Time, removed *prometheus.CounterVec, kinds ...Kind) error {
	var failures []error
	for _, kind := range kinds {
		for n := int64(cleanupRows); n == cleanupRows; {
			var err error
			if n, err = kind.Remove(ctx, now.Add(-kind.Kept), cleanupRows); err != nil {
				failures = append(failures, fmt.Errorf("cleanup: %s: %w", kind.Name, err))
				break
			}
			if removed != nil {
				removed.WithLabelValues(kind.Name).Add(float64(n))
			}
		}
	}
	return errors.Join(failures...)
}
