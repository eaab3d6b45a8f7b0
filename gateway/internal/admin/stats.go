package admin

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// statsTimeout is how long a service may take for its statistics.
const statsTimeout = 800 * time.Millisecond

// getAdminStats asks all services at the same time, each for its part.
func (h *handlers) getAdminStats(c *gin.Context) error {
	// A part is null while its service has no statistics.
	var stats wire.AdminStats
	ctx := c.Request.Context()
	var parts sync.WaitGroup
	for service, count := range map[string]func(context.Context) error{
		"waitlist": func(ctx context.Context) (err error) { stats.Waitlist, err = h.waitlistStats(ctx); return err },
		"support":  func(ctx context.Context) (err error) { stats.Tickets, err = h.ticketStats(ctx); return err },
		"billing": func(ctx context.Context) (err error) {
			stats.Subscriptions, stats.Credits, err = h.billingStats(ctx)
			return err
		},
		"releases": func(ctx context.Context) (err error) { stats.Downloads, err = h.downloadTotals(ctx); return err },
	} {
		parts.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, statsTimeout)
			defer cancel()
			if err := count(ctx); err != nil {
				h.log.WarnContext(ctx, "statistics unavailable, the overview leaves them out", "service", service, "error", err)
			}
		})
	}
	parts.Wait()
	c.JSON(http.StatusOK, stats)
	return nil
}

func (h *handlers) waitlistStats(ctx context.Context) (*wire.WaitlistStats, error) {
	resp, err := h.services.Waitlist.GetStats(ctx, &waitlistv1.GetStatsRequest{})
	if err != nil {
		return nil, err
	}
	stats := &wire.WaitlistStats{Total: resp.GetTotal(), Pending: resp.GetPending(), Approved: resp.GetApproved(), Rejected: resp.GetRejected()}
	invited := resp.GetInvitations()
	stats.Invitations = wire.WaitlistStats_Invitations{Approved: invited.GetApproved(), Opened: invited.GetOpened(), SignedIn: invited.GetSignedIn(), Downloaded: invited.GetDownloaded(), Reminded: invited.GetReminded(), Expired: invited.GetExpired()}
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, wire.WaitlistStats_Days{Day: d.GetDay(), SignUps: d.GetSignUps(), Approvals: d.GetApprovals()})
	}
	return stats, nil
}
