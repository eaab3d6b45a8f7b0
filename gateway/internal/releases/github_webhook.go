package releases

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

const (
	hubSignatureHeader = "X-Hub-Signature-256"
	gitHubEventHeader  = "X-GitHub-Event"
	maxEventName       = 64
)

// receiveGitHubEvent passes the body on byte for byte, because that is what GitHub has
// signed. The event's name is not signed; the payload determines what the event means.
func (h *handlers) receiveGitHubEvent(c *gin.Context) error {
	signature, err := route.Signature(c, hubSignatureHeader)
	if err != nil {
		return err
	}
	event, err := route.OnlyHeader(c, "event", gitHubEventHeader, maxEventName)
	if err != nil {
		return err
	}
	payload, err := route.Event(c)
	if err != nil {
		return err
	}
	_, err = h.releases.ReceiveGitHubEvent(c.Request.Context(), &releasesv1.ReceiveGitHubEventRequest{Payload: payload, Signature: signature, Event: event})
	if err != nil {
		return err
	}
	c.JSON(http.StatusAccepted, wire.Received{Received: true})
	return nil
}
