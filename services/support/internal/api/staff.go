package api

import (
	"context"
	"errors"
	"strconv"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

// ListTickets returns a page of all tickets.
func (s *Server) ListTickets(ctx context.Context, req *supportv1.ListTicketsRequest) (*supportv1.ListTicketsResponse, error) {
	filter, err := decodeFilter(ctx, req.GetFilter())
	if err != nil {
		return nil, err
	}
	if filter.Sort = store.Sort(enum.Name(req.GetSort())); filter.Sort == "" && req.GetSort() != 0 {
		return nil, ticket.Invalid("sort", "is not waiting")
	}
	page, err := decodeCount("page", req.GetPage(), 1, maxPage)
	if err != nil {
		return nil, err
	}
	limit, err := decodeCount("limit", req.GetLimit(), defaultPage, store.MaxPage)
	if err != nil {
		return nil, err
	}
	found, err := s.store.List(ctx, filter, page, limit)
	if err != nil {
		return nil, err
	}
	resp := &supportv1.ListTicketsResponse{Tickets: s.encodeTickets(found.Tickets), Total: found.Total, Snippets: map[string]string{}}
	for id, snippet := range found.Snippets {
		resp.Snippets[id.String()] = snippet
	}
	return resp, nil
}

// GetTicket returns one ticket with its thread and its history.
func (s *Server) GetTicket(ctx context.Context, req *supportv1.GetTicketRequest) (*supportv1.GetTicketResponse, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	thread, history, err := s.store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	resp := &supportv1.GetTicketResponse{
		Ticket: s.encodeForStaff(thread.Ticket), Messages: encodeMessages(thread.Messages, true), History: make([]*supportv1.Change, len(history)),
	}
	resp.Earlier = thread.Earlier
	if t := thread.Trouble; t != nil {
		resp.MailTrouble = &mailv1.Trouble{State: enum.Of[mailv1.Trouble_State](t.State), Reason: t.Reason, At: timestamppb.New(t.At)}
	}
	for _, n := range thread.Notes {
		resp.Notes = append(resp.Notes, encodeNote(n))
	}
	for i, c := range history {
		resp.History[i] = &supportv1.Change{
			Id: strconv.FormatInt(c.ID, 10), At: timestamppb.New(c.At), ActorEmail: c.ActorEmail, Field: c.Field, From: c.From, To: c.To,
		}
	}
	return resp, nil
}

// UpdateTicket sets the status and may answer, or only answers.
func (s *Server) UpdateTicket(ctx context.Context, req *supportv1.UpdateTicketRequest) (*supportv1.UpdateTicketResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	id, u, err := decodeUpdate(req)
	if err != nil {
		return nil, err
	}
	t, err := s.update(ctx, actor, id, u)
	if errors.Is(err, ticket.ErrStale) {
		return &supportv1.UpdateTicketResponse{Ticket: s.encodeForStaff(t), Stale: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return &supportv1.UpdateTicketResponse{Ticket: s.encodeForStaff(t)}, nil
}

// BulkUpdateTickets updates one ticket after the other as UpdateTicket does, so
// that each has its history, its record and its email. Unavailable when the database
// already is at the first of them.
func (s *Server) BulkUpdateTickets(ctx context.Context, req *supportv1.BulkUpdateTicketsRequest) (*supportv1.BulkUpdateTicketsResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	ids, updates, err := decodeBulk(req)
	if err != nil {
		return nil, err
	}
	resp := &supportv1.BulkUpdateTicketsResponse{}
	for i, id := range ids {
		result := &supportv1.BulkUpdateTicketsResponse_Result{Id: id.String()}
		if _, err := s.update(ctx, actor, id, updates[i]); err != nil {
			f := fault.Of(err)
			if i == 0 && f.Kind == fault.Unavailable {
				return nil, err
			}
			result.Error, result.Code = f.Message, f.Reason
			if f.Kind != fault.Conflict && f.Kind != fault.NotFound {
				s.log.ErrorContext(ctx, "a ticket of a bulk update was not updated", "ticket", id, "error", err)
			}
		}
		resp.Results = append(resp.Results, result)
	}
	return resp, nil
}

func decodeBulk(req *supportv1.BulkUpdateTicketsRequest) ([]uuid.UUID, []ticket.Update, error) {
	if n := len(req.GetTickets()); n == 0 || n > maxBulk {
		return nil, nil, ticket.Invalid("tickets", "is not a list of 1 to 100 tickets")
	}
	var ids []uuid.UUID
	var updates []ticket.Update
	seen := map[uuid.UUID]bool{}
	for _, item := range req.GetTickets() {
		id, u, err := decodeUpdate(&supportv1.UpdateTicketRequest{Id: item.GetId(), Status: req.GetStatus(), Version: item.GetVersion()})
		if err != nil {
			return nil, nil, err
		}
		if seen[id] {
			return nil, nil, ticket.Invalid("tickets", "names a ticket twice")
		}
		seen[id] = true
		ids, updates = append(ids, id), append(updates, u)
	}
	return ids, updates, nil
}

func (s *Server) update(ctx context.Context, actor ticket.Person, id uuid.UUID, u ticket.Update) (ticket.Ticket, error) {
	t, changed, err := s.store.Update(ctx, actor, id, u)
	if errors.Is(err, ticket.ErrStale) {
		s.updates.WithLabelValues(string(ticket.Staff), "stale").Inc()
	}
	if err == nil && changed {
		s.updates.WithLabelValues(string(ticket.Staff), string(t.Status)).Inc()
		s.log.InfoContext(ctx, "ticket updated", "ticket", t.Label(), "status", string(t.Status), "version", t.Version, "by", actor.ID)
	}
	return t, err
}

// ExportTickets returns one piece of the list.
func (s *Server) ExportTickets(ctx context.Context, req *supportv1.ExportTicketsRequest) (*supportv1.ExportTicketsResponse, error) {
	filter, err := decodeFilter(ctx, req.GetFilter())
	if err != nil {
		return nil, err
	}
	after, err := decodeCursor(store.ExportCursor, req.GetCursor())
	if err != nil {
		return nil, err
	}
	tickets, next, err := s.store.Export(ctx, filter, after)
	if err != nil {
		return nil, err
	}
	return &supportv1.ExportTicketsResponse{Tickets: s.encodeTickets(tickets), NextCursor: encodeCursor(store.ExportCursor, next)}, nil
}
