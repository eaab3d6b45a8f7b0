package support

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

const myTicketsPage = 20

func (h *handlers) createSupportTicket(c *gin.Context, req wire.CreateSupportTicketRequest) error {
	resp, err := h.support.CreateTicket(c.Request.Context(), &supportv1.CreateTicketRequest{
		Category: route.Enum[supportv1.Category](req.Category), Priority: route.Enum[supportv1.Priority](route.Value(req.Priority)),
		Subject: route.Value(req.Subject), Message: req.Message,
		AppVersion: route.Value(req.AppVersion), OperatingSystem: route.Value(req.OperatingSystem), IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportTicketAnswer{Data: ticketOf(resp.GetTicket())})
	return nil
}

type myTicketPage struct {
	Data       []ticketThread `json:"data"`
	NextCursor *string        `json:"nextCursor"`
}

func (h *handlers) getMySupportTickets(c *gin.Context) error {
	limit, err := route.Int(c, "limit", myTicketsPage)
	if err != nil {
		return err
	}
	resp, err := h.support.ListMyTickets(c.Request.Context(), &supportv1.ListMyTicketsRequest{Cursor: route.Query(c).Get("cursor"), Limit: limit}, roomForTickets)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, myTicketPage{Data: route.Each(resp.GetThreads(), threadOf), NextCursor: route.OrNull(resp.GetNextCursor())})
	return nil
}

func (h *handlers) replySupportTicket(c *gin.Context, req wire.ReplySupportTicketRequest) error {
	resp, err := h.support.ReplyToTicket(c.Request.Context(), &supportv1.ReplyToTicketRequest{
		Id: req.TicketID, Message: req.Message, IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportTicketAnswer{Data: ticketOf(resp.GetTicket())})
	return nil
}
