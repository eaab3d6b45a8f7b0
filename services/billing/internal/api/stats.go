package api

import (
	"context"
	"time"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

// statsAge is how old the statistics of the overview may be.
const statsAge = 5 * time.Second

// GetStats returns what staff see of billing at a glance.
func (s *Server) GetStats(ctx context.Context, _ *billingv1.GetStatsRequest) (*billingv1.GetStatsResponse, error) {
	overview, err := s.stats.Get(ctx)
	if err != nil {
		return nil, err
	}
	resp := &billingv1.GetStatsResponse{Active: overview.Active, Cancelled: overview.Cancelled, PastDue: overview.PastDue,
		Cases: overview.Cases, Differences: int64(len(s.Setup.Found()))}
	for _, p := range overview.Plans {
		resp.Plans = append(resp.Plans, &billingv1.PlanStats{Name: p.Name, Active: p.Active})
	}
	for _, d := range overview.Days {
		resp.Spent += d.Spent
		resp.Days = append(resp.Days, &billingv1.DailySpend{Day: d.Start.Format(time.DateOnly), Amount: d.Spent})
	}
	return resp, nil
}
