package api

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/fault"
)

// Outcomes of a sign-up.
const (
	joined      = "new"
	known       = "known"
	invalid     = "invalid"
	unavailable = "unavailable"
)

func newSignupCounter(reg *prometheus.Registry) (*prometheus.CounterVec, error) {
	signups := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waitlist_signups_total",
		Help: "Sign-ups by outcome: new, known, invalid or unavailable.",
	}, []string{"outcome"})
	for _, outcome := range []string{joined, known, invalid, unavailable} {
		signups.WithLabelValues(outcome)
	}
	return signups, reg.Register(signups)
}

func (s *Server) count(outcome string, err error) {
	switch {
	case errors.Is(err, fault.Invalid):
		outcome = invalid
	case err != nil:
		outcome = unavailable
	}
	s.signups.WithLabelValues(outcome).Inc()
}
