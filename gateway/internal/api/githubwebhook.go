package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

const (
	hubSignatureHeader = "X-Hub-Signature-256"
	gitHubEventHeader  = "X-GitHub-Event"
	maxEventName       = 64
)

// receiveGitHubEvent passes the body on byte for byte, because that is what GitHub has
// signed. The event's name is not signed; the payload determines what the event means.
func (a *API) receiveGitHubEvent(c *gin.Context) error {
	signature, ok := onlyHeader(c, hubSignatureHeader, maxSignature)
	if !ok {
		return invalid("signature", "is not given exactly once in "+hubSignatureHeader)
	}
	event, ok := onlyHeader(c, gitHubEventHeader, maxEventName)
	if !ok {
		return invalid("event", "is not given exactly once in "+gitHubEventHeader)
	}
	payload, err := jsonbody.Raw(c.Writer, c.Request, maxEvent)
	if err != nil {
		return err
	}
	_, err = a.services.Releases.ReceiveGitHubEvent(c.Request.Context(), &releasesv1.ReceiveGitHubEventRequest{Payload: payload, Signature: signature, Event: event})
	if err != nil {
		return err
	}
	c.JSON(http.StatusAccepted, receivedAnswer{true})
	return nil
}
