package stats

import (
	"context"
	"time"

	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/obs"
)

// Gauge counts accounts by plan and status, including plans that nobody has.
func (r *Reader) Gauge() obs.ScrapeGauge {
	return obs.ScrapeGauge{
		Name: "billing_subscriptions", Help: "Accounts by plan and by the status that they are shown: active, cancelled, past_due, paused.",
		Labels: []string{"plan", "status"}, MaxAge: 15 * time.Second, Look: r.subscriptions,
	}
}

func (r *Reader) subscriptions(ctx context.Context) ([]obs.Sample, error) {
	sold, err := r.plans.List(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := r.q.CountByStatus(ctx, r.pool)
	if err != nil {
		return nil, err
	}
	type place struct{ plan, status string }
	accounts := map[place]int64{}
	for _, p := range sold {
		for _, status := range []string{subscription.Active, subscription.Cancelled, subscription.PastDue, subscription.Paused} {
			accounts[place{p.ID, status}] = 0
		}
	}
	for _, s := range counts {
		accounts[place{s.PlanID, s.Status}] = s.Accounts
	}
	var samples []obs.Sample
	for at, n := range accounts {
		samples = append(samples, obs.Sample{Labels: []string{at.plan, at.status}, Value: float64(n)})
	}
	return samples, nil
}
