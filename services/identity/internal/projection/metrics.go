package projection

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// The jobs' names, in metrics and in the database: job_runs keeps them, so that another name
// needs a migration.
const (
	incremental = "kratos_reconcile"
	full        = "kratos_full_reconcile"
)

type metrics struct {
	asked, accounts, families *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		asked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_kratos_accounts_seen_total", Help: "Accounts compared with Kratos, by run (kratos_reconcile, kratos_full_reconcile).",
		}, []string{"run"}),
		accounts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_kratos_accounts_changed_total",
			Help: "Accounts that were not as in Kratos, by what became of them (added, repaired, trimmed, disabled, enabled, signed_in), or why nothing did (unverified, implausible).",
		}, []string{"effect"}),
		families: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_kratos_families_ended_total", Help: "Session families ended because of a change in Kratos, by reason (disabled, kratos_ended).",
		}, []string{"reason"}),
	}
	var errs []error
	for _, c := range []prometheus.Collector{m.asked, m.accounts, m.families} {
		errs = append(errs, reg.Register(c))
	}
	return m, errors.Join(errs...)
}
