package session

import (
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/handoff"
)

// Metrics counts what happens to sessions.
type Metrics struct {
	signIns, opened, minted, revoked, exchanges, deletions *prometheus.CounterVec
	codes                                                  prometheus.Counter
}

// NewMetrics registers the counters.
func NewMetrics(reg prometheus.Registerer) (*Metrics, error) {
	vec := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	m := &Metrics{
		signIns:   vec("identity_sign_ins_total", "Browsers signed in, by provider.", "provider"),
		opened:    vec("identity_families_opened_total", "Session families opened, by kind (browser, mac).", "kind"),
		minted:    vec("identity_access_tokens_minted_total", "Access tokens minted, by grant (cookie, refresh, code, device).", "grant"),
		revoked:   vec("identity_families_revoked_total", "Session families ended early, by reason (signed_out, reuse, displaced, disabled by staff). Those that Kratos ended count in identity_kratos_families_ended_total.", "reason"),
		exchanges: vec("identity_hand_off_exchanges_total", "Hand-off codes presented, by result: accepted, or why not.", "result"),
		deletions: vec("identity_deletions_total", "Deletions of accounts, by what became of them (begun, taken_back).", "result"),
		codes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "identity_hand_off_codes_minted_total", Help: "Hand-off codes minted.",
		}),
	}
	for _, c := range []prometheus.Collector{m.signIns, m.opened, m.minted, m.revoked, m.exchanges, m.deletions, m.codes} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Metrics) opens(kind Kind, displaced int) {
	m.opened.WithLabelValues(string(kind)).Inc()
	m.revoked.WithLabelValues(string(Displaced)).Add(float64(displaced))
}

// Ended counts families that were ended early.
func (m *Metrics) Ended(why Revocation, n int) {
	m.revoked.WithLabelValues(string(why)).Add(float64(n))
}

// DeletionBegun counts an account that is to be deleted.
func (m *Metrics) DeletionBegun() { m.deletions.WithLabelValues("begun").Inc() }

func (m *Metrics) exchanged(verdict handoff.Refusal, ended int) {
	switch verdict {
	case handoff.Accepted:
		m.exchanges.WithLabelValues("accepted").Inc()
		return
	case handoff.Reused:
		m.revoked.WithLabelValues(string(Reused)).Add(float64(ended))
	}
	m.exchanges.WithLabelValues(string(verdict)).Inc()
}
