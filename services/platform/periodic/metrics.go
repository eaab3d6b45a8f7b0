package periodic

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// outcome is how a run ended, and a label.
type outcome string

const (
	done outcome = "done"
	// elsewhere is a run that another replica was at, or had lately been through.
	elsewhere outcome = "elsewhere"
	failed    outcome = "failed"
	panicked  outcome = "panicked"
)

type metrics struct {
	lastSuccess *prometheus.GaugeVec
	interval    *prometheus.GaugeVec
	duration    *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		lastSuccess: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "periodic_last_success_timestamp_seconds",
			Help: "When the last run of the task that succeeded on this replica began; 0 if none has. The newest of all replicas counts.",
		}, []string{"task"}),
		interval: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "periodic_interval_seconds", Help: "The pause between two runs of the task.",
		}, []string{"task"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "periodic_run_seconds", Help: "Time that a run took, by outcome: done, elsewhere (another replica's), failed, panicked.",
			Buckets: []float64{.01, .05, .1, .5, 1, 2.5, 5, 10, 20, 60, 300, 900},
		}, []string{"task", "outcome"}),
	}
	return m, errors.Join(reg.Register(m.lastSuccess), reg.Register(m.interval), reg.Register(m.duration))
}

// announce makes the task known before its first run.
func (m *metrics) announce(t Task) {
	m.lastSuccess.WithLabelValues(t.Name)
	m.interval.WithLabelValues(t.Name).Set(t.Every.Seconds())
	for _, o := range []outcome{failed, panicked} {
		m.duration.WithLabelValues(t.Name, string(o))
	}
}

func (m *metrics) observe(t Task, o outcome, began, ended time.Time) {
	m.duration.WithLabelValues(t.Name, string(o)).Observe(ended.Sub(began).Seconds())
	if o == done {
		m.lastSuccess.WithLabelValues(t.Name).Set(float64(began.Unix()))
	}
}
