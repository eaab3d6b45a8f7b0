package ledger

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// entryKind is the kind of an entry, and a label.
type entryKind string

const (
	grantKind    entryKind = "grant"
	consumeKind  entryKind = "consume"
	expireKind   entryKind = "expire"
	clawbackKind entryKind = "clawback"
	adjustKind   entryKind = "adjust"
)

// metrics count in credits, not in hundredths. What is done in a caller's
// transaction counts when it is done, even if the transaction fails later.
type metrics struct {
	amounts       *prometheus.CounterVec
	refusals      *prometheus.CounterVec
	holdsExpired  prometheus.Counter
	missing       prometheus.Counter
	checkFailures prometheus.Counter
	checkAccounts prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		amounts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_credits_total", Help: "Credits that were moved, by the kind of entry: grant, consume, expire, clawback, adjust.",
		}, []string{"kind"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_credits_insufficient_total", Help: "Spends that were refused for lack of credits, by method: consume, hold.",
		}, []string{"method"}),
		holdsExpired: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "billing_credit_holds_expired_total", Help: "Holds that nobody settled in time.",
		}),
		missing: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "billing_credits_clawback_missing_total", Help: "Credits that could not be clawed back because they were used or held.",
		}),
		checkFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "billing_balance_check_failures_total", Help: "Accounts whose balance is not what their entries, grants and holds make. Must stay 0.",
		}),
		checkAccounts: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "billing_balance_check_accounts", Help: "Accounts in the last complete check of the balances.",
		}),
	}
	for _, kind := range []entryKind{grantKind, consumeKind, expireKind, clawbackKind, adjustKind} {
		m.amounts.WithLabelValues(string(kind))
	}
	for _, method := range []string{"consume", "hold"} {
		m.refusals.WithLabelValues(method)
	}
	return m, errors.Join(reg.Register(m.amounts), reg.Register(m.refusals), reg.Register(m.holdsExpired), reg.Register(m.missing),
		reg.Register(m.checkFailures), reg.Register(m.checkAccounts))
}

func (m *metrics) moved(kind entryKind, amount int64) {
	m.amounts.WithLabelValues(string(kind)).Add(credits(amount))
}

// credits turns hundredths into credits.
func credits(hundredths int64) float64 { return float64(hundredths) / 100 }
