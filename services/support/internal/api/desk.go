package api

import (
	"context"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/support/internal/ticket"
)

// GetDesk returns what staff have to work with.
func (s *Server) GetDesk(ctx context.Context, _ *supportv1.GetDeskRequest) (*supportv1.GetDeskResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	choices, err := s.store.StaffChoices(ctx, actor)
	if err != nil {
		return nil, err
	}
	notices, err := s.store.Notices(ctx, actor.ID)
	if err != nil {
		return nil, err
	}
	resp := &supportv1.GetDeskResponse{Notices: enum.Of[supportv1.Notices](notices)}
	for _, m := range choices.Staff {
		resp.Staff = append(resp.Staff, &supportv1.StaffMember{Id: m.ID.String(), Email: m.Email})
	}
	for _, a := range choices.Answers {
		resp.Answers = append(resp.Answers, encodeAnswer(a))
	}
	return resp, nil
}

// EditTicket sets whose work a ticket is, its priority, category and tags.
func (s *Server) EditTicket(ctx context.Context, req *supportv1.EditTicketRequest) (*supportv1.EditTicketResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	edit, err := decodeEdit(req)
	if err != nil {
		return nil, err
	}
	t, err := s.store.Edit(ctx, actor, id, edit)
	if err != nil {
		return nil, err
	}
	return &supportv1.EditTicketResponse{Ticket: s.encodeForStaff(t)}, nil
}

func decodeEdit(req *supportv1.EditTicketRequest) (e ticket.Edit, err error) {
	if e.Priority = ticket.Priority(enum.Name(req.GetPriority())); e.Priority == "" && req.GetPriority() != 0 {
		return e, ticket.Invalid("priority", "is not urgent, high, medium or low")
	}
	if e.Category = ticket.Category(enum.Name(req.GetCategory())); e.Category == "" && req.GetCategory() != 0 {
		return e, ticket.Invalid("category", "is not bug, feature_request, billing, technical_support or other")
	}
	if req.AssigneeId != nil {
		e.Assignee = &ticket.Person{}
		if req.GetAssigneeId() != "" {
			if e.Assignee.ID, err = decodeUUID("assignee_id", req.GetAssigneeId()); err != nil {
				return e, err
			}
		}
	}
	if req.GetTags() != nil {
		tags, err := ticket.ParseTags("tags", req.GetTags().GetTags())
		if err != nil {
			return e, err
		}
		e.Tags = &tags
	}
	return e, nil
}

// AddNote notes something for staff.
func (s *Server) AddNote(ctx context.Context, req *supportv1.AddNoteRequest) (*supportv1.AddNoteResponse, error) {
	actor, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	body, err := ticket.ParseText("note", req.GetNote())
	if err != nil {
		return nil, err
	}
	note, err := s.store.AddNote(ctx, actor, id, body)
	if err != nil {
		return nil, err
	}
	return &supportv1.AddNoteResponse{Note: encodeNote(note)}, nil
}

// SaveCannedAnswer adds or changes a canned answer.
func (s *Server) SaveCannedAnswer(ctx context.Context, req *supportv1.SaveCannedAnswerRequest) (*supportv1.SaveCannedAnswerResponse, error) {
	var answer ticket.CannedAnswer
	var err error
	if req.GetId() != "" {
		if answer.ID, err = decodeID(req.GetId()); err != nil {
			return nil, err
		}
	}
	if answer.Title, err = ticket.ParseTitle("title", req.GetTitle()); err != nil {
		return nil, err
	}
	body, err := ticket.ParseText("body", req.GetBody())
	if err != nil {
		return nil, err
	}
	answer.Body = string(body)
	if answer, err = s.store.SaveAnswer(ctx, answer); err != nil {
		return nil, err
	}
	return &supportv1.SaveCannedAnswerResponse{Answer: encodeAnswer(answer)}, nil
}

// DeleteCannedAnswer deletes a canned answer.
func (s *Server) DeleteCannedAnswer(ctx context.Context, req *supportv1.DeleteCannedAnswerRequest) (*supportv1.DeleteCannedAnswerResponse, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	return &supportv1.DeleteCannedAnswerResponse{}, s.store.DeleteAnswer(ctx, id)
}

// ListMessages returns earlier messages of a thread.
func (s *Server) ListMessages(ctx context.Context, req *supportv1.ListMessagesRequest) (*supportv1.ListMessagesResponse, error) {
	messages, more, err := s.earlier(ctx, uuid.Nil, req)
	if err != nil {
		return nil, err
	}
	return &supportv1.ListMessagesResponse{Messages: encodeMessages(messages, true), Earlier: more}, nil
}

// ListMyMessages returns earlier messages of a ticket of the caller's own.
func (s *Server) ListMyMessages(ctx context.Context, req *supportv1.ListMyMessagesRequest) (*supportv1.ListMyMessagesResponse, error) {
	customer, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	messages, more, err := s.earlier(ctx, customer.ID, req)
	if err != nil {
		return nil, err
	}
	return &supportv1.ListMyMessagesResponse{Messages: encodeMessages(messages, false), Earlier: more}, nil
}

func (s *Server) earlier(ctx context.Context, owner uuid.UUID, req interface {
	GetId() string
	GetBefore() string
}) ([]ticket.Message, bool, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, false, err
	}
	before, err := decodeUUID("before", req.GetBefore())
	if err != nil {
		return nil, false, err
	}
	return s.store.Earlier(ctx, owner, id, before)
}

func encodeNote(n ticket.Note) *supportv1.Note {
	return &supportv1.Note{Id: n.ID.String(), CreatedAt: timestamppb.New(n.CreatedAt), AuthorEmail: n.AuthorEmail, Body: n.Body}
}

func encodeAnswer(a ticket.CannedAnswer) *supportv1.CannedAnswer {
	return &supportv1.CannedAnswer{Id: a.ID.String(), Title: a.Title, Body: a.Body}
}
