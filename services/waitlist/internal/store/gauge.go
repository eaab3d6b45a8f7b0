package store

import (
	"context"
	"time"

	"fledge.dev/services/platform/obs"
)

// gauge counts entries by status.
func (s *Store) gauge() obs.ScrapeGauge {
	return obs.ScrapeGauge{
		Name: "waitlist_entries", Help: "Entries of the waitlist, by status: pending, approved, rejected.", Labels: []string{"status"}, MaxAge: 15 * time.Second,
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			states, err := s.q.CountByStatus(ctx, s.pool)
			samples := make([]obs.Sample, len(states))
			for i, state := range states {
				samples[i] = obs.Sample{Labels: []string{state.Status}, Value: float64(state.Entries)}
			}
			return samples, err
		},
	}
}

// unconfirmedGauge counts the sign-ups that can be confirmed.
func (s *Store) unconfirmedGauge() obs.ScrapeGauge {
	return obs.ScrapeGauge{
		Name: "waitlist_unconfirmed", Help: "Sign-ups whose address is yet to be confirmed, by a link that works.", MaxAge: 15 * time.Second,
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			n, err := s.q.CountUnconfirmed(ctx, s.pool, s.clock.Now())
			return []obs.Sample{{Value: float64(n)}}, err
		},
	}
}
