package session

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what happens to sessions.
type Metrics struct {
	signIns, minted, revoked *prometheus.CounterVec
}

// NewMetrics registers the counters.
func NewMetrics(reg prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_sign_ins_total", Help: "Session families opened, by provider.",
		}, []string{"provider"}),
		minted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_access_tokens_minted_total", Help: "Access tokens minted, by grant (cookie, refresh).",
		}, []string{"grant"}),
		revoked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "identity_families_revoked_total", Help: "Session families ended early, by reason.",
		}, []string{"reason"}),
	}
	for _, c := range []prometheus.Collector{m.signIns, m.minted, m.revoked} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
