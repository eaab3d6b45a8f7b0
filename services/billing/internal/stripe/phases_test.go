package stripe

import (
	"testing"

	sdk "github.com/stripe/stripe-go/v85"
)

// TestAPhaseOfSeveralItemsIsAChange: Stripe refuses another plan while it waits.
func TestAPhaseOfSeveralItemsIsAChange(t *testing.T) {
	item := func(id string) *sdk.SubscriptionSchedulePhaseItem {
		return &sdk.SubscriptionSchedulePhaseItem{Price: &sdk.Price{ID: id, Product: &sdk.Product{ID: "product of " + id}}}
	}
	var s Subscription
	s.next(&sdk.SubscriptionSchedule{
		CurrentPhase: &sdk.SubscriptionScheduleCurrentPhase{EndDate: 10},
		Phases:       []*sdk.SubscriptionSchedulePhase{{StartDate: 10, Items: []*sdk.SubscriptionSchedulePhaseItem{item("plan"), item("storage")}}},
	})
	if s.NextPriceID != "plan" || s.NextProductID != "product of plan" || s.NextAt.Unix() != 10 {
		t.Errorf("next is %s of %s at %v", s.NextPriceID, s.NextProductID, s.NextAt)
	}
}
