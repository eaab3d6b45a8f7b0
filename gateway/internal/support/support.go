package support

import (
	"net/http"
	"strings"
	"unicode"

	"fledge.dev/gateway/internal/wire"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

const (
	maxTicketMessage   = 10_000
	maxSubject         = 200
	maxAppVersion      = 64
	maxOperatingSystem = 128
	myTicketsPage      = 20
)

func (h *handlers) createSupportTicket(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.CreateSupportTicketRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	category, err := route.Enum[supportv1.Category]("category", req.Category)
	if err != nil {
		return err
	}
	priority, err := route.Enum[supportv1.Priority]("priority", route.Value(req.Priority))
	if err != nil {
		return err
	}
	if err := checkTicket(req); err != nil {
		return err
	}
	resp, err := h.support.CreateTicket(c.Request.Context(), &supportv1.CreateTicketRequest{
		Category: category, Priority: priority, Subject: route.Value(req.Subject), Message: req.Message,
		AppVersion: route.Value(req.AppVersion), OperatingSystem: route.Value(req.OperatingSystem), IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportTicketAnswer{Data: ticketOf(resp.GetTicket())})
	return nil
}

func checkTicket(r wire.CreateSupportTicketRequest) error {
	if err := ticketText("message", r.Message); err != nil {
		return err
	}
	for _, line := range []struct {
		name, value string
		most        int
	}{{"subject", route.Value(r.Subject), maxSubject}, {"appVersion", route.Value(r.AppVersion), maxAppVersion}, {"operatingSystem", route.Value(r.OperatingSystem), maxOperatingSystem}} {
		if err := oneLine(line.name, line.value, line.most); err != nil {
			return err
		}
	}
	return route.IdempotencyKey(r.IdempotencyKey)
}

// The checks of a ticket's texts are those of the support service, which has other names for
// some fields: the caller is to get the name that it has sent.

// ticketText checks a text that must not be empty.
func ticketText(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return route.Invalid(name, "is missing")
	}
	return optionalText(name, value)
}

// optionalText checks a text that may be empty. Of control characters it may hold newlines
// and tabs.
func optionalText(name, value string) error {
	text := strings.TrimSpace(strings.ReplaceAll(value, "\r\n", "\n"))
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return route.Invalid(name, "contains characters that are not allowed")
	}
	return route.MaxLength(name, text, maxTicketMessage)
}

// oneLine checks a text that may be empty and has no second line.
func oneLine(name, value string, most int) error {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, breaksLine) {
		return route.Invalid(name, "contains characters that are not allowed")
	}
	return route.MaxLength(name, value, most)
}

// breaksLine finds what ends a line or, as U+202E does, reverses what is shown beside it.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || '\u2028' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

type myTicketPage struct {
	Data       []ticketThread `json:"data"`
	NextCursor *string        `json:"nextCursor"`
}

func (h *handlers) getMySupportTickets(c *gin.Context) error {
	limit, err := route.Int(c, "limit", myTicketsPage, myTicketsPage)
	if err != nil {
		return err
	}
	cursor, err := route.Cursor(c)
	if err != nil {
		return err
	}
	resp, err := h.support.ListMyTickets(c.Request.Context(), &supportv1.ListMyTicketsRequest{Cursor: cursor, Limit: limit}, roomForTickets)
	if err != nil {
		return err
	}
	page := myTicketPage{Data: make([]ticketThread, 0, len(resp.GetThreads())), NextCursor: route.OrNull(resp.GetNextCursor())}
	for _, t := range resp.GetThreads() {
		page.Data = append(page.Data, threadOf(t))
	}
	c.JSON(http.StatusOK, page)
	return nil
}

func (h *handlers) replySupportTicket(c *gin.Context) error {
	req, err := jsonbody.Decode[wire.ReplySupportTicketRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	id, err := route.UUID("ticketId", req.TicketID)
	if err != nil {
		return err
	}
	if err := ticketText("message", req.Message); err != nil {
		return err
	}
	if err := route.IdempotencyKey(req.IdempotencyKey); err != nil {
		return err
	}
	resp, err := h.support.ReplyToTicket(c.Request.Context(), &supportv1.ReplyToTicketRequest{
		Id: id, Message: req.Message, IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportTicketAnswer{Data: ticketOf(resp.GetTicket())})
	return nil
}
