package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

// deleteAccount begins the deletion of the caller's account. That ends every session, so that
// the browser's cookies are removed as well.
func (h *handlers) deleteAccount(c *gin.Context) error {
	if _, err := jsonbody.DecodeOptional[struct{}](c.Writer, c.Request); err != nil {
		return err
	}
	resp, err := h.Identity.DeleteAccount(c.Request.Context(), &identityv1.DeleteAccountRequest{})
	if err != nil {
		return err
	}
	h.clearCookies(c)
	c.JSON(http.StatusAccepted, wire.DeleteAccountAnswer{EraseAt: resp.GetEraseAt().AsTime()})
	return nil
}
