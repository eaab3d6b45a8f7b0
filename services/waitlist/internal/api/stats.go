package api

import (
	"context"
	"time"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/waitlist/internal/entry"
)

// statsAge is how old the statistics of the overview may be.
const statsAge = 5 * time.Second

// GetStats counts the list for the staff's overview.
func (s *Server) GetStats(ctx context.Context, _ *waitlistv1.GetStatsRequest) (*waitlistv1.GetStatsResponse, error) {
	stats, err := s.stats.Get(ctx)
	if err != nil {
		return nil, err
	}
	resp := &waitlistv1.GetStatsResponse{
		Pending: stats.ByStatus[entry.Pending], Approved: stats.ByStatus[entry.Approved], Rejected: stats.ByStatus[entry.Rejected],
	}
	resp.Total = resp.GetPending() + resp.GetApproved() + resp.GetRejected()
	resp.Invitations = &waitlistv1.InvitationStats{
		Approved: stats.Invitations.Approved, Opened: stats.Invitations.Opened, SignedIn: stats.Invitations.SignedIn, Downloaded: stats.Invitations.Downloaded,
		Reminded: stats.Invitations.Reminded, Expired: stats.Invitations.Expired,
	}
	for _, day := range stats.Days {
		resp.Days = append(resp.Days, &waitlistv1.DayStats{Day: day.Day.Format(time.DateOnly), SignUps: day.SignUps, Approvals: day.Approvals})
	}
	return resp, nil
}
