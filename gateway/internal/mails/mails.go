// Package mails serves the routes by which admins see what became of emails, send them again and delete them.
package mails

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/enum"
)

// handlers have the services whose emails are shown.
type handlers map[string]mailv1.MailServiceClient

// Routes returns the routes.
func Routes(services *backend.Services) []route.Route {
	h := handlers{"waitlist": services.MailOf("waitlist"), "support": services.MailOf("support")}
	return []route.Route{
		{Method: http.MethodGet, Path: "/api/get-mails", Access: route.Admin, Query: []string{"service", "state", "cursor"}, Handle: h.getMails},
		{Method: http.MethodPost, Path: "/api/change-mails", Access: route.FreshAdmin, Handle: route.JSON(h.changeMails)},
	}
}

// of is the service of that name.
func (h handlers) of(name string) (mailv1.MailServiceClient, error) {
	service, ok := h[name]
	if !ok {
		return nil, route.Invalid("service", "is not waitlist or support")
	}
	return service, nil
}

func (h handlers) getMails(c *gin.Context) error {
	query := route.Query(c)
	service, err := h.of(query.Get("service"))
	if err != nil {
		return err
	}
	resp, err := service.ListMails(c.Request.Context(), &mailv1.ListMailsRequest{State: route.Enum[mailv1.MailState](query.Get("state")), Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	page := wire.MailPage{Data: make([]wire.Mail, 0, len(resp.GetMails())), NextCursor: route.OrNull(resp.GetNextCursor()), Counts: make([]wire.MailPage_Counts, 0, len(resp.GetCounts()))}
	for _, m := range resp.GetMails() {
		page.Data = append(page.Data, wire.Mail{
			ID: m.GetId(), State: wire.MailState(enum.Name(m.GetState())), To: m.GetTo(), Subject: m.GetSubject(), Reply: route.OrNull(m.GetReply()),
			ReplyAt: route.OrNull(m.GetReplyAt()), QueuedAt: m.GetQueuedAt().AsTime(), NextTryAt: route.TimeOrNull(m.GetNextTryAt()), EndedAt: route.TimeOrNull(m.GetEndedAt()),
		})
	}
	for _, n := range resp.GetCounts() {
		page.Counts = append(page.Counts, wire.MailPage_Counts{State: wire.MailPageCountsState(enum.Name(n.GetState())), Count: n.GetCount()})
	}
	c.JSON(http.StatusOK, page)
	return nil
}

func (h handlers) changeMails(c *gin.Context, req wire.ChangeMailsRequest) error {
	service, err := h.of(string(req.Service))
	if err != nil {
		return err
	}
	resp, err := service.ChangeMails(c.Request.Context(), &mailv1.ChangeMailsRequest{
		Ids: req.Ids, Action: route.Enum[mailv1.ChangeMailsRequest_Action](req.Action),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.ChangedMails{Ids: append([]int64{}, resp.GetIds()...)})
	return nil
}
