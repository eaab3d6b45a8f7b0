package mirror

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
)

type metrics struct {
	turns   *prometheus.CounterVec
	checked atomic.Int64 // Unix nanoseconds; 0 for never
}

func newMetrics(reg prometheus.Registerer, clk clock.Clock) (*metrics, error) {
	m := &metrics{turns: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "releases_sync_turns_total",
		Help: "Turns at asking GitHub for releases, by outcome.",
	}, []string{"outcome"})}
	age := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "releases_sync_age_seconds",
		Help: "Time since GitHub last answered; NaN until it has.",
	}, func() float64 {
		at := m.checked.Load()
		if at == 0 {
			return math.NaN()
		}
		return clk.Now().Sub(time.Unix(0, at)).Seconds()
	})
	return m, errors.Join(reg.Register(m.turns), reg.Register(age))
}

func (m *metrics) checkedAt(t time.Time) {
	if !t.IsZero() {
		m.checked.Store(t.UnixNano())
	}
}
