package obs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/obs"
)

func TestAFigureIsLookedUpAtEachScrape(t *testing.T) {
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
	for _, want := range []float64{3, 5} {
		waiting = want
		families, err := reg.Gather()
		if err != nil || len(families) != 1 || families[0].GetMetric()[0].GetGauge().GetValue() != want {
			t.Errorf("got %v, %v; want %v", families, err, want)
		}
	}
	failure = errors.New("no database")
	if families, err := reg.Gather(); err != nil || len(families) != 0 {
		t.Errorf("without an answer: %v, %v", families, err)
	}
}
