package waitlist

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	"fledge.dev/services/platform/fault"
)

// The site's pages after a form that a browser has sent by itself, because the page's
// script did not arrive.
const (
	joinedPage      = "/joined"
	confirmSentPage = "/confirm-sent"
	joinFailedPage  = "/join-failed"
)

var errForm = fault.New(fault.Invalid, "invalid_form", "The form must have the fields email and source, each once.")

// LeadForms sends people whose form fails to a page, whatever the reason: they would see the
// JSON itself.
func LeadForms(c *gin.Context) {
	if c.FullPath() == joinPath && c.Request.Method == http.MethodPost && route.IsForm(c.Request) {
		problem.LeadTo(c, joinFailedPage)
	}
}

// addWaitlistUserByForm takes the form from our own pages alone: browsers send forms for any
// site.
func (h *handlers) addWaitlistUserByForm(c *gin.Context) error {
	if err := h.site.Check(c.Request); err != nil {
		return err
	}
	body, err := jsonbody.ReadAll(c.Writer, c.Request, jsonbody.MaxBytes)
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || len(form) != 2 || len(form["email"]) != 1 || len(form["source"]) != 1 {
		return errForm.Wrap(err)
	}
	source := wire.AddWaitlistUserRequestSource(form.Get("source"))
	confirm, err := h.putOnWaitlist(c.Request.Context(), wire.AddWaitlistUserRequest{Email: form.Get("email"), Source: &source})
	if err != nil {
		return err
	}
	page := joinedPage
	if confirm {
		page = confirmSentPage
	}
	c.Redirect(http.StatusSeeOther, page)
	return nil
}
