package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

// receiveAppleNotification passes the body on; identity verifies what Apple has signed in it.
func (h *handlers) receiveAppleNotification(c *gin.Context) error {
	body, err := route.Event(c)
	if err != nil {
		return err
	}
	if _, err := h.Identity.ReceiveAppleNotification(c.Request.Context(), &identityv1.ReceiveAppleNotificationRequest{Body: body}); err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Received{Received: true})
	return nil
}
