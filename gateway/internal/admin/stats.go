package admin

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// statsTimeout is how long a service may take for its statistics.
const statsTimeout = 800 * time.Millisecond

// adminStats has a part for each service with statistics; nil while they are unavailable.
type adminStats struct {
	Waitlist      *waitlistStats     `json:"waitlist"`
	Tickets       *ticketStats       `json:"tickets"`
	Subscriptions *subscriptionStats `json:"subscriptions"`
	Credits       *creditStats       `json:"credits"`
	Downloads     *downloadTotals    `json:"downloads"`
}

type waitlistStats struct {
	Total    int64         `json:"total"`
	Pending  int64         `json:"pending"`
	Approved int64         `json:"approved"`
	Rejected int64         `json:"rejected"`
	Days     []waitlistDay `json:"days"`
}

type waitlistDay struct {
	Day       string `json:"day"`
	SignUps   int64  `json:"sign_ups"`
	Approvals int64  `json:"approvals"`
}

// getAdminStats asks all services at the same time, each for its part.
func (h *handlers) getAdminStats(c *gin.Context) error {
	var stats adminStats
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
				h.log.WarnContext(ctx, "no statistics", "from", service, "error", err)
			}
		})
	}
	parts.Wait()
	c.JSON(http.StatusOK, stats)
	return nil
}

func (h *handlers) waitlistStats(ctx context.Context) (*waitlistStats, error) {
	resp, err := h.services.Waitlist.GetStats(ctx, &waitlistv1.GetStatsRequest{})
	if err != nil {
		return nil, err
	}
	stats := &waitlistStats{Total: resp.GetTotal(), Pending: resp.GetPending(), Approved: resp.GetApproved(), Rejected: resp.GetRejected()}
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, waitlistDay{d.GetDay(), d.GetSignUps(), d.GetApprovals()})
	}
	return stats, nil
}
