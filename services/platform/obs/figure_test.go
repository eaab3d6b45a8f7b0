package obs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/obs"
)

func TestAFigureIsLookedUpForScrapesOnceASecond(t *testing.T) {
	synctest.Test(t, lookedUp)
}

func lookedUp(t *testing.T) {
	reg, waiting, failure := prometheus.NewRegistry(), 3.0, error(nil)
	figure := obs.Figure{Name: "letters", Help: "Letters that wait.", Labels: []string{"state"}, Look: func(ctx context.Context) ([]obs.Sample, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("a look has no deadline")
		}
		return []obs.Sample{{Labels: []string{"waiting"}, Value: waiting}}, failure
	}}
	if err := figure.Register(reg); err != nil {
		t.Fatal(err)
	}
	if err := figure.Register(reg); err == nil {
		t.Error("registered twice")
	}
	for _, step := range []struct {
		after     time.Duration
		now, want float64
	}{{0, 3, 3}, {999 * time.Millisecond, 5, 3}, {time.Millisecond, 5, 5}} {
		<-time.After(step.after)
		waiting = step.now
		families, err := reg.Gather()
		if err != nil || len(families) != 1 || families[0].GetMetric()[0].GetGauge().GetValue() != step.want {
			t.Errorf("after %s: got %v, %v; want %v", step.after, families, err, step.want)
		}
	}
	<-time.After(time.Second)
	failure = errors.New("no database")
	if families, err := reg.Gather(); err != nil || len(families) != 0 {
		t.Errorf("without an answer: %v, %v", families, err)
	}
}
