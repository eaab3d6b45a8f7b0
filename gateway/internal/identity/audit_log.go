package identity

import (
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

func (h *handlers) getAuditLog(c *gin.Context) error {
	req, err := auditRequest(c)
	if err != nil {
		return err
	}
	resp, err := h.Identity.ListAuditEntries(c.Request.Context(), req)
	if err != nil {
		return err
	}
	page := wire.AuditPage{Data: make([]wire.AuditEntry, 0, len(resp.GetEntries())), NextCursor: route.OrNull(resp.GetNextCursor())}
	for _, e := range resp.GetEntries() {
		page.Data = append(page.Data, wire.AuditEntry{
			ID: e.GetId(), At: e.GetAt().AsTime(), ActorID: e.GetActorId(), ActorEmail: e.GetActorEmail(), Action: e.GetAction(),
			Subject: e.GetSubject(), SubjectLabel: e.GetSubjectLabel(), Before: jsonOf(e.GetBefore()), After: jsonOf(e.GetAfter()),
			ClientIP: e.GetClientIp(), UserAgent: e.GetUserAgent(), RequestID: e.GetRequestId(), Reason: e.GetReason(),
		})
	}
	c.JSON(http.StatusOK, page)
	return nil
}

func auditRequest(c *gin.Context) (*identityv1.ListAuditEntriesRequest, error) {
	page, err := route.PageOf(c)
	if err != nil {
		return nil, err
	}
	q := route.Query(c)
	action := q.Get("action")
	if action == "all" {
		action = ""
	}
	from, err := route.Time("from", route.OrNull(q.Get("from")))
	if err != nil {
		return nil, err
	}
	to, err := route.Time("to", route.OrNull(q.Get("to")))
	if err != nil {
		return nil, err
	}
	return &identityv1.ListAuditEntriesRequest{
		Action: action, Actor: q.Get("actor"), About: q.Get("about"), Search: page.Search, From: from, To: to, Cursor: page.Cursor, Limit: page.Limit,
	}, nil
}

// jsonOf is a JSON document that a service keeps as text; null for "".
func jsonOf(text string) *json.RawMessage {
	if text == "" {
		return nil
	}
	document := json.RawMessage(text)
	return &document
}
