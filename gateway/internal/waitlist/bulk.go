package waitlist

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

func (h *handlers) bulkApproveWaitlistUsers(c *gin.Context, req wire.BulkApproveRequest) error {
	resp, err := h.waitlist.BulkApproveUsers(c.Request.Context(), &waitlistv1.BulkApproveUsersRequest{Ids: req.WaitlistUserIds})
	if err != nil {
		return err
	}
	answer := wire.BulkApproveAnswer{Results: make([]wire.BulkApproveAnswer_Results, 0, len(resp.GetResults()))}
	for _, r := range resp.GetResults() {
		answer.Results = append(answer.Results, wire.BulkApproveAnswer_Results{
			WaitlistUserID: r.GetId(), Ok: r.GetCode() == "", Error: route.OrNull(r.GetError()), Code: route.OrNull(r.GetCode()), UndoUntil: route.TimeOrNull(r.GetUndoUntil()),
		})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}
