package waitlist

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// maxBulk is how many rows one request may change.
const maxBulk = 100

type bulkApproveRequest struct {
	WaitlistUserIDs []string `json:"waitlistUserIds"`
}

type bulkApproveResult struct {
	WaitlistUserID string `json:"waitlistUserId"`
	OK             bool   `json:"ok"`
	Error          string `json:"error,omitempty"`
	Code           string `json:"code,omitempty"`
}

type bulkApproveAnswer struct {
	Results []bulkApproveResult `json:"results"`
}

func (h *handlers) bulkApproveWaitlistUsers(c *gin.Context) error {
	req, err := jsonbody.Decode[bulkApproveRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	ids, err := bulkIDs("waitlistUserIds", req.WaitlistUserIDs)
	if err != nil {
		return err
	}
	resp, err := h.waitlist.BulkApproveUsers(c.Request.Context(), &waitlistv1.BulkApproveUsersRequest{Ids: ids})
	if err != nil {
		return err
	}
	answer := bulkApproveAnswer{Results: make([]bulkApproveResult, 0, len(ids))}
	for _, r := range resp.GetResults() {
		answer.Results = append(answer.Results, bulkApproveResult{
			WaitlistUserID: r.GetId(), OK: r.GetCode() == "", Error: r.GetError(), Code: r.GetCode(),
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
