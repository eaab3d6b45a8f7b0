package api

import (
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

const (
	maxTicketMessage   = 10_000
	maxSubject         = 200
	maxAppVersion      = 64
	maxOperatingSystem = 128
	myTicketsPage      = 20
)

type createSupportTicketRequest struct {
	Category        string `json:"category"`
	Message         string `json:"message"`
	Subject         string `json:"subject"`
	Priority        string `json:"priority"`
	AppVersion      string `json:"appVersion"`
	OperatingSystem string `json:"operatingSystem"`
	IdempotencyKey  string `json:"idempotencyKey"`
}

func (a *API) createSupportTicket(c *gin.Context) error {
	req, err := jsonbody.Decode[createSupportTicketRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	resp, err := a.services.Support.CreateTicket(c.Request.Context(), &supportv1.CreateTicketRequest{
		Category: ticketCategories[req.Category], Priority: ticketPriorities[req.Priority], Subject: req.Subject, Message: req.Message,
		AppVersion: req.AppVersion, OperatingSystem: req.OperatingSystem, IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, ticketAnswer{ticketOf(resp.GetTicket())})
	return nil
}

func (r createSupportTicketRequest) check() error {
	if _, ok := ticketCategories[r.Category]; !ok {
		return invalid("category", "is not bug, feature_request, billing, technical_support or other")
	}
	if _, ok := ticketPriorities[r.Priority]; !ok && r.Priority != "" {
		return invalid("priority", "is not urgent, high, medium or low")
	}
	if err := ticketText("message", r.Message); err != nil {
		return err
	}
	for _, line := range []struct {
		name, value string
		most        int
	}{{"subject", r.Subject, maxSubject}, {"appVersion", r.AppVersion, maxAppVersion}, {"operatingSystem", r.OperatingSystem, maxOperatingSystem}} {
		if err := oneLine(line.name, line.value, line.most); err != nil {
			return err
		}
	}
	return idempotencyKey(r.IdempotencyKey)
}

// The checks of a ticket's texts are those of the support service, which has other names for
// some fields: the caller is to get the name that it has sent.

// ticketText checks a text that must not be empty.
func ticketText(name, value string) error {
	if strings.TrimSpace(value) == "" {
		return invalid(name, "is missing")
	}
	return optionalText(name, value)
}

// optionalText checks a text that may be empty. Of control characters it may hold newlines
// and tabs.
func optionalText(name, value string) error {
	text := strings.TrimSpace(strings.ReplaceAll(value, "\r\n", "\n"))
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return invalid(name, "contains characters that are not allowed")
	}
	return maxLength(name, text, maxTicketMessage)
}

// oneLine checks a text that may be empty and has no second line.
func oneLine(name, value string, most int) error {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, breaksLine) {
		return invalid(name, "contains characters that are not allowed")
	}
	return maxLength(name, value, most)
}

// breaksLine finds what ends a line or, as U+202E does, reverses what is shown beside it.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || '\u2028' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

func idempotencyKey(key string) error {
	if key == "" || len(key) > maxIdempotencyKey || !isPrintable(key) {
		return invalid("idempotencyKey", "is not 1 to 255 printable ASCII characters")
	}
	return nil
}

type myTicketPage struct {
	Data       []ticketThread `json:"data"`
	NextCursor *string        `json:"nextCursor"`
}

func (a *API) getMySupportTickets(c *gin.Context) error {
	limit, err := intParam(c, "limit", myTicketsPage, myTicketsPage)
	if err != nil {
		return err
	}
	cursor := query(c).Get("cursor")
	if err := maxLength("cursor", cursor, maxCursor); err != nil {
		return err
	}
	resp, err := a.services.Support.ListMyTickets(c.Request.Context(), &supportv1.ListMyTicketsRequest{Cursor: cursor, Limit: limit}, roomForTickets)
	if err != nil {
		return err
	}
	page := myTicketPage{Data: make([]ticketThread, 0, len(resp.GetThreads())), NextCursor: orNull(resp.GetNextCursor())}
	for _, t := range resp.GetThreads() {
		page.Data = append(page.Data, threadOf(t))
	}
	c.JSON(http.StatusOK, page)
	return nil
}

// intParam reads a number from 1 to most; a missing parameter is fallback.
func intParam(c *gin.Context, name string, fallback, most int32) (int32, error) {
	if !query(c).Has(name) {
		return fallback, nil
	}
	n, err := strconv.ParseInt(query(c).Get(name), 10, 32)
	if err != nil || n < 1 || n > int64(most) {
		return 0, invalid(name, "is not a number from 1 to "+strconv.Itoa(int(most)))
	}
	return int32(n), nil
}

type replySupportTicketRequest struct {
	TicketID       string `json:"ticketId"`
	Message        string `json:"message"`
	IdempotencyKey string `json:"idempotencyKey"`
}

func (a *API) replySupportTicket(c *gin.Context) error {
	req, err := jsonbody.Decode[replySupportTicketRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	id, err := uuidParam("ticketId", req.TicketID)
	if err != nil {
		return err
	}
	if err := ticketText("message", req.Message); err != nil {
		return err
	}
	if err := idempotencyKey(req.IdempotencyKey); err != nil {
		return err
	}
	resp, err := a.services.Support.ReplyToTicket(c.Request.Context(), &supportv1.ReplyToTicketRequest{
		Id: id, Message: req.Message, IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, ticketAnswer{ticketOf(resp.GetTicket())})
	return nil
}
