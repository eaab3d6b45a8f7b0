package support

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/fault"
)

var errNobody = fault.New(fault.NotFound, "unknown_user", "There is no account with this address.")

func (h *handlers) setSupportNotices(c *gin.Context, req wire.SetSupportNoticesRequest) error {
	if _, err := h.support.SetNotices(c.Request.Context(), &supportv1.SetNoticesRequest{Notices: route.Enum[supportv1.Notices](req.Notices)}); err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportNoticesAnswer(req))
	return nil
}

func (h *handlers) viewSupportTicket(c *gin.Context, req wire.ViewSupportTicketRequest) error {
	resp, err := h.support.ViewTicket(c.Request.Context(), &supportv1.ViewTicketRequest{Id: req.TicketID, Writing: route.Value(req.Writing), Left: route.Value(req.Left)})
	if err != nil {
		return err
	}
	answer := wire.SupportTicketViewers{Version: resp.GetVersion(), LastNote: route.OrNull(resp.GetLastNote()), Others: make([]wire.SupportTicketViewers_Others, 0, len(resp.GetOthers()))}
	for _, v := range resp.GetOthers() {
		answer.Others = append(answer.Others, wire.SupportTicketViewers_Others{Email: v.GetEmail(), Writing: v.GetWriting()})
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) openSupportTicketFor(c *gin.Context, req wire.OpenSupportTicketForRequest) error {
	ctx := c.Request.Context()
	id, err := h.accountOf(ctx, req.Email)
	if err != nil {
		return err
	}
	resp, err := h.support.OpenTicketFor(ctx, &supportv1.OpenTicketForRequest{
		UserId: id, Category: route.Enum[supportv1.Category](req.Category), Priority: route.Enum[supportv1.Priority](route.Value(req.Priority)),
		Subject: route.Value(req.Subject), Message: req.Message, IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SupportTicketAnswer{Data: h.staffTicketsOf(ctx, resp.GetTicket())[0]})
	return nil
}

// accountOf returns the id of the account with that whole address, an active one before others.
func (h *handlers) accountOf(ctx context.Context, typed string) (id string, err error) {
	email, err := address.Parse(typed)
	if err != nil {
		return "", fault.InvalidField("email", err.Error())
	}
	req := &identityv1.ListUsersRequest{Search: email}
	// Many addresses may end in this one.
	for more := true; more; more = req.GetCursor() != "" {
		found, err := h.identity.ListUsers(ctx, req)
		if err != nil {
			return "", err
		}
		for _, user := range found.GetUsers() {
			if user.GetUser().GetEmail() != email {
				continue
			}
			if user.GetState() == identityv1.UserState_USER_STATE_ACTIVE {
				return user.GetUser().GetId(), nil
			}
			if id == "" {
				id = user.GetUser().GetId()
			}
		}
		req.Cursor = found.GetNextCursor()
	}
	if id == "" {
		return "", errNobody
	}
	return id, nil
}
