package api

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/fault"
)

// Outcomes of a sign-up.
const (
	joined      = "new"
	unconfirmed = "unconfirmed"
	confirmed   = "confirmed"
	known       = "known"
	invalid     = "invalid"
	unavailable = "unavailable"
	canceled    = "canceled"
)

func newSignupCounter(reg *prometheus.Registry) (*prometheus.CounterVec, error) {
	signups := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waitlist_signups_total",
		Help: "Sign-ups by outcome: new, unconfirmed (an email asks for it), confirmed, known, invalid, unavailable, or canceled by a caller that left.",
	}, []string{"outcome"})
	for _, outcome := range []string{joined, unconfirmed, confirmed, known, invalid, unavailable, canceled} {
		signups.WithLabelValues(outcome)
	}
	return signups, reg.Register(signups)
}

func (s *Server) count(ctx context.Context, outcome string, err error) {
	switch {
	case errors.Is(err, fault.Invalid):
		outcome = invalid
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		outcome = canceled
	case err != nil:
		outcome = unavailable
	}
	s.signups.WithLabelValues(outcome).Inc()
}
