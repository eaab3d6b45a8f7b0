package waitlist

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
)

// exportWaitlistUsers sends all entries that match the filters.
func (h *handlers) exportWaitlistUsers(c *gin.Context) error {
	list, err := listRequest(c)
	if err != nil {
		return err
	}
	req := &waitlistv1.ExportUsersRequest{Status: list.GetStatus(), Search: list.GetSearch(), Undelivered: list.GetUndelivered()}
	return h.csv.Send(c, "waitlist.csv", []string{"email", "status", "source", "created_at"}, func(ctx context.Context) ([][]string, bool, error) {
		resp, err := h.waitlist.ExportUsers(ctx, req)
		if err != nil {
			return nil, false, err
		}
		next := make([][]string, 0, len(resp.GetUsers()))
		for _, u := range resp.GetUsers() {
			next = append(next, []string{
				u.GetEmail(), enum.Name(u.GetStatus()), enum.Name(u.GetSource()),
				u.GetCreatedAt().AsTime().Format(time.RFC3339Nano),
			})
		}
		req.Cursor = resp.GetNextCursor()
		return next, req.GetCursor() != "", nil
	})
}
