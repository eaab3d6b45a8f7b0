package stats

import (
	"context"

	"fledge.dev/services/platform/obs"
)

// Figure is how many accounts subscribe to what.
func (r *Reader) Figure() obs.Figure {
	return obs.Figure{
		Name: "billing_subscriptions", Help: "Accounts by plan and by the status that they are shown: active, cancelled, past_due.", Labels: []string{"plan", "status"},
		Look: func(ctx context.Context) ([]obs.Sample, error) {
			standings, err := r.q.CountStandings(ctx, r.pool)
			samples := make([]obs.Sample, len(standings))
			for i, s := range standings {
				samples[i] = obs.Sample{Labels: []string{s.PlanID, s.Status}, Value: float64(s.Accounts)}
			}
			return samples, err
		},
	}
}
