package support

import (
	"time"

	"google.golang.org/grpc"

	"fledge.dev/gateway/internal/route"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

// roomForTickets is the maximum size of the support service's answers: a page of long
// tickets with their threads.
var roomForTickets = grpc.MaxCallRecvMsgSize(24 << 20)

var ticketCategories = map[string]supportv1.Category{
	"bug": supportv1.Category_CATEGORY_BUG, "feature_request": supportv1.Category_CATEGORY_FEATURE_REQUEST,
	"billing": supportv1.Category_CATEGORY_BILLING, "technical_support": supportv1.Category_CATEGORY_TECHNICAL_SUPPORT,
	"other": supportv1.Category_CATEGORY_OTHER,
}

var ticketPriorities = map[string]supportv1.Priority{
	"urgent": supportv1.Priority_PRIORITY_URGENT, "high": supportv1.Priority_PRIORITY_HIGH,
	"medium": supportv1.Priority_PRIORITY_MEDIUM, "low": supportv1.Priority_PRIORITY_LOW,
}

var ticketStatuses = map[string]supportv1.Status{
	"open": supportv1.Status_STATUS_OPEN, "in_progress": supportv1.Status_STATUS_IN_PROGRESS,
	"resolved": supportv1.Status_STATUS_RESOLVED, "closed": supportv1.Status_STATUS_CLOSED,
}

var (
	ticketCategoryNames = namesOf(ticketCategories)
	ticketPriorityNames = namesOf(ticketPriorities)
	ticketStatusNames   = namesOf(ticketStatuses)
	ticketAuthorNames   = map[supportv1.Author]string{supportv1.Author_AUTHOR_CUSTOMER: "customer", supportv1.Author_AUTHOR_STAFF: "staff"}
)

func namesOf[V comparable](values map[string]V) map[V]string {
	names := make(map[V]string, len(values))
	for name, value := range values {
		names[value] = name
	}
	return names
}

type ticket struct {
	ID              string    `json:"id"`
	TicketID        string    `json:"ticket_id"`
	UserEmail       string    `json:"user_email"`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
	Status          string    `json:"status"`
	Priority        string    `json:"priority"`
	Category        string    `json:"category"`
	Subject         *string   `json:"subject"`
	Message         string    `json:"message"`
	AppVersion      *string   `json:"app_version"`
	OperatingSystem *string   `json:"operating_system"`
	Version         int64     `json:"version"`
}

type ticketAnswer struct {
	Data ticket `json:"data"`
}

func ticketOf(t *supportv1.Ticket) ticket {
	return ticket{
		ID: t.GetId(), TicketID: t.GetNumber(), UserEmail: t.GetUserEmail(), CreatedAt: t.GetCreatedAt().AsTime(), UpdatedAt: t.GetUpdatedAt().AsTime(),
		Status: ticketStatusNames[t.GetStatus()], Priority: ticketPriorityNames[t.GetPriority()], Category: ticketCategoryNames[t.GetCategory()],
		Subject: route.OrNull(t.GetSubject()), Message: t.GetMessage(), AppVersion: route.OrNull(t.GetAppVersion()), OperatingSystem: route.OrNull(t.GetOperatingSystem()),
		Version: t.GetVersion(),
	}
}

type ticketMessage struct {
	ID        string    `json:"id"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"created_at"`
}

func messageOf(m *supportv1.Message) ticketMessage {
	return ticketMessage{m.GetId(), ticketAuthorNames[m.GetAuthor()], m.GetBody(), m.GetCreatedAt().AsTime()}
}

type ticketThread struct {
	ticket
	Messages []ticketMessage `json:"messages"`
}

func threadOf(t *supportv1.Thread) ticketThread {
	thread := ticketThread{ticketOf(t.GetTicket()), make([]ticketMessage, 0, len(t.GetMessages()))}
	for _, m := range t.GetMessages() {
		thread.Messages = append(thread.Messages, messageOf(m))
	}
	return thread
}

type staffViewMessage struct {
	ticketMessage
	AuthorEmail string `json:"author_email"`
}

type ticketChange struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	ActorEmail string    `json:"actor_email"`
	Field      string    `json:"field"`
	From       *string   `json:"from"`
	To         string    `json:"to"`
}

type ticketDetail struct {
	ticket
	Messages []staffViewMessage `json:"messages"`
	History  []ticketChange     `json:"history"`
}

func detailOf(resp *supportv1.GetTicketResponse) ticketDetail {
	detail := ticketDetail{
		ticketOf(resp.GetTicket()), make([]staffViewMessage, 0, len(resp.GetMessages())), make([]ticketChange, 0, len(resp.GetHistory())),
	}
	for _, m := range resp.GetMessages() {
		detail.Messages = append(detail.Messages, staffViewMessage{messageOf(m), m.GetAuthorEmail()})
	}
	for _, h := range resp.GetHistory() {
		detail.History = append(detail.History, ticketChange{h.GetId(), h.GetAt().AsTime(), h.GetActorEmail(), h.GetField(), route.OrNull(h.GetFrom()), h.GetTo()})
	}
	return detail
}
