// Package benchtest reports percentiles of benchmarks, and fails those that exceed a promised one.
package benchtest

import (
	"slices"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
)

// Times runs do as the benchmark's loop and reports the 50th and the 95th percentile of its times as
// p50-ms and p95-ms. It returns the latter.
func Times(b *testing.B, do func() error) (p95 time.Duration) {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		errtest.None(b, do())
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	of := func(name string, percent int) time.Duration {
		took := times[(len(times)*percent+99)/100-1]
		b.ReportMetric(float64(took.Microseconds())/1000, name)
		return took
	}
	of("p50-ms", 50)
	return of("p95-ms", 95)
}

// P95 is Times, and fails when the 95th percentile is over limit.
func P95(b *testing.B, limit time.Duration, do func() error) {
	b.Helper()
	if p95 := Times(b, do); p95 > limit {
		b.Errorf("%s at the 95th percentile, promised are %s", p95, limit)
	}
}
