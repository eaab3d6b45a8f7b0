package webhook

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/subscription"
)

type metrics struct {
	deliveries, attempts, parked *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_stripe_events_received_total",
			Help: "Deliveries of events, by outcome: pending (new, to be applied), duplicate, ignored, foreign (a connected account's, ignored), wrong_mode, refused, malformed, too_large.",
		}, []string{"outcome"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_stripe_events_applied_total", Help: "Attempts to apply an event, by outcome: applied, failed, parked, foreign (another product's, ignored).",
		}, []string{"outcome"}),
		parked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_stripe_events_parked_total", Help: "Events that cannot be applied, by reason. Somebody has to look.",
		}, []string{"reason"}),
	}
	for _, outcome := range []string{pending, "duplicate", ignored, foreign, wrongMode, "refused", "malformed", "too_large"} {
		m.deliveries.WithLabelValues(outcome)
	}
	for _, outcome := range []string{applied, "failed", parked, foreign} {
		m.attempts.WithLabelValues(outcome)
	}
	for _, reason := range subscription.Reasons() {
		m.parked.WithLabelValues(reason)
	}
	return m, errors.Join(reg.Register(m.deliveries), reg.Register(m.attempts), reg.Register(m.parked))
}

func (m *metrics) received(outcome string) { m.deliveries.WithLabelValues(outcome).Inc() }

func (m *metrics) applied(outcome string) { m.attempts.WithLabelValues(outcome).Inc() }
