package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

const (
	signatureHeader = "Stripe-Signature"
	maxEvent        = 1 << 20
	maxSignature    = 8 << 10
)

type receivedAnswer struct {
	Received bool `json:"received"`
}

// receiveStripeEvent passes the body on byte for byte, because that is what Stripe has
// signed. Nothing else of the request matters.
func (a *API) receiveStripeEvent(c *gin.Context) error {
	signature, ok := onlyHeader(c, signatureHeader, maxSignature)
	if !ok {
		return invalid("signature", "is not given exactly once in "+signatureHeader)
	}
	payload, err := jsonbody.Raw(c.Writer, c.Request, maxEvent)
	if err != nil {
		return err
	}
	_, err = a.services.Billing.ReceiveStripeEvent(c.Request.Context(), &billingv1.ReceiveStripeEventRequest{Payload: payload, Signature: signature})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, receivedAnswer{true})
	return nil
}

// onlyHeader returns the value of a header that is given exactly once, in printable ASCII.
func onlyHeader(c *gin.Context, name string, maxBytes int) (string, bool) {
	values := c.Request.Header.Values(name)
	if len(values) != 1 || values[0] == "" || len(values[0]) > maxBytes || !isPrintable(values[0]) {
		return "", false
	}
	return values[0], true
}
