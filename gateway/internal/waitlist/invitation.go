package waitlist

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

func (h *handlers) getInvitation(c *gin.Context, req wire.InvitationRequest) error {
	resp, err := h.waitlist.GetInvitation(c.Request.Context(), &waitlistv1.GetInvitationRequest{Claim: req.Claim})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Invitation{Email: resp.GetEmail()})
	return nil
}

func (h *handlers) openInvitation(c *gin.Context, req wire.InvitationRequest) error {
	if _, err := h.waitlist.OpenInvitation(c.Request.Context(), &waitlistv1.OpenInvitationRequest{Claim: req.Claim}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

func (h *handlers) claimInvitation(c *gin.Context, req wire.InvitationRequest) error {
	if _, err := h.waitlist.ClaimInvitation(c.Request.Context(), &waitlistv1.ClaimInvitationRequest{Claim: req.Claim}); err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Message{Message: "Your account uses this invitation now."})
	return nil
}

func (h *handlers) noteDownload(c *gin.Context) error {
	if _, err := jsonbody.DecodeOptional[struct{}](c.Writer, c.Request); err != nil {
		return err
	}
	if _, err := h.waitlist.NoteDownload(c.Request.Context(), &waitlistv1.NoteDownloadRequest{}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}
