package projection

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// The jobs' names, in metrics and in the database.
const (
	sweep = "sweep"
	walk  = "walk"
)

type metrics struct {
	duration                  *prometheus.HistogramVec
	lastSuccess               *prometheus.GaugeVec
	asked, accounts, families *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "identity_kratos_run_seconds", Help: "Time that a run of the sweep or the walk took, by outcome (done, failed).",
			Buckets: []float64{.01, .05, .1, .5, 1, 2.5, 5, 10, 20, 60, 300, 900},
		}, []string{"run", "outcome"}),
		lastSuccess: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "identity_kratos_last_success_timestamp_seconds", Help: "When this replica last came through with a run (sweep, walk). The newest of all replicas counts.",
		}, []string{"run"}),
		asked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_kratos_accounts_seen_total", Help: "Accounts compared with Kratos, by run (sweep, walk).",
		}, []string{"run"}),
		accounts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_kratos_accounts_changed_total",
			Help: "Accounts that were not as in Kratos, by what became of them (added, repaired, disabled, enabled, signed_in), or why nothing did (unverified, doubted).",
		}, []string{"effect"}),
		families: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_kratos_families_ended_total", Help: "Session families ended because of a change in Kratos, by reason (disabled, kratos_ended).",
		}, []string{"reason"}),
	}
	var errs []error
	for _, c := range []prometheus.Collector{m.duration, m.lastSuccess, m.asked, m.accounts, m.families} {
		errs = append(errs, reg.Register(c))
	}
	return m, errors.Join(errs...)
}
