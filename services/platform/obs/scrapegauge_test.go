package obs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
)

func TestAScrapeGaugeIsLookedUpOnceInItsMaxAge(t *testing.T) {
	for name, c := range map[string]struct{ set, want time.Duration }{
		"default": {0, time.Second}, "longer": {15 * time.Second, 15 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { lookedUp(t, c.set, c.want) })
		})
	}
}

func lookedUp(t *testing.T, set, maxAge time.Duration) {
	reg, waiting, failure := prometheus.NewRegistry(), 3.0, error(nil)
	gauge := obs.ScrapeGauge{Name: "jobs", Help: "Jobs that wait.", Labels: []string{"state"}, MaxAge: set, Look: func(ctx context.Context) ([]obs.Sample, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("a look has no deadline")
		}
		return []obs.Sample{{Labels: []string{"waiting"}, Value: waiting}}, failure
	}}
	errtest.None(t, gauge.Register(reg))
	if err := gauge.Register(reg); err == nil {
		t.Error("registered twice")
	}
	for _, step := range []struct {
		after     time.Duration
		now, want float64
	}{{0, 3, 3}, {maxAge - time.Millisecond, 5, 3}, {time.Millisecond, 5, 5}} {
		<-time.After(step.after)
		waiting = step.now
		families, err := reg.Gather()
		if err != nil || len(families) != 1 || families[0].GetMetric()[0].GetGauge().GetValue() != step.want {
			t.Errorf("after %s: got %v, %v; want %v", step.after, families, err, step.want)
		}
	}
	<-time.After(maxAge)
	failure = errors.New("no database")
	if families, err := reg.Gather(); err != nil || len(families) != 0 {
		t.Errorf("without an answer: %v, %v", families, err)
	}
}
