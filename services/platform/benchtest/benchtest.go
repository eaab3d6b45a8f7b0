// Package benchtest fails benchmarks that exceed the promised 95th percentile.
package benchtest

import (
	"slices"
	"testing"
	"time"
)

// P95 runs do as the benchmark's loop, reports the 95th percentile of its times as
// p95-ms, and fails when that is over limit.
func P95(b *testing.B, limit time.Duration, do func() error) {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	p95 := times[(len(times)*95+99)/100-1]
	b.ReportMetric(float64(p95.Microseconds())/1000, "p95-ms")
	if p95 > limit {
		b.Errorf("%s at the 95th percentile of %d, promised are %s", p95, len(times), limit)
	}
}
