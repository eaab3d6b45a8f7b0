package mirror

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/obs"
)

type metrics struct {
	runs *prometheus.CounterVec
	age  *obs.Age
}

func newMetrics(reg prometheus.Registerer, clk clock.Clock) (*metrics, error) {
	m := &metrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "releases_sync_runs_total",
			Help: "Runs of the comparison with GitHub, by outcome.",
		}, []string{"outcome"}),
		age: obs.NewAge(clk, "releases_sync_age_seconds", "Time since GitHub last answered; NaN until it has."),
	}
	return m, errors.Join(reg.Register(m.runs), reg.Register(m.age))
}

func (m *metrics) checkedAt(t time.Time) {
	if !t.IsZero() {
		m.age.Since(t)
	}
}
