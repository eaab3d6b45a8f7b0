package support

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/accountstate"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/fault"
)

const ticketPageSize = 50

var errStaleTicket = fault.New(fault.Conflict, "stale_ticket", "Somebody else has changed this ticket in the meantime.")

func (h *handlers) getSupportTickets(c *gin.Context) error {
	filter, err := ticketFilter(c)
	if err != nil {
		return err
	}
	page, err := route.Int(c, "page", 1)
	if err != nil {
		return err
	}
	limit, err := route.Int(c, "limit", ticketPageSize)
	if err != nil {
		return err
	}
	sort, err := route.Filter[supportv1.Sort](c, "sort")
	if err != nil {
		return err
	}
	resp, err := h.support.ListTickets(c.Request.Context(), &supportv1.ListTicketsRequest{Filter: filter, Page: page, Limit: limit, Sort: sort}, roomForTickets)
	if err != nil {
		return err
	}
	pages := (resp.GetTotal() + int64(limit) - 1) / int64(limit)
	answer := wire.SupportTicketPage{
		Data:       h.staffTicketsOf(c.Request.Context(), resp.GetTickets()...),
		Pagination: wire.Pagination{Page: int64(page), Limit: int64(limit), Total: resp.GetTotal(), TotalPages: pages},
	}
	if snippets := resp.GetSnippets(); len(snippets) > 0 {
		answer.Snippets = &snippets
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

// staffTicketsOf are tickets with the state of their owners' accounts.
func (h *handlers) staffTicketsOf(ctx context.Context, tickets ...*supportv1.Ticket) []wire.SupportTicket {
	list, emails := make([]wire.SupportTicket, len(tickets)), make([]string, len(tickets))
	for i, t := range tickets {
		list[i], emails[i] = ticketOf(t), t.GetUserEmail()
	}
	states := accountstate.ByAddress(ctx, h.identity, emails)
	for i := range list {
		list[i].UserState = states.Of(list[i].UserEmail)
	}
	return list
}

// ticketFilter reads the filters that the list and the export share.
func ticketFilter(c *gin.Context) (*supportv1.Filter, error) {
	var err error
	filter := &supportv1.Filter{Search: route.Query(c).Get("search"), Tag: route.Query(c).Get("tag")}
	if filter.Queue, err = route.Filter[supportv1.Queue](c, "queue"); err != nil {
		return nil, err
	}
	if filter.Status, err = route.Filter[supportv1.Status](c, "status"); err != nil {
		return nil, err
	}
	if filter.Category, err = route.Filter[supportv1.Category](c, "category"); err != nil {
		return nil, err
	}
	filter.Priority, err = route.Filter[supportv1.Priority](c, "priority")
	return filter, err
}

type ticketDetailAnswer struct {
	Data ticketDetail `json:"data"`
}

func (h *handlers) getSupportTicket(c *gin.Context) error {
	resp, err := h.support.GetTicket(c.Request.Context(), &supportv1.GetTicketRequest{Id: route.Query(c).Get("id")}, roomForTickets)
	if err != nil {
		return err
	}
	detail := detailOf(resp)
	detail.SupportTicket = h.staffTicketsOf(c.Request.Context(), resp.GetTicket())[0]
	c.JSON(http.StatusOK, ticketDetailAnswer{detail})
	return nil
}

func (h *handlers) updateSupportTicket(c *gin.Context, req wire.UpdateSupportTicketRequest) error {
	if req.IdempotencyKey != nil && *req.IdempotencyKey == "" {
		return route.Invalid("idempotencyKey", "is empty") // the service takes it for none
	}
	resp, err := h.support.UpdateTicket(c.Request.Context(), &supportv1.UpdateTicketRequest{
		Id: req.TicketID, Status: route.Enum[supportv1.Status](route.Value(req.Status)), Response: route.Value(req.AdminResponse), Version: route.Given(req.Version),
		IdempotencyKey: route.Value(req.IdempotencyKey),
	})
	if err != nil {
		return err
	}
	ticket := h.staffTicketsOf(c.Request.Context(), resp.GetTicket())[0]
	if resp.GetStale() {
		return &problem.Outdated{Fault: errStaleTicket, Current: ticket}
	}
	c.JSON(http.StatusOK, wire.SupportTicketAnswer{Data: ticket})
	return nil
}

func (h *handlers) bulkUpdateSupportTickets(c *gin.Context, req wire.BulkUpdateSupportTicketsRequest) error {
	resp, err := h.support.BulkUpdateTickets(c.Request.Context(), bulkUpdate(req))
	if err != nil {
		return err
	}
	answer := wire.BulkUpdateSupportTicketsAnswer{Results: make([]wire.BulkUpdateSupportTicketsAnswer_Results, 0, len(resp.GetResults()))}
	for _, r := range resp.GetResults() {
		answer.Results = append(answer.Results, wire.BulkUpdateSupportTicketsAnswer_Results{
			TicketID: r.GetId(), Ok: r.GetCode() == "", Error: route.OrNull(r.GetError()), Code: route.OrNull(r.GetCode()),
		})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func bulkUpdate(r wire.BulkUpdateSupportTicketsRequest) *supportv1.BulkUpdateTicketsRequest {
	update := &supportv1.BulkUpdateTicketsRequest{Status: route.Enum[supportv1.Status](r.Status)}
	for _, t := range r.Tickets {
		update.Tickets = append(update.Tickets, &supportv1.BulkUpdateTicketsRequest_Item{Id: t.TicketID, Version: route.Given(t.Version)})
	}
	return update
}
