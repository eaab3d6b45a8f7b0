package identity

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/route"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

const maxActor = 254

// auditActions are all that staff can be recorded to have done, by any service.
var auditActions = []string{
	"waitlist.added", "waitlist.approved", "waitlist.removed", "waitlist.imported", "user.roles_changed",
	"release.availability_changed", "release.rollout_changed", "ticket.updated",
}

type auditEntry struct {
	ID           string          `json:"id"`
	At           time.Time       `json:"at"`
	ActorID      string          `json:"actor_id"`
	ActorEmail   string          `json:"actor_email"`
	Action       string          `json:"action"`
	Subject      string          `json:"subject"`
	SubjectLabel string          `json:"subject_label"`
	Before       json.RawMessage `json:"before"`
	After        json.RawMessage `json:"after"`
	ClientIP     string          `json:"client_ip"`
	UserAgent    string          `json:"user_agent"`
	RequestID    string          `json:"request_id"`
}

type auditPage struct {
	Data       []auditEntry `json:"data"`
	NextCursor *string      `json:"nextCursor"`
}

func (h *handlers) getAuditLog(c *gin.Context) error {
	req, err := auditRequest(c)
	if err != nil {
		return err
	}
	resp, err := h.identity.ListAuditEntries(c.Request.Context(), req)
	if err != nil {
		return err
	}
	page := auditPage{Data: make([]auditEntry, 0, len(resp.GetEntries())), NextCursor: route.OrNull(resp.GetNextCursor())}
	for _, e := range resp.GetEntries() {
		page.Data = append(page.Data, auditEntry{
			ID: e.GetId(), At: e.GetAt().AsTime(), ActorID: e.GetActorId(), ActorEmail: e.GetActorEmail(), Action: e.GetAction(),
			Subject: e.GetSubject(), SubjectLabel: e.GetSubjectLabel(), Before: jsonOf(e.GetBefore()), After: jsonOf(e.GetAfter()),
			ClientIP: e.GetClientIp(), UserAgent: e.GetUserAgent(), RequestID: e.GetRequestId(),
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
	if action != "" && !slices.Contains(auditActions, action) {
		return nil, route.Invalid("action", "is not an action of the log")
	}
	if err := route.MaxLength("actor", q.Get("actor"), maxActor); err != nil {
		return nil, err
	}
	from, err := timeParam("from", q.Get("from"))
	if err != nil {
		return nil, err
	}
	to, err := timeParam("to", q.Get("to"))
	if err != nil {
		return nil, err
	}
	return &identityv1.ListAuditEntriesRequest{
		Action: action, Actor: q.Get("actor"), Search: page.Search, From: from, To: to, Cursor: page.Cursor, Limit: page.Limit,
	}, nil
}

// timeParam reads an RFC 3339 time; nil for "".
func timeParam(name, value string) (*timestamppb.Timestamp, error) {
	if value == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return nil, route.Invalid(name, "is not a time such as 2026-11-21T09:30:00Z")
	}
	return timestamppb.New(at), nil
}

// jsonOf is a JSON document that a service keeps as text; null for "".
func jsonOf(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}
