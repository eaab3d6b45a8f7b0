package api

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

func encodeTicket(t ticket.Ticket) *supportv1.Ticket {
	return &supportv1.Ticket{
		Id: t.ID.String(), Number: t.Label(), UserEmail: t.Customer.Email,
		CreatedAt: timestamppb.New(t.CreatedAt), UpdatedAt: timestamppb.New(t.UpdatedAt),
		Status: enum.Of[supportv1.Status](t.Status), Priority: enum.Of[supportv1.Priority](t.Priority), Category: enum.Of[supportv1.Category](t.Category),
		Subject: t.Subject, Message: string(t.Message), AppVersion: t.AppVersion, OperatingSystem: t.OperatingSystem, Version: t.Version,
	}
}

// encodeForStaff adds what customers do not see.
func (s *Server) encodeForStaff(t ticket.Ticket) *supportv1.Ticket {
	encoded := encodeTicket(t)
	encoded.Desk = &supportv1.Desk{
		LastMessageAt: timestamppb.New(t.LastMessageAt), LastMessageBy: enum.Of[supportv1.Author](t.LastMessageBy),
		WaitingSince: timeOrNone(t.WaitingSince), AnsweredAt: timeOrNone(t.AnsweredAt), AssigneeEmail: t.Assignee.Email, Tags: strings.Fields(t.Tags),
		AnswerDue: timeOrNone(s.targets.AnswerDue(t)), AnsweredInTime: s.targets.InTime(t), ResolvedAt: timeOrNone(t.ResolvedAt),
	}
	if t.Assignee.ID != uuid.Nil {
		encoded.Desk.AssigneeId = t.Assignee.ID.String()
	}
	return encoded
}

func timeOrNone(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}

func (s *Server) encodeTickets(tickets []ticket.Ticket) []*supportv1.Ticket {
	list := make([]*supportv1.Ticket, len(tickets))
	for i, t := range tickets {
		list[i] = s.encodeForStaff(t)
	}
	return list
}

// encodeMessages names the members of staff to staff only.
func encodeMessages(messages []ticket.Message, forStaff bool) []*supportv1.Message {
	list := make([]*supportv1.Message, len(messages))
	for i, m := range messages {
		list[i] = &supportv1.Message{Id: m.ID.String(), Author: enum.Of[supportv1.Author](m.Author), Body: m.Body, CreatedAt: timestamppb.New(m.CreatedAt)}
		if forStaff {
			list[i].AuthorEmail = m.AuthorEmail
		}
	}
	return list
}

func encodeStats(s store.Stats) *supportv1.GetStatsResponse {
	resp := &supportv1.GetStatsResponse{
		Urgent: s.Waiting[ticket.Urgent], High: s.Waiting[ticket.High], Medium: s.Waiting[ticket.Medium], Low: s.Waiting[ticket.Low],
		Days: make([]*supportv1.GetStatsResponse_Day, len(s.Days)),
	}
	for i, d := range s.Days {
		resp.Days[i] = &supportv1.GetStatsResponse_Day{Day: d.Day.Format(time.DateOnly), Created: d.Created, Resolved: d.Resolved}
	}
	for _, b := range s.Backlog {
		resp.Backlog = append(resp.Backlog, &supportv1.GetStatsResponse_Backlog{Category: enum.Of[supportv1.Category](b.Category), Day: b.Day, Week: b.Week, Older: b.Older})
	}
	resp.FirstAnswerSeconds, resp.ResolveSeconds = secondsOrNone(s.FirstAnswer), secondsOrNone(s.ToResolve)
	resp.FirstAnswerWeeks, resp.ResolveWeeks = encodeWeeks(s.FirstAnswerWeeks), encodeWeeks(s.ToResolveWeeks)
	return resp
}

func encodeWeeks(weeks []store.Week) []*supportv1.GetStatsResponse_Week {
	list := make([]*supportv1.GetStatsResponse_Week, len(weeks))
	for i, w := range weeks {
		list[i] = &supportv1.GetStatsResponse_Week{
			Week: w.Monday.Format(time.DateOnly), Category: enum.Of[supportv1.Category](w.Category), Tickets: w.Tickets,
			P50Seconds: int64(w.Half / time.Second), P90Seconds: int64(w.Most / time.Second),
		}
	}
	return list
}

func secondsOrNone(took time.Duration) *int64 {
	if took < 0 {
		return nil
	}
	seconds := int64(took / time.Second)
	return &seconds
}

func encodeCursor(format keyset.Format, c *store.Cursor) string {
	if c == nil {
		return ""
	}
	return format.Encode(*c)
}
