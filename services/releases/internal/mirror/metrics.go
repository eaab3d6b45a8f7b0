package mirror

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/obs"
)

// replaced is why a release was withdrawn, as the metric says.
const replaced = "replaced"

type metrics struct {
	runs *prometheus.CounterVec
	age  *obs.Age
	// withdrawn counts releases that were made unavailable, by why.
	withdrawn *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer, clk clock.Clock) (*metrics, error) {
	m := &metrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "releases_sync_runs_total",
			Help: "Runs of the comparison with GitHub, by outcome.",
		}, []string{"outcome"}),
		withdrawn: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "releases_withdrawn_total",
			Help: "Available releases that were disabled, because Macs would get other builds (replaced).",
		}, []string{"reason"}),
		age: obs.NewAge(clk, "releases_sync_age_seconds", "Time since GitHub last answered; NaN until it has."),
	}
	m.withdrawn.WithLabelValues(replaced) // from zero on, so that the first counts
	return m, errors.Join(reg.Register(m.runs), reg.Register(m.age), reg.Register(m.withdrawn))
}

func (m *metrics) checkedAt(t time.Time) {
	if !t.IsZero() {
		m.age.Since(t)
	}
}
