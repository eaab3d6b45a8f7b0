package obs_test

import (
	"math"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
)

func TestAnAgeIsNotANumberUntilItBegins(t *testing.T) {
	clk, reg := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), prometheus.NewRegistry()
	age := obs.NewAge(clk, "check_age_seconds", "Time since the last check.")
	errtest.None(t, reg.Register(age))
	value := func() float64 {
		t.Helper()
		families, err := reg.Gather()
		if err != nil || len(families) != 1 || families[0].GetName() != "check_age_seconds" {
			t.Fatal(families, err)
		}
		return families[0].GetMetric()[0].GetGauge().GetValue()
	}
	if got := value(); !math.IsNaN(got) {
		t.Errorf("before the first time it is %v", got)
	}
	for range 2 {
		age.Since(clk.Now())
		clk.Advance(90 * time.Second)
		if got := value(); got != 90 {
			t.Errorf("after 90 s it is %v", got)
		}
	}
}
