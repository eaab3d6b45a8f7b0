package billing

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
)

// An answer without an address would leave the browser nowhere to go.
var errNoPage = fault.New(fault.Unavailable, "stripe_unavailable", "Payments are not available right now. Please try again in a moment.").
	Wrap(errors.New("billing named no page"))

func (h *handlers) createCheckoutSession(c *gin.Context, req wire.CreateCheckoutSessionRequest) error {
	if err := h.forCaller(c, req.UserID); err != nil {
		return err
	}
	if !returnto.Checkout(h.site.Origin.String(), req.SuccessURL) {
		return route.Invalid("successUrl", "is not the profile page of this site")
	}
	if !returnto.Checkout(h.site.Origin.String(), req.CancelURL) {
		return route.Invalid("cancelUrl", "is not the profile page of this site")
	}
	resp, err := h.billing.CreateCheckoutSession(c.Request.Context(), &billingv1.CreateCheckoutSessionRequest{
		ProductId: req.ProductID, PriceId: req.PriceID, SuccessUrl: req.SuccessURL, CancelUrl: req.CancelURL,
	})
	if err != nil {
		return err
	}
	if resp.GetUrl() == "" {
		return errNoPage
	}
	c.JSON(http.StatusOK, wire.CheckoutSession{SessionID: resp.GetSessionId(), URL: resp.GetUrl()})
	return nil
}

func (h *handlers) syncCheckoutSession(c *gin.Context, req wire.SyncCheckoutSessionRequest) error {
	resp, err := h.billing.SyncCheckoutSession(c.Request.Context(), &billingv1.SyncCheckoutSessionRequest{SessionId: req.SessionID})
	if err != nil {
		return err
	}
	answer := subscriptionOf(c, resp.GetSubscription())
	answer.Pack = route.OrNull(wire.SubscriptionAnswerPack(resp.GetPack()))
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) createPortalSession(c *gin.Context, req wire.CreatePortalSessionRequest) error {
	if err := h.forCaller(c, req.UserID); err != nil {
		return err
	}
	if !returnto.Portal(h.site.Origin.String(), req.ReturnURL) {
		return route.Invalid("returnUrl", "is not the profile page of this site")
	}
	resp, err := h.billing.CreatePortalSession(c.Request.Context(), &billingv1.CreatePortalSessionRequest{ReturnUrl: req.ReturnURL})
	if err != nil {
		return err
	}
	switch {
	case resp.GetUrl() != "":
		c.JSON(http.StatusOK, wire.PortalLink{URL: resp.GetUrl()})
	case resp.GetMessage() != "":
		c.JSON(http.StatusOK, wire.Message{Message: resp.GetMessage()})
	default:
		return errNoPage
	}
	return nil
}

// stripePortal leads to Stripe's own page into the portal. The link stands in emails to people whose
// account is disabled.
func (h *handlers) stripePortal(c *gin.Context) error {
	resp, err := h.billing.GetPortalSignIn(c.Request.Context(), &billingv1.GetPortalSignInRequest{})
	if err != nil {
		return err
	}
	c.Redirect(http.StatusFound, resp.GetUrl())
	return nil
}

// forCaller refuses a body that names another account than the bearer's. The bearer's
// account is used in any case; another one in the body is an attempt at abuse.
func (h *handlers) forCaller(c *gin.Context, userID string) error {
	id, err := route.UUID("userId", userID)
	if err != nil {
		return err
	}
	if id != route.CallerID(c) {
		h.log.WarnContext(c.Request.Context(), "security: a request for another account", "route", c.FullPath(), "user", route.CallerID(c), "claimed", id)
		return authn.ErrForbidden
	}
	return nil
}
