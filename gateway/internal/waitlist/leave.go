package waitlist

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/wire"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

const (
	leavePath = "/api/leave-waitlist"
	// leavePage is a page of the site, which takes the token from the fragment.
	leavePage = "/leave-waitlist"
)

// openLeaveWaitlist changes nothing: mail scanners follow every link.
func (h *handlers) openLeaveWaitlist(c *gin.Context) error {
	c.Redirect(http.StatusSeeOther, leavePage+"#"+url.QueryEscape(c.Query("token")))
	return nil
}

// leaveWaitlist is also called by mail programs, with a form of their own (RFC 8058).
func (h *handlers) leaveWaitlist(c *gin.Context) error {
	if _, err := jsonbody.ReadAll(c.Writer, c.Request, jsonbody.MaxBytes); err != nil {
		return err
	}
	if _, err := h.waitlist.Leave(c.Request.Context(), &waitlistv1.LeaveRequest{Token: c.Query("token")}); err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Message{Message: "You are off the waitlist"})
	return nil
}
