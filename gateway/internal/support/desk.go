package support

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/enum"
)

func (h *handlers) getSupportDesk(c *gin.Context) error {
	resp, err := h.support.GetDesk(c.Request.Context(), &supportv1.GetDeskRequest{}, roomForTickets)
	if err != nil {
		return err
	}
	answer := wire.SupportDeskAnswer{Notices: wire.SupportNotices(enum.Name(resp.GetNotices())), Staff: []wire.SupportDeskAnswer_Staff{}, Answers: route.Each(resp.GetAnswers(), cannedOf)}
	for _, m := range resp.GetStaff() {
		answer.Staff = append(answer.Staff, wire.SupportDeskAnswer_Staff{ID: m.GetId(), Email: m.GetEmail()})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) editSupportTicket(c *gin.Context, req wire.EditSupportTicketRequest) error {
	edit := &supportv1.EditTicketRequest{
		Id: req.TicketID, Priority: route.Enum[supportv1.Priority](route.Value(req.Priority)), Category: route.Enum[supportv1.Category](route.Value(req.Category)),
		AssigneeId: req.AssigneeID,
	}
	if req.Tags != nil {
		edit.Tags = &supportv1.Tags{Tags: *req.Tags}
	}
	resp, err := h.support.EditTicket(c.Request.Context(), edit)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportTicketAnswer{Data: h.staffTicketsOf(c.Request.Context(), resp.GetTicket())[0]})
	return nil
}

func (h *handlers) addSupportNote(c *gin.Context, req wire.AddSupportNoteRequest) error {
	resp, err := h.support.AddNote(c.Request.Context(), &supportv1.AddNoteRequest{Id: req.TicketID, Note: req.Note})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportNoteAnswer{Data: noteOf(resp.GetNote())})
	return nil
}

func (h *handlers) saveCannedAnswer(c *gin.Context, req wire.SaveCannedAnswerRequest) error {
	resp, err := h.support.SaveCannedAnswer(c.Request.Context(), &supportv1.SaveCannedAnswerRequest{Id: route.Value(req.ID), Title: req.Title, Body: req.Body})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.CannedAnswerAnswer{Data: cannedOf(resp.GetAnswer())})
	return nil
}

func (h *handlers) deleteCannedAnswer(c *gin.Context, req wire.DeleteCannedAnswerRequest) error {
	if _, err := h.support.DeleteCannedAnswer(c.Request.Context(), &supportv1.DeleteCannedAnswerRequest{Id: req.ID}); err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.DeletedCannedAnswer{Deleted: true})
	return nil
}

func (h *handlers) getEarlierSupportMessages(c *gin.Context) error {
	query := route.Query(c)
	resp, err := h.support.ListMessages(c.Request.Context(), &supportv1.ListMessagesRequest{Id: query.Get("id"), Before: query.Get("before")}, roomForTickets)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, staffViewMessages{staffViewOf(resp.GetMessages()), resp.GetEarlier()})
	return nil
}

func (h *handlers) getMyEarlierSupportMessages(c *gin.Context) error {
	query := route.Query(c)
	resp, err := h.support.ListMyMessages(c.Request.Context(), &supportv1.ListMyMessagesRequest{Id: query.Get("id"), Before: query.Get("before")}, roomForTickets)
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportMessages{Messages: route.Each(resp.GetMessages(), messageOf), Earlier: resp.GetEarlier()})
	return nil
}

func cannedOf(a *supportv1.CannedAnswer) wire.CannedAnswer {
	return wire.CannedAnswer{ID: a.GetId(), Title: a.GetTitle(), Body: a.GetBody()}
}

func noteOf(n *supportv1.Note) wire.SupportNote {
	return wire.SupportNote{ID: n.GetId(), CreatedAt: n.GetCreatedAt().AsTime(), AuthorEmail: n.GetAuthorEmail(), Body: n.GetBody()}
}
