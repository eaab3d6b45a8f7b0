package bus

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestUnansweredRequestsAreRepeated: a cluster without a leader does not answer. Its answer
// arrives within a second of its having one, and so does that of a slow cluster.
func TestUnansweredRequestsAreRepeated(t *testing.T) {
	for name, tc := range map[string]struct{ leader, takes, within time.Duration }{
		"no leader at first":   {3300 * time.Millisecond, 10 * time.Millisecond, 3300*time.Millisecond + askInterval + 10*time.Millisecond},
		"slow":                 {0, 4 * time.Second, 4 * time.Second},
		"no leader, then slow": {2500 * time.Millisecond, 5 * time.Second, 2500*time.Millisecond + askInterval + 5*time.Second},
		"none at all":          {time.Hour, 0, askTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := persist(t.Context(), func(ctx context.Context) (bool, error) {
					takes := tc.takes
					if time.Since(began) < tc.leader {
						takes = time.Hour // nobody hears it
					}
					select {
					case <-time.After(takes):
						return true, nil
					case <-ctx.Done():
						return false, ctx.Err()
					}
				})
				if took := time.Since(began); took > tc.within || errors.Is(err, context.DeadlineExceeded) != (tc.leader == time.Hour) {
					t.Errorf("after %s: %v; want an answer within %s", took, err, tc.within)
				}
			})
		})
	}
}
