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
	// replaced counts releases that were made unavailable.
	replaced prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, clk clock.Clock) (*metrics, error) {
	m := &metrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "releases_sync_runs_total",
			Help: "Runs of the comparison with GitHub, by outcome.",
		}, []string{"outcome"}),
		replaced: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "releases_replaced_total",
			Help: "Available releases that were disabled, because their builds were uploaded again with other bytes.",
		}),
		age: obs.NewAge(clk, "releases_sync_age_seconds", "Time since GitHub last answered; NaN until it has."),
	}
	return m, errors.Join(reg.Register(m.runs), reg.Register(m.age), reg.Register(m.replaced))
}

func (m *metrics) checkedAt(t time.Time) {
	if !t.IsZero() {
		m.age.Since(t)
	}
}
