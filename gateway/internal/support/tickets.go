package support

import (
	"google.golang.org/grpc"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
)

// roomForTickets is the maximum size of the support service's answers: a page of long
// tickets with their threads.
var roomForTickets = grpc.MaxCallRecvMsgSize(24 << 20)

func ticketOf(t *supportv1.Ticket) wire.SupportTicket {
	return wire.SupportTicket{
		ID: t.GetId(), TicketID: t.GetNumber(), UserEmail: t.GetUserEmail(), CreatedAt: t.GetCreatedAt().AsTime(), UpdatedAt: t.GetUpdatedAt().AsTime(),
		Status: wire.TicketStatus(enum.Name(t.GetStatus())), Priority: wire.TicketPriority(enum.Name(t.GetPriority())),
		Category: wire.TicketCategory(enum.Name(t.GetCategory())),
		Subject:  route.OrNull(t.GetSubject()), Message: t.GetMessage(), AppVersion: route.OrNull(t.GetAppVersion()), OperatingSystem: route.OrNull(t.GetOperatingSystem()),
		Version: t.GetVersion(),
	}
}

func messageOf(m *supportv1.Message) wire.SupportMessage {
	return wire.SupportMessage{
		ID: m.GetId(), Author: wire.SupportMessageAuthor(enum.Name(m.GetAuthor())), Body: m.GetBody(), CreatedAt: m.GetCreatedAt().AsTime(),
	}
}

// The three that follow are a ticket or a message and more. The generated types do not embed
// the ticket, so each would have to be filled field by field.

// ticketThread is MySupportTicket.
type ticketThread struct {
	wire.SupportTicket
	Messages []wire.SupportMessage `json:"messages"`
}

func threadOf(t *supportv1.Thread) ticketThread {
	thread := ticketThread{ticketOf(t.GetTicket()), make([]wire.SupportMessage, 0, len(t.GetMessages()))}
	for _, m := range t.GetMessages() {
		thread.Messages = append(thread.Messages, messageOf(m))
	}
	return thread
}

// staffViewMessage is StaffViewMessage.
type staffViewMessage struct {
	wire.SupportMessage
	AuthorEmail string `json:"author_email"`
}

// ticketDetail is SupportTicketDetail.
type ticketDetail struct {
	wire.SupportTicket
	Messages []staffViewMessage  `json:"messages"`
	History  []wire.TicketChange `json:"history"`
}

func detailOf(resp *supportv1.GetTicketResponse) ticketDetail {
	detail := ticketDetail{
		ticketOf(resp.GetTicket()), make([]staffViewMessage, 0, len(resp.GetMessages())), make([]wire.TicketChange, 0, len(resp.GetHistory())),
	}
	for _, m := range resp.GetMessages() {
		detail.Messages = append(detail.Messages, staffViewMessage{messageOf(m), m.GetAuthorEmail()})
	}
	for _, h := range resp.GetHistory() {
		detail.History = append(detail.History, wire.TicketChange{
			ID: h.GetId(), At: h.GetAt().AsTime(), ActorEmail: h.GetActorEmail(), Field: wire.TicketChangeField(h.GetField()),
			From: route.OrNull(h.GetFrom()), To: h.GetTo(),
		})
	}
	return detail
}
