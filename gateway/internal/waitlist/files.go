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
	return h.csv.Send(c, "waitlist.csv", append([]string{"email", "status", "source", "created_at"}, recordColumns[:]...), func(ctx context.Context) ([][]string, bool, error) {
		resp, err := h.waitlist.ExportUsers(ctx, req)
		if err != nil {
			return nil, false, err
		}
		next := make([][]string, 0, len(resp.GetUsers()))
		for i, u := range resp.GetUsers() {
			var record *waitlistv1.Record
			if i < len(resp.GetRecords()) { // the previous version of the service answers none
				record = resp.GetRecords()[i]
			}
			next = append(next, append([]string{
				u.GetEmail(), enum.Name(u.GetStatus()), enum.Name(u.GetSource()),
				u.GetCreatedAt().AsTime().Format(time.RFC3339Nano),
			}, cellsOfRecord(record)...))
		}
		req.Cursor = resp.GetNextCursor()
		return next, req.GetCursor() != "", nil
	})
}
