package waitlist

import (
	"net/http"
	"slices"

	"fledge.dev/gateway/internal/wire"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// maxBulk is how many rows one request may change.
const maxBulk = 100

func (h *handlers) bulkApproveWaitlistUsers(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.BulkApproveRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	ids, err := bulkIDs("waitlistUserIds", req.WaitlistUserIds)
	if err != nil {
		return err
	}
	resp, err := h.waitlist.BulkApproveUsers(c.Request.Context(), &waitlistv1.BulkApproveUsersRequest{Ids: ids})
	if err != nil {
		return err
	}
	answer := wire.BulkApproveAnswer{Results: make([]wire.BulkApproveAnswer_Results, 0, len(ids))}
	for _, r := range resp.GetResults() {
		answer.Results = append(answer.Results, wire.BulkApproveAnswer_Results{
			WaitlistUserID: r.GetId(), Ok: r.GetCode() == "", Error: route.OrNull(r.GetError()), Code: route.OrNull(r.GetCode()),
		})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

// bulkIDs reads 1 to maxBulk UUIDs, each once.
func bulkIDs(name string, values []string) ([]string, error) {
	if len(values) < 1 || len(values) > maxBulk {
		return nil, route.Invalid(name, "is not a list of 1 to 100 ids")
	}
	ids := make([]string, 0, len(values))
	for _, value := range values {
		id, err := route.UUID(name, value)
		if err != nil {
			return nil, route.Invalid(name, "has an entry that is not a UUID")
		}
		if slices.Contains(ids, id) {
			return nil, route.Invalid(name, "names an entry twice")
		}
		ids = append(ids, id)
	}
	return ids, nil
}
