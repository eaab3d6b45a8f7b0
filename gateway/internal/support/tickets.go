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
		Version: t.GetVersion(), Desk: deskOf(t.GetDesk()),
	}
}

// deskOf is nil in what customers read.
func deskOf(d *supportv1.Desk) *wire.TicketDesk {
	if d == nil {
		return nil
	}
	return &wire.TicketDesk{
		LastMessageAt: d.GetLastMessageAt().AsTime(), LastMessageBy: wire.TicketDeskLastMessageBy(enum.Name(d.GetLastMessageBy())),
		WaitingSince: route.TimeOrNull(d.GetWaitingSince()), AnswerDue: route.TimeOrNull(d.GetAnswerDue()), AnsweredInTime: d.AnsweredInTime, AssigneeID: route.OrNull(d.GetAssigneeId()), AssigneeEmail: route.OrNull(d.GetAssigneeEmail()),
		Tags: append([]string{}, d.GetTags()...),
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
	Earlier  bool                  `json:"earlier"`
}

func threadOf(t *supportv1.Thread) ticketThread {
	return ticketThread{ticketOf(t.GetTicket()), route.Each(t.GetMessages(), messageOf), t.GetEarlier()}
}

// staffViewMessage is StaffViewMessage.
type staffViewMessage struct {
	wire.SupportMessage
	AuthorEmail string `json:"author_email"`
}

func staffViewOf(messages []*supportv1.Message) []staffViewMessage {
	return route.Each(messages, func(m *supportv1.Message) staffViewMessage { return staffViewMessage{messageOf(m), m.GetAuthorEmail()} })
}

// staffViewMessages is StaffViewMessages.
type staffViewMessages struct {
	Messages []staffViewMessage `json:"messages"`
	Earlier  bool               `json:"earlier"`
}

// ticketDetail is SupportTicketDetail.
type ticketDetail struct {
	wire.SupportTicket
	Messages []staffViewMessage  `json:"messages"`
	Earlier  bool                `json:"earlier"`
	Notes    []wire.SupportNote  `json:"notes"`
	History  []wire.TicketChange `json:"history"`
	// MailTrouble is nil for nothing that is known.
	MailTrouble *wire.MailTrouble `json:"mail_trouble"`
}

func detailOf(resp *supportv1.GetTicketResponse) ticketDetail {
	detail := ticketDetail{
		ticketOf(resp.GetTicket()), staffViewOf(resp.GetMessages()), resp.GetEarlier(), route.Each(resp.GetNotes(), noteOf),
		make([]wire.TicketChange, 0, len(resp.GetHistory())), nil,
	}
	if t := resp.GetMailTrouble(); t != nil {
		detail.MailTrouble = &wire.MailTrouble{State: wire.MailTroubleState(enum.Name(t.GetState())), Reason: route.OrNull(t.GetReason()), At: t.GetAt().AsTime()}
	}
	for _, h := range resp.GetHistory() {
		detail.History = append(detail.History, wire.TicketChange{
			ID: h.GetId(), At: h.GetAt().AsTime(), ActorEmail: h.GetActorEmail(), Field: wire.TicketChangeField(h.GetField()),
			From: route.OrNull(h.GetFrom()), To: h.GetTo(),
		})
	}
	return detail
}
