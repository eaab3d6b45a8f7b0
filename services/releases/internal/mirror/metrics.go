package mirror

import (
	"errors"
	"math"
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
	tokenEnds prometheus.Gauge
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
		tokenEnds: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "releases_github_token_expiry_timestamp_seconds",
			Help: "When GITHUB_TOKEN ends, in seconds since 1970; NaN while GitHub has named no end.",
		}),
		age: obs.NewAge(clk, "releases_sync_age_seconds", "Time since GitHub last answered; NaN until it has."),
	}
	m.withdrawn.WithLabelValues(replaced) // from zero on, so that the first counts
	m.tokenEnds.Set(math.NaN())
	return m, errors.Join(reg.Register(m.runs), reg.Register(m.age), reg.Register(m.withdrawn), reg.Register(m.tokenEnds))
}

func (m *metrics) checkedAt(t time.Time) {
	if !t.IsZero() {
		m.age.Since(t)
	}
}

func (m *metrics) tokenEndsAt(t time.Time) {
	if !t.IsZero() {
		m.tokenEnds.Set(float64(t.Unix()))
	}
}
