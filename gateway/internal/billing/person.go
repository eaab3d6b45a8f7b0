package billing

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

func (h *handlers) getPersonBilling(c *gin.Context) error {
	id, err := route.UUID("userId", route.Query(c).Get("userId"))
	if err != nil {
		return err
	}
	page, err := route.PageOf(c)
	if err != nil {
		return err
	}
	resp, err := h.billing.GetAccount(c.Request.Context(), &billingv1.GetAccountRequest{UserId: id, Cursor: page.Cursor, Limit: page.Limit})
	if err != nil {
		return err
	}
	answer := wire.PersonBilling{
		Entries: route.Each(resp.GetEntries(), entryOf), NextCursor: route.OrNull(resp.GetNextCursor()), StripeURL: route.OrNull(resp.GetStripeUrl()),
		Owed: jsonbody.Decimal(resp.GetOwed()), Disputes: int64(resp.GetDisputes()),
		Disabled: resp.GetDisabled(), Renews: resp.GetRenews(),
	}
	if resp.GetSubscription() != nil {
		answer.Subscription = subscriptionFor(id, resp.GetSubscription())
	}
	if resp.GetCredits() != nil {
		answer.Credits = new(creditsOf(resp.GetCredits()))
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) setPersonRenewal(c *gin.Context, req wire.SetPersonRenewalRequest) error {
	if req.Renews == nil {
		return route.Invalid("renews", "is missing")
	}
	if _, err := h.billing.SetRenewal(c.Request.Context(), &billingv1.SetRenewalRequest{UserId: req.UserID, Renews: *req.Renews, Reason: req.Reason}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	return nil
}

func (h *handlers) adjustCredits(c *gin.Context, req wire.AdjustCreditsRequest) error {
	resp, err := h.billing.AdjustCredits(c.Request.Context(), &billingv1.AdjustCreditsRequest{
		UserId: req.UserID, Amount: int64(req.Amount), Reason: req.Reason, IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.AdjustCreditsAnswer{Credits: creditsOf(resp.GetCredits())})
	return nil
}
