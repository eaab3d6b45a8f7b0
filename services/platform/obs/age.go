package obs

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
)

// Age is a gauge of the seconds since something last went well in this process; NaN
// until it has, so that an alert can tell the two apart.
type Age struct {
	prometheus.GaugeFunc
	at atomic.Int64 // Unix nanoseconds; 0 for never
}

// NewAge returns an age that is still to be registered.
func NewAge(clk clock.Clock, name, help string) *Age {
	a := &Age{}
	a.GaugeFunc = prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		at := a.at.Load()
		if at == 0 {
			return math.NaN()
		}
		return clk.Now().Sub(time.Unix(0, at)).Seconds()
	})
	return a
}

// Since counts from t on.
func (a *Age) Since(t time.Time) { a.at.Store(t.UnixNano()) }
