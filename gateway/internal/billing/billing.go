package billing

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

type planFeature struct {
	Text string `json:"text"`
	Info string `json:"info,omitempty"`
}

type plan struct {
	ID             string           `json:"id"`
	Name           string           `json:"name"`
	Description    string           `json:"description"`
	MonthlyCredits jsonbody.Decimal `json:"monthly_credits"`
	PriceMonthly   jsonbody.Decimal `json:"price_monthly"`
	ProductID      *string          `json:"productId"`
	PriceID        *string          `json:"priceId"`
	Features       []planFeature    `json:"features"`
	ContactSales   bool             `json:"contactSales"`
}

type planList struct {
	Data []plan `json:"data"`
}

func planOf(p *billingv1.Plan) plan {
	answer := plan{
		ID: p.GetId(), Name: p.GetName(), Description: p.GetDescription(), ContactSales: p.GetContactSales(),
		MonthlyCredits: jsonbody.Decimal(p.GetMonthlyCredits()), PriceMonthly: jsonbody.Decimal(p.GetPriceMonthly()),
		ProductID: route.OrNull(p.GetProductId()), PriceID: route.OrNull(p.GetPriceId()), Features: make([]planFeature, 0, len(p.GetFeatures())),
	}
	for _, f := range p.GetFeatures() {
		answer.Features = append(answer.Features, planFeature{f.GetText(), f.GetInfo()})
	}
	return answer
}

func (h *handlers) getPlans(c *gin.Context) error {
	resp, err := h.billing.ListPlans(c.Request.Context(), &billingv1.ListPlansRequest{})
	if err != nil {
		return err
	}
	list := planList{Data: make([]plan, 0, len(resp.GetPlans()))}
	for _, p := range resp.GetPlans() {
		list.Data = append(list.Data, planOf(p))
	}
	c.JSON(http.StatusOK, list)
	return nil
}

type subscribedPlan struct {
	Name           string           `json:"name"`
	MonthlyCredits jsonbody.Decimal `json:"monthly_credits"`
	PriceMonthly   jsonbody.Decimal `json:"price_monthly"`
}

type subscription struct {
	UserID           string         `json:"user_id"`
	Status           string         `json:"status"`
	CurrentPeriodEnd *time.Time     `json:"current_period_end"`
	CreatedAt        time.Time      `json:"created_at"`
	Plan             subscribedPlan `json:"plan"`
}

// subscriptionAnswer has null for the free plan.
type subscriptionAnswer struct {
	Data *subscription `json:"data"`
}

func subscriptionOf(c *gin.Context, s *billingv1.Subscription) subscriptionAnswer {
	if s == nil {
		return subscriptionAnswer{}
	}
	return subscriptionAnswer{&subscription{
		UserID: route.CallerID(c), Status: s.GetStatus(), CurrentPeriodEnd: route.TimeOrNull(s.GetCurrentPeriodEnd()), CreatedAt: s.GetCreatedAt().AsTime(),
		Plan: subscribedPlan{
			s.GetPlan().GetName(), jsonbody.Decimal(s.GetPlan().GetMonthlyCredits()), jsonbody.Decimal(s.GetPlan().GetPriceMonthly()),
		},
	}}
}

func (h *handlers) getSubscription(c *gin.Context) error {
	resp, err := h.billing.GetSubscription(c.Request.Context(), &billingv1.GetSubscriptionRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, subscriptionOf(c, resp.GetSubscription()))
	return nil
}
