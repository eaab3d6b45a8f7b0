package api

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/jsonbody"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/authn"
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
		ProductID: orNull(p.GetProductId()), PriceID: orNull(p.GetPriceId()), Features: make([]planFeature, 0, len(p.GetFeatures())),
	}
	for _, f := range p.GetFeatures() {
		answer.Features = append(answer.Features, planFeature{f.GetText(), f.GetInfo()})
	}
	return answer
}

func (a *API) getPlans(c *gin.Context) error {
	resp, err := a.services.Billing.ListPlans(c.Request.Context(), &billingv1.ListPlansRequest{})
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
		UserID: callerID(c), Status: s.GetStatus(), CurrentPeriodEnd: timeOrNull(s.GetCurrentPeriodEnd()), CreatedAt: s.GetCreatedAt().AsTime(),
		Plan: subscribedPlan{
			s.GetPlan().GetName(), jsonbody.Decimal(s.GetPlan().GetMonthlyCredits()), jsonbody.Decimal(s.GetPlan().GetPriceMonthly()),
		},
	}}
}

func (a *API) getSubscription(c *gin.Context) error {
	resp, err := a.services.Billing.GetSubscription(c.Request.Context(), &billingv1.GetSubscriptionRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, subscriptionOf(c, resp.GetSubscription()))
	return nil
}

// callerID is the account of the bearer.
func callerID(c *gin.Context) string {
	p, _ := authn.FromContext(c.Request.Context())
	return p.UserID
}

func timeOrNull(at *timestamppb.Timestamp) *time.Time {
	if at == nil {
		return nil
	}
	t := at.AsTime()
	return &t
}
