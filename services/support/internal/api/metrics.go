package api

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/support/internal/ticket"
)

// register makes the counters of what really changed: repeats do not count.
func (s *Server) register(reg *prometheus.Registry) error {
	s.tickets = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "support_tickets_total", Help: "Tickets opened, by category and priority.",
	}, []string{"category", "priority"})
	s.updates = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "support_updates_total", Help: "Changes of tickets, by who made them (customer or staff) and the status after it; stale for those refused as too late.",
	}, []string{"by", "outcome"})
	for _, category := range []ticket.Category{ticket.Bug, ticket.FeatureRequest, ticket.Billing, ticket.TechnicalSupport, ticket.Other} {
		for _, priority := range []ticket.Priority{ticket.Low, ticket.Medium, ticket.High, ticket.Urgent} {
			s.tickets.WithLabelValues(string(category), string(priority))
		}
	}
	return errors.Join(reg.Register(s.tickets), reg.Register(s.updates))
}
