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

// TestWhatIsChargedByUseIsNoItem: it sells no plan, not even alone, and Stripe's portal changes no plan beside it.
func TestWhatIsChargedByUseIsNoItem(t *testing.T) {
	item := func(usage sdk.PriceRecurringUsageType) *sdk.SubscriptionItem {
		return &sdk.SubscriptionItem{ID: string(usage), Quantity: 1, Price: &sdk.Price{
			ID: "price_" + string(usage), Product: &sdk.Product{ID: "prod_pro"}, Recurring: &sdk.PriceRecurring{Interval: "month", IntervalCount: 1, UsageType: usage},
		}}
	}
	ours := func(_, productID string) bool { return productID == "prod_pro" }
	of := func(items ...*sdk.SubscriptionItem) Subscription {
		return subscription(&sdk.Subscription{Items: &sdk.SubscriptionItemList{Data: items}}).Only(ours)
	}
	if s := of(item("metered"), item("licensed")); s.Items != 1 || s.PriceID != "price_licensed" || s.ProductID != "prod_pro" || !s.Mixed() || len(s.Metered) != 1 {
		t.Errorf("beside a plan: %+v", s)
	}
	for _, items := range [][]*sdk.SubscriptionItem{{item("metered")}, {item("metered"), item("metered")}} {
		if s := of(items...); s.Items != 1 || ours(s.PriceID, s.ProductID) || s.PriceID != "price_metered" {
			t.Errorf("alone: %+v", s)
		}
	}
}

func TestTaxesThatStripeHasSwitchedOffAreTold(t *testing.T) {
	for reason, want := range map[string]bool{"": false, "requires_location_inputs": true} {
		row := &sdk.Subscription{AutomaticTax: &sdk.SubscriptionAutomaticTax{DisabledReason: sdk.SubscriptionAutomaticTaxDisabledReason(reason)}}
		if got := subscription(row).TaxStopped; got != want {
			t.Errorf("%q: %t", reason, got)
		}
	}
}
