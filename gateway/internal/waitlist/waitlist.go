package waitlist

import (
	"cmp"
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/accountstate"
	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/enum"
)

const joinPath = "/api/add-waitlist-user"

// addWaitlistUser serves the forms, which name their source, and admins who add somebody by
// hand, without a source. The waitlist service checks that they are admins.
func (h *handlers) addWaitlistUser(c *gin.Context) error {
	if route.IsForm(c.Request) {
		return h.addWaitlistUserByForm(c)
	}
	req, err := jsonbody.Decode[wire.AddWaitlistUserRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	confirm, err := h.putOnWaitlist(c.Request.Context(), req)
	if err != nil {
		return err
	}
	answer := wire.Joined{Message: "You're on the waitlist!"}
	if confirm {
		answer = wire.Joined{Message: "Almost there. If this address is new here, we've sent it an email: please confirm by the link in it.", Confirm: &confirm}
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

// putOnWaitlist also tells whether the address is yet to be confirmed.
func (h *handlers) putOnWaitlist(ctx context.Context, req wire.AddWaitlistUserRequest) (confirm bool, err error) {
	if _, signedIn := authn.FromContext(ctx); signedIn && req.Source == nil {
		_, err := h.waitlist.AddUser(ctx, &waitlistv1.AddUserRequest{Email: req.Email})
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.signUpTimeout)
	defer cancel()
	resp, err := h.waitlist.Join(ctx, &waitlistv1.JoinRequest{Email: req.Email, Source: route.Enum[waitlistv1.Source](route.Value(req.Source))})
	return resp.GetConfirm(), err
}

func (h *handlers) getWaitlistStatus(c *gin.Context) error {
	resp, err := h.waitlist.GetStatus(c.Request.Context(), &waitlistv1.GetStatusRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.WaitlistStatusAnswer{Status: route.OrNull(wire.WaitlistStatus(enum.Name(resp.GetStatus())))})
	return nil
}

func (h *handlers) getWaitlistUsers(c *gin.Context) error {
	req, err := listRequest(c)
	if err != nil {
		return err
	}
	resp, err := h.waitlist.ListUsers(c.Request.Context(), req)
	if err != nil {
		return err
	}
	page := wire.WaitlistUserPage{Data: make([]wire.WaitlistUser, 0, len(resp.GetUsers())), NextCursor: route.OrNull(resp.GetNextCursor()), Undelivered: resp.GetUndelivered(), Unconfirmed: resp.GetUnconfirmed()}
	states := accountstate.ByAddress(c.Request.Context(), h.identity, route.Each(resp.GetUsers(), addressOf))
	for _, u := range resp.GetUsers() {
		page.Data = append(page.Data, wire.WaitlistUser{
			ID: u.GetId(), Email: u.GetEmail(), Status: wire.WaitlistStatus(enum.Name(u.GetStatus())), Source: wire.WaitlistUserSource(enum.Name(u.GetSource())),
			CreatedAt: u.GetCreatedAt().AsTime(), ClaimedEmail: route.OrNull(u.GetClaimedEmail()),
			Mail: route.OrNull(wire.WaitlistUserMail(enum.Name(u.GetMail()))), MailReply: route.OrNull(u.GetMailReply()), Left: u.GetLeft(),
			InvitationExpiredAt: route.TimeOrNull(u.GetInvitationExpiredAt()), UndoUntil: route.TimeOrNull(u.GetUndoUntil()), UserState: states.Of(addressOf(u)),
			Channel: route.OrNull(wire.WaitlistUserChannel(enum.Name(u.GetChannel()))),
		})
	}
	c.JSON(http.StatusOK, page)
	return nil
}

// addressOf is the address of the account that the entry is for.
func addressOf(u *waitlistv1.WaitlistUser) string { return cmp.Or(u.GetClaimedEmail(), u.GetEmail()) }

func listRequest(c *gin.Context) (*waitlistv1.ListUsersRequest, error) {
	status, err := route.Filter[waitlistv1.Status](c, "status")
	if err != nil {
		return nil, err
	}
	page, err := route.PageOf(c)
	if err != nil {
		return nil, err
	}
	undelivered, err := undeliveredOnly(c)
	if err != nil {
		return nil, err
	}
	return &waitlistv1.ListUsersRequest{Status: status, Search: page.Search, Cursor: page.Cursor, Limit: page.Limit, Undelivered: undelivered}, nil
}

func undeliveredOnly(c *gin.Context) (bool, error) {
	switch c.Query("mail") {
	case "", "all":
		return false, nil
	case "undelivered":
		return true, nil
	default:
		return false, route.Invalid("mail", "is not all or undelivered")
	}
}

func (h *handlers) approveWaitlistUser(c *gin.Context, req wire.ApproveWaitlistUserRequest) error {
	if req.Reason != nil && req.Action != "resend" {
		return route.Invalid("reason", "is for resend alone")
	}
	ctx := c.Request.Context()
	switch req.Action {
	case "approve":
		resp, err := h.waitlist.ApproveUser(ctx, &waitlistv1.ApproveUserRequest{Id: req.WaitlistUserID})
		if err != nil {
			return err
		}
		c.JSON(http.StatusOK, wire.WaitlistDecision{
			Message: "Waitlist user approved successfully", UndoUntil: route.TimeOrNull(resp.GetUser().GetUndoUntil()),
		})
	case "remove":
		if _, err := h.waitlist.RemoveUser(ctx, &waitlistv1.RemoveUserRequest{Id: req.WaitlistUserID}); err != nil {
			return err
		}
		c.JSON(http.StatusOK, wire.WaitlistDecision{Message: "Waitlist user removed successfully"})
	case "resend":
		if req.Reason == nil {
			req.Reason = new(string) // which the service refuses; without one it takes a gateway for an older one
		}
		if _, err := h.waitlist.ResendApproval(ctx, &waitlistv1.ResendApprovalRequest{Id: req.WaitlistUserID, Reason: req.Reason}); err != nil {
			return err
		}
		c.JSON(http.StatusOK, wire.WaitlistDecision{Message: "The approval email is sent again"})
	case "undo":
		resp, err := h.waitlist.UndoApproval(ctx, &waitlistv1.UndoApprovalRequest{Id: req.WaitlistUserID})
		if err != nil {
			return err
		}
		c.JSON(http.StatusOK, wire.WaitlistDecision{
			Message: "The approval is undone; its email is not sent", InvitationExpiredAt: route.TimeOrNull(resp.GetUser().GetInvitationExpiredAt()),
		})
	default:
		return route.Invalid("action", "is not approve, remove, resend or undo")
	}
	return nil
}
