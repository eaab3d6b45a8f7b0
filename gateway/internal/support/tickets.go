package support

import (
	"time"

	"fledge.dev/services/platform/enum"

	"google.golang.org/grpc"

	"fledge.dev/gateway/internal/route"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

// roomForTickets is the maximum size of the support service's answers: a page of long
// tickets with their threads.
var roomForTickets = grpc.MaxCallRecvMsgSize(24 << 20)

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
		Status: enum.Name(t.GetStatus()), Priority: enum.Name(t.GetPriority()), Category: enum.Name(t.GetCategory()),
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
	return ticketMessage{m.GetId(), enum.Name(m.GetAuthor()), m.GetBody(), m.GetCreatedAt().AsTime()}
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
