package reconcile

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	repairs *prometheus.CounterVec
	unfit   prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		repairs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_reconcile_repairs_total", Help: "Repairs of what lost events left out, by what revealed it: subscription, invoice, pack, event, or unlisted for what Stripe does not know.",
		}, []string{"kind"}),
		unfit: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "billing_reconcile_unfit", Help: "Subscriptions and packs that could not be applied in the last comparison. They need investigation.",
		}),
	}
	for _, kind := range []string{"subscription", "invoice", "pack", "event", "unlisted"} {
		m.repairs.WithLabelValues(kind)
	}
	return m, errors.Join(reg.Register(m.repairs), reg.Register(m.unfit))
}
