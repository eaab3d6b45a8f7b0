package api

import (
	"context"

	"github.com/google/uuid"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/ticket"
)

var errUnreachable = fault.New(fault.Conflict, "customer_unreachable", "This account gets no emails: it is disabled or being deleted, or its address does not work.")

// SetNotices chooses how the caller is told that customers wrote.
func (s *Server) SetNotices(ctx context.Context, req *supportv1.SetNoticesRequest) (*supportv1.SetNoticesResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	chosen := ticket.Notices(enum.Name(req.GetNotices()))
	if !chosen.Known() {
		return nil, ticket.Invalid("notices", "is not off, at_once, hourly or daily")
	}
	return &supportv1.SetNoticesResponse{}, s.store.SetNotices(ctx, actor, chosen)
}

// ViewTicket notes that the caller has the ticket open, and says who else has.
func (s *Server) ViewTicket(ctx context.Context, req *supportv1.ViewTicketRequest) (*supportv1.ViewTicketResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	if req.GetLeft() {
		return &supportv1.ViewTicketResponse{}, s.store.Leave(ctx, actor, id)
	}
	seen, err := s.store.View(ctx, actor, id, req.GetWriting())
	if err != nil {
		return nil, err
	}
	resp := &supportv1.ViewTicketResponse{Version: seen.Version, LastNote: seen.LastNote}
	for _, v := range seen.Others {
		resp.Others = append(resp.Others, &supportv1.Viewer{Email: v.Email, Writing: v.Writing})
	}
	return resp, nil
}

// OpenTicketFor opens a ticket for somebody, to whose address of now the emails go.
func (s *Server) OpenTicketFor(ctx context.Context, req *supportv1.OpenTicketForRequest) (*supportv1.OpenTicketForResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	customer := ticket.Person{}
	if customer.ID, err = decodeUUID("user_id", req.GetUserId()); err != nil {
		return nil, err
	}
	content, err := decodeContent(&supportv1.CreateTicketRequest{Category: req.GetCategory(), Priority: req.GetPriority(), Subject: req.GetSubject(), Message: req.GetMessage()})
	if err != nil {
		return nil, err
	}
	if err := ticket.CheckKey(req.GetIdempotencyKey()); err != nil {
		return nil, err
	}
	addresses, err := s.people.Addresses(ctx, []uuid.UUID{customer.ID})
	if err != nil {
		return nil, err
	}
	if customer.Email = addresses[customer.ID]; customer.Email == "" {
		return nil, errUnreachable
	}
	t, isNew, err := s.store.CreateFor(ctx, actor, customer, content, req.GetIdempotencyKey())
	if err != nil {
		return nil, err
	}
	s.count(t, isNew)
	return &supportv1.OpenTicketForResponse{Ticket: s.encodeForStaff(t)}, nil
}

func (s *Server) count(t ticket.Ticket, isNew bool) {
	if isNew {
		s.tickets.WithLabelValues(string(t.Category), string(t.Priority)).Inc()
	}
}
