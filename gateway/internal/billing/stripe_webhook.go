package billing

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

const signatureHeader = "Stripe-Signature"

// receiveStripeEvent passes the body on byte for byte, because that is what Stripe has
// signed. Nothing else of the request matters.
func (h *handlers) receiveStripeEvent(c *gin.Context) error {
	signature, err := route.Signature(c, signatureHeader)
	if err != nil {
		return err
	}
	payload, err := route.Event(c)
	if err != nil {
		return err
	}
	_, err = h.billing.ReceiveStripeEvent(c.Request.Context(), &billingv1.ReceiveStripeEventRequest{Payload: payload, Signature: signature})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Received{Received: true})
	return nil
}
