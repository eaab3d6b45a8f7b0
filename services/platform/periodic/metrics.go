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
	// elsewhere is a run that another replica was at, notDue one that another replica had
	// lately been through.
	elsewhere outcome = "elsewhere"
	notDue    outcome = "not_due"
	failed    outcome = "failed"
	panicked  outcome = "panicked"
)

func (o outcome) success() bool { return o == done || o == notDue }

type metrics struct {
	lastSuccess *prometheus.GaugeVec
	interval    *prometheus.GaugeVec
	deadline    *prometheus.GaugeVec
	duration    *prometheus.HistogramVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		lastSuccess: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "periodic_last_success_timestamp_seconds",
			Help: "When this replica last ended a run of the task with success, or found that another one had done so within the interval; 0 if never. The newest of all replicas counts.",
		}, []string{"task"}),
		interval: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "periodic_interval_seconds", Help: "The pause between two runs of the task.",
		}, []string{"task"}),
		deadline: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "periodic_run_deadline_timestamp_seconds",
			Help: "Until when the run that this replica is at may take; 0 without a run or a deadline, and after a failure until the task succeeds again.",
		}, []string{"task"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "periodic_run_seconds", Help: "Time that a run took, by outcome: done, elsewhere (another replica is at it), not_due (another has been), failed, panicked.",
			Buckets: []float64{.01, .05, .1, .5, 1, 2.5, 5, 10, 20, 60, 300, 900},
		}, []string{"task", "outcome"}),
	}
	return m, errors.Join(reg.Register(m.lastSuccess), reg.Register(m.interval), reg.Register(m.deadline), reg.Register(m.duration))
}

// announce makes the task known before its first run.
func (m *metrics) announce(t Task) {
	m.lastSuccess.WithLabelValues(t.Name)
	m.interval.WithLabelValues(t.Name).Set(t.Every.Seconds())
	m.deadline.WithLabelValues(t.Name)
	for _, o := range []outcome{failed, panicked} {
		m.duration.WithLabelValues(t.Name, string(o))
	}
}

// allow has a run take until then without being overdue.
func (m *metrics) allow(t Task, until time.Time) {
	m.deadline.WithLabelValues(t.Name).Set(float64(until.Unix()))
}

func (m *metrics) observe(t Task, o outcome, began, ended time.Time) {
	m.duration.WithLabelValues(t.Name, string(o)).Observe(ended.Sub(began).Seconds())
	// The replica that succeeded may stop before another one's next run.
	if o.success() {
		m.lastSuccess.WithLabelValues(t.Name).Set(float64(ended.Unix()))
	}
	m.deadline.WithLabelValues(t.Name).Set(0)
}
