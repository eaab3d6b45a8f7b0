package periodic_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/platform/periodic"
)

// TestAKindThatFailsKeepsNoOther, and each is removed until nothing old is left.
func TestAKindThatFailsKeepsNoOther(t *testing.T) {
	now, broken := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), errors.New("broken")
	var asked []time.Time
	left := int64(1201)
	removed := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rows_total"}, []string{"kind"})
	err := periodic.Clean(t.Context(), now, removed,
		periodic.Kind{Name: "broken", Remove: func(context.Context, time.Time, int32) (int64, error) { return 0, broken }},
		periodic.Kind{Name: "many", Kept: time.Hour, Remove: func(_ context.Context, before time.Time, count int32) (int64, error) {
			asked = append(asked, before)
			n := min(left, int64(count))
			left -= n
			return n, nil
		}})
	if !errors.Is(err, broken) || left != 0 || testutil.ToFloat64(removed.WithLabelValues("many")) != 1201 {
		t.Errorf("%v, %d left, %v counted", err, left, testutil.ToFloat64(removed.WithLabelValues("many")))
	}
	if want := slices.Repeat([]time.Time{now.Add(-time.Hour)}, 3); !slices.Equal(asked, want) {
		t.Errorf("asked for what is before %v", asked)
	}
}
