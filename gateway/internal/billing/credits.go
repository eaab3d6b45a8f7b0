package billing

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/authn"
)

func creditsOf(b *billingv1.Credits) wire.Credits {
	return wire.Credits{
		Granted: jsonbody.Decimal(b.GetGranted()), Used: jsonbody.Decimal(b.GetUsed()), Held: jsonbody.Decimal(b.GetHeld()),
		Balance: jsonbody.Decimal(b.GetBalance()), PeriodEnd: route.TimeOrNull(b.GetPeriodEnd()),
	}
}

func (h *handlers) getTokenBalance(c *gin.Context) error {
	resp, err := h.billing.GetCredits(c.Request.Context(), &billingv1.GetCreditsRequest{})
	if err != nil {
		return err
	}
	var answer wire.TokenBalanceAnswer
	if resp.GetCredits() != nil {
		all := creditsOf(resp.GetCredits())
		endings := make([]wire.CreditEnding, 0, len(resp.GetEndings()))
		for _, e := range resp.GetEndings() {
			endings = append(endings, wire.CreditEnding{At: e.GetAt().AsTime(), Amount: jsonbody.Decimal(e.GetAmount())})
		}
		all.Endings = &endings
		if waiting := resp.GetOnTheirWay(); len(waiting) > 0 {
			packs := make([]wire.PackOnItsWay, len(waiting))
			for i, p := range waiting {
				packs[i] = wire.PackOnItsWay{Credits: jsonbody.Decimal(p.GetCredits()), Since: p.GetSince().AsTime()}
			}
			all.OnTheirWay = &packs
		}
		answer.Data = &all
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

func (h *handlers) getCreditBalance(c *gin.Context) error {
	resp, err := h.billing.GetCredits(c.Request.Context(), &billingv1.GetCreditsRequest{})
	if err != nil {
		return err
	}
	var answer wire.CreditBalanceAnswer
	if held := resp.GetCredits(); held != nil {
		answer.Data = &wire.CreditBalance{
			UserID: route.CallerID(c), CreditBalance: jsonbody.Decimal(held.GetBalance()), CreditMax: jsonbody.Decimal(held.GetGranted()),
		}
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

// payer is the account that a server names, and empty for people, who pay for themselves.
func (h *handlers) payer(c *gin.Context, named *string) (string, error) {
	if p, _ := authn.FromContext(c.Request.Context()); p.Server != "" {
		return route.UUID("userId", route.Value(named))
	}
	if named == nil {
		return "", nil
	}
	return "", h.forCaller(c, *named)
}

func (h *handlers) consumeCredits(c *gin.Context, req wire.ConsumeCreditsRequest) error {
	payer, err := h.payer(c, req.UserID)
	if err != nil {
		return err
	}
	resp, err := h.billing.ConsumeCredits(c.Request.Context(), &billingv1.ConsumeCreditsRequest{
		Amount: int64(req.Amount), Description: req.Description, IdempotencyKey: req.IdempotencyKey, UserId: payer,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.ConsumedCredits{ID: resp.GetEntryId(), Credits: creditsOf(resp.GetCredits())})
	return nil
}

func (h *handlers) holdCredits(c *gin.Context, req wire.HoldCreditsRequest) error {
	payer, err := h.payer(c, req.UserID)
	if err != nil {
		return err
	}
	resp, err := h.billing.HoldCredits(c.Request.Context(), &billingv1.HoldCreditsRequest{
		Amount: int64(req.Amount), Description: req.Description, IdempotencyKey: req.IdempotencyKey, LifetimeSeconds: route.Given(req.LifetimeSeconds),
		UserId: payer,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.HeldCredits{HoldID: resp.GetHoldId(), ExpiresAt: resp.GetExpiresAt().AsTime(), Credits: creditsOf(resp.GetCredits())})
	return nil
}

func (h *handlers) settleCredits(c *gin.Context, req wire.SettleCreditsRequest) error {
	if req.Amount == nil {
		return route.Invalid("amount", "is missing")
	}
	payer, err := h.payer(c, req.UserID)
	if err != nil {
		return err
	}
	resp, err := h.billing.SettleCredits(c.Request.Context(), &billingv1.SettleCreditsRequest{HoldId: req.HoldID, Amount: int64(*req.Amount), UserId: payer})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.SettledCredits{Credits: creditsOf(resp.GetCredits())})
	return nil
}
