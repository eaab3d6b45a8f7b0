package mirror

import (
	"math"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
)

func TestTheAgeIsNotANumberUntilGitHubHasAnswered(t *testing.T) {
	clk, reg := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), prometheus.NewRegistry()
	m, err := newMetrics(reg, clk)
	errtest.None(t, err)
	age := func() float64 {
		t.Helper()
		families, err := reg.Gather()
		errtest.None(t, err)
		for _, family := range families {
			if family.GetName() == "releases_sync_age_seconds" {
				return family.GetMetric()[0].GetGauge().GetValue()
			}
		}
		t.Fatal("there is no such metric")
		return 0
	}
	if got := age(); !math.IsNaN(got) {
		t.Errorf("before the first time it is %v", got)
	}
	for range 2 {
		m.checkedAt(clk.Now())
		clk.Advance(90 * time.Second)
		if got := age(); got != 90 {
			t.Errorf("after 90 s it is %v", got)
		}
	}
}
