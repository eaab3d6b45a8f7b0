package billing

import (
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

const (
	// maxCredits is the most that one call may spend, in hundredths of a credit.
	maxCredits     = 10_000_000
	maxDescription = 200
	maxHoldSeconds = 86_400
)

type credits struct {
	Granted   jsonbody.Decimal `json:"granted"`
	Used      jsonbody.Decimal `json:"used"`
	Held      jsonbody.Decimal `json:"held"`
	Balance   jsonbody.Decimal `json:"balance"`
	PeriodEnd *time.Time       `json:"period_end"`
}

func creditsOf(b *billingv1.Credits) credits {
	return credits{
		jsonbody.Decimal(b.GetGranted()), jsonbody.Decimal(b.GetUsed()), jsonbody.Decimal(b.GetHeld()), jsonbody.Decimal(b.GetBalance()),
		route.TimeOrNull(b.GetPeriodEnd()),
	}
}

type tokenBalanceAnswer struct {
	Data *credits `json:"data"`
}

type creditBalance struct {
	UserID        string           `json:"user_id"`
	CreditBalance jsonbody.Decimal `json:"credit_balance"`
	CreditMax     jsonbody.Decimal `json:"credit_max"`
}

type creditBalanceAnswer struct {
	Data *creditBalance `json:"data"`
}

func (h *handlers) getTokenBalance(c *gin.Context) error {
	resp, err := h.billing.GetCredits(c.Request.Context(), &billingv1.GetCreditsRequest{})
	if err != nil {
		return err
	}
	var answer tokenBalanceAnswer
	if resp.GetCredits() != nil {
		all := creditsOf(resp.GetCredits())
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
	var answer creditBalanceAnswer
	if held := resp.GetCredits(); held != nil {
		answer.Data = &creditBalance{route.CallerID(c), jsonbody.Decimal(held.GetBalance()), jsonbody.Decimal(held.GetGranted())}
	}
	c.JSON(http.StatusOK, answer)
	return nil
}

type consumeCreditsRequest struct {
	Amount         *jsonbody.Decimal `json:"amount"`
	Description    string            `json:"description"`
	IdempotencyKey string            `json:"idempotencyKey"`
}

type consumeCreditsAnswer struct {
	ID      string  `json:"id"`
	Credits credits `json:"credits"`
}

func (h *handlers) consumeCredits(c *gin.Context) error {
	req, err := jsonbody.Decode[consumeCreditsRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	resp, err := h.billing.ConsumeCredits(c.Request.Context(), &billingv1.ConsumeCreditsRequest{
		Amount: int64(*req.Amount), Description: req.Description, IdempotencyKey: req.IdempotencyKey,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, consumeCreditsAnswer{resp.GetEntryId(), creditsOf(resp.GetCredits())})
	return nil
}

func (r consumeCreditsRequest) check() error {
	if err := amount(r.Amount, 1); err != nil {
		return err
	}
	if strings.TrimSpace(r.Description) == "" || strings.ContainsFunc(r.Description, unicode.IsControl) {
		return route.Invalid("description", "is missing or contains characters that are not allowed")
	}
	if err := route.MaxLength("description", r.Description, maxDescription); err != nil {
		return err
	}
	return route.IdempotencyKey(r.IdempotencyKey)
}

type holdCreditsRequest struct {
	consumeCreditsRequest
	LifetimeSeconds *int32 `json:"lifetimeSeconds"`
}

type holdCreditsAnswer struct {
	HoldID    string    `json:"holdId"`
	ExpiresAt time.Time `json:"expires_at"`
	Credits   credits   `json:"credits"`
}

func (h *handlers) holdCredits(c *gin.Context) error {
	req, err := jsonbody.Decode[holdCreditsRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	var lifetime int32 // 0 is the service's default
	if req.LifetimeSeconds != nil {
		if lifetime = *req.LifetimeSeconds; lifetime < 1 || lifetime > maxHoldSeconds {
			return route.Invalid("lifetimeSeconds", "is not a number from 1 to 86400")
		}
	}
	resp, err := h.billing.HoldCredits(c.Request.Context(), &billingv1.HoldCreditsRequest{
		Amount: int64(*req.Amount), Description: req.Description, IdempotencyKey: req.IdempotencyKey, LifetimeSeconds: lifetime,
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, holdCreditsAnswer{resp.GetHoldId(), resp.GetExpiresAt().AsTime(), creditsOf(resp.GetCredits())})
	return nil
}

type settleCreditsRequest struct {
	HoldID string            `json:"holdId"`
	Amount *jsonbody.Decimal `json:"amount"`
}

type settleCreditsAnswer struct {
	Credits credits `json:"credits"`
}

func (h *handlers) settleCredits(c *gin.Context) error {
	req, err := jsonbody.Decode[settleCreditsRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	id, err := route.UUID("holdId", req.HoldID)
	if err != nil {
		return err
	}
	if err := amount(req.Amount, 0); err != nil {
		return err
	}
	resp, err := h.billing.SettleCredits(c.Request.Context(), &billingv1.SettleCreditsRequest{HoldId: id, Amount: int64(*req.Amount)})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, settleCreditsAnswer{creditsOf(resp.GetCredits())})
	return nil
}

// amount refuses a number of credits that is missing or out of range.
func amount(given *jsonbody.Decimal, least jsonbody.Decimal) error {
	if given == nil || *given < least || *given > maxCredits {
		return route.Invalid("amount", "is missing or not a number of credits up to 100,000")
	}
	return nil
}
