package mirror

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
)

// replaced is why a release was withdrawn, as the metric says.
const replaced = "replaced"

type metrics struct {
	runs *prometheus.CounterVec
	// checked is when GitHub last answered, in Unix nanoseconds; 0 for never.
	checked atomic.Int64
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
	}
	age := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "releases_sync_age_seconds",
		Help: "Time since GitHub last answered; NaN before its first answer.",
	}, func() float64 {
		if at := m.checked.Load(); at != 0 {
			return clk.Now().Sub(time.Unix(0, at)).Seconds()
		}
		return math.NaN()
	})
	m.withdrawn.WithLabelValues(replaced) // from zero on, so that the first counts
	m.tokenEnds.Set(math.NaN())
	return m, errors.Join(reg.Register(m.runs), reg.Register(age), reg.Register(m.withdrawn), reg.Register(m.tokenEnds))
}

func (m *metrics) checkedAt(t time.Time) {
	if !t.IsZero() {
		m.checked.Store(t.UnixNano())
	}
}

func (m *metrics) tokenEndsAt(t time.Time) {
	if !t.IsZero() {
		m.tokenEnds.Set(float64(t.Unix()))
	}
}
