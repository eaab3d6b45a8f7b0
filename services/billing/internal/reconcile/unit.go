package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/service"
)

// retry is how soon a comparison that failed is tried again.
const retry = time.Minute

// Unit compares at once and then regularly, until stopped. It starts even if Stripe does
// not answer.
func (r *Reconciler) Unit() service.Unit {
	return service.Background("reconciliation with Stripe", r.loop)
}

func (r *Reconciler) loop(ctx context.Context) {
	for {
		pause := r.every
		result, err := r.Run(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			pause = min(retry, r.every)
			r.log.Error("cannot compare with Stripe", "error", err)
		case !result.Elsewhere:
			r.log.Info("compared with Stripe", "subscriptions", result.Subscriptions, "invoices", result.Invoices,
				"events", result.Events, "repaired", result.Repaired, "failed", result.Failed)
		}
		if !service.Pause(ctx, pause) {
			return
		}
	}
}

type metrics struct {
	repairs *prometheus.CounterVec
	unfit   prometheus.Gauge
	age     *obs.Age
	clock   clock.Clock
}

func newMetrics(reg prometheus.Registerer, clk clock.Clock) (*metrics, error) {
	m := &metrics{
		clock: clk,
		repairs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_reconcile_repairs_total", Help: "Repairs of what lost events left out, by what revealed it: subscription, invoice, event.",
		}, []string{"kind"}),
		unfit: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "billing_reconcile_unfit", Help: "Subscriptions that could not be applied in the last comparison. They need investigation.",
		}),
		age: obs.NewAge(clk, "billing_reconcile_age_seconds", "Time since this replica completed a comparison with Stripe; NaN until it has."),
	}
	for _, kind := range []string{"subscription", "invoice", "event"} {
		m.repairs.WithLabelValues(kind)
	}
	return m, errors.Join(reg.Register(m.repairs), reg.Register(m.unfit), reg.Register(m.age))
}

func (m *metrics) done(result Result) {
	m.unfit.Set(float64(result.Failed))
	m.age.Since(m.clock.Now())
}
