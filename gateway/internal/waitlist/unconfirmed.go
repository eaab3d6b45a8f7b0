package waitlist

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
)

// confirmWaitlist is what the button does on the page that the link in the email leads to.
func (h *handlers) confirmWaitlist(c *gin.Context, req wire.ConfirmWaitlistRequest) error {
	if _, err := h.waitlist.Confirm(c.Request.Context(), &waitlistv1.ConfirmRequest{Token: req.Token}); err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Message{Message: "You're on the waitlist!"})
	return nil
}

func (h *handlers) getUnconfirmedSignUps(c *gin.Context) error {
	asked, err := route.PageOf(c)
	if err != nil {
		return err
	}
	resp, err := h.waitlist.ListUnconfirmed(c.Request.Context(), &waitlistv1.ListUnconfirmedRequest{Search: asked.Search, Cursor: asked.Cursor, Limit: asked.Limit})
	if err != nil {
		return err
	}
	page := wire.UnconfirmedSignUpPage{Data: make([]wire.UnconfirmedSignUp, 0, len(resp.GetSignUps())), NextCursor: route.OrNull(resp.GetNextCursor())}
	for _, u := range resp.GetSignUps() {
		page.Data = append(page.Data, wire.UnconfirmedSignUp{
			Email: u.GetEmail(), Source: wire.UnconfirmedSignUpSource(enum.Name(u.GetSource())), CreatedAt: u.GetCreatedAt().AsTime(),
			Mail: route.OrNull(wire.UnconfirmedSignUpMail(enum.Name(u.GetMail()))), MailReply: route.OrNull(u.GetMailReply()), EndsAt: u.GetEndsAt().AsTime(),
		})
	}
	c.JSON(http.StatusOK, page)
	return nil
}
