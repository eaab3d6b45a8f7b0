package billing

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

func planOf(p *billingv1.Plan) wire.Plan {
	answer := wire.Plan{
		ID: p.GetId(), Name: p.GetName(), Description: p.GetDescription(), ContactSales: p.GetContactSales(),
		MonthlyCredits: jsonbody.Decimal(p.GetMonthlyCredits()), PriceMonthly: jsonbody.Decimal(p.GetPriceMonthly()),
		ProductID: route.OrNull(p.GetProductId()), PriceID: route.OrNull(p.GetPriceId()), Features: make([]wire.Plan_Features, 0, len(p.GetFeatures())),
	}
	if annual := p.GetAnnual(); annual != nil {
		answer.Annual = &wire.Plan_Annual{PriceID: annual.GetPriceId(), Price: jsonbody.Decimal(annual.GetPrice())}
	}
	for _, f := range p.GetFeatures() {
		answer.Features = append(answer.Features, wire.Plan_Features{Text: f.GetText(), Info: route.OrNull(f.GetInfo())})
	}
	return answer
}

func (h *handlers) getPlans(c *gin.Context) error {
	resp, err := h.billing.ListPlans(c.Request.Context(), &billingv1.ListPlansRequest{})
	if err != nil {
		return err
	}
	list := wire.PlanList{Data: route.Each(resp.GetPlans(), planOf)}
	if sold := resp.GetPacks(); len(sold) > 0 {
		packs := make([]wire.Pack, len(sold))
		for i, p := range sold {
			packs[i] = wire.Pack{ProductID: p.GetProductId(), PriceID: p.GetPriceId(), Credits: jsonbody.Decimal(p.GetCredits()), Price: moneyOf(p.GetPrice())}
		}
		list.Packs = &packs
	}
	c.JSON(http.StatusOK, list)
	return nil
}

func subscriptionOf(c *gin.Context, s *billingv1.Subscription) wire.SubscriptionAnswer {
	if s == nil {
		return wire.SubscriptionAnswer{}
	}
	return wire.SubscriptionAnswer{Data: subscriptionFor(route.CallerID(c), s)}
}

func subscriptionFor(userID string, s *billingv1.Subscription) *wire.Subscription {
	answer := &wire.Subscription{
		UserID: userID, Status: s.GetStatus(), CurrentPeriodEnd: route.TimeOrNull(s.GetCurrentPeriodEnd()), CreatedAt: s.GetCreatedAt().AsTime(),
		Plan: wire.Subscription_Plan{
			Name:           s.GetPlan().GetName(),
			MonthlyCredits: jsonbody.Decimal(s.GetPlan().GetMonthlyCredits()), PriceMonthly: jsonbody.Decimal(s.GetPlan().GetPriceMonthly()),
		},
	}
	if every := s.GetInterval(); every != "" && every != "month" {
		answer.Interval = &every
	}
	if count := int64(s.GetIntervalCount()); count > 1 {
		answer.IntervalCount = &count
	}
	answer.PeriodCredits = route.OrNull(jsonbody.Decimal(s.GetPeriodCredits()))
	if later := s.GetLaterPriceIds(); len(later) > 0 {
		answer.LaterPriceIds = &later
	}
	if next := s.GetChange(); next != nil {
		answer.Change = &wire.Subscription_Change{Plan: next.GetPlan(), At: next.GetAt().AsTime()}
		if every := next.GetInterval(); every != "" && (every != s.GetInterval() || s.GetIntervalCount() > 1) {
			answer.Change.Interval = &every
		}
	}
	if then := s.GetAfterTrial(); then != nil {
		answer.AfterTrial = new(moneyOf(then))
	}
	if due := s.GetDue(); due != nil {
		answer.Due = &wire.Subscription_Due{Amount: jsonbody.Decimal(due.GetAmount()), Currency: due.GetCurrency(), Since: due.GetSince().AsTime(), Processing: due.GetProcessing()}
	}
	return answer
}

func (h *handlers) getSubscription(c *gin.Context) error {
	resp, err := h.billing.GetSubscription(c.Request.Context(), &billingv1.GetSubscriptionRequest{})
	if err != nil {
		return err
	}
	answer := subscriptionOf(c, resp.GetSubscription())
	answer.TrialDays, answer.HasPortal = route.OrNull(int64(resp.GetTrialDays())), route.OrNull(resp.GetHasPortal())
	c.JSON(http.StatusOK, answer)
	return nil
}
