package api_test

import (
	"context"
	"sync/atomic"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

type billingFake struct {
	billingv1.UnimplementedBillingServiceServer
	calls
	plans        []*billingv1.Plan
	checkout     *billingv1.CreateCheckoutSessionResponse
	portal       *billingv1.CreatePortalSessionResponse
	subscription *billingv1.Subscription
	credits      *billingv1.Credits
	history      *billingv1.ListCreditEntriesResponse
	held         *billingv1.HoldCreditsResponse
	// unsummed leaves out what was spent.
	unsummed atomic.Bool
	// A delivery waits for hold, if there is one, after reporting that it came.
	hold, came chan struct{}
	// leave ends the server: from then on billing is away.
	leave func()
}

func (f *billingFake) ListPlans(ctx context.Context, r *billingv1.ListPlansRequest) (*billingv1.ListPlansResponse, error) {
	return &billingv1.ListPlansResponse{Plans: f.plans}, f.record(ctx, r)
}

func (f *billingFake) CreateCheckoutSession(ctx context.Context, r *billingv1.CreateCheckoutSessionRequest) (*billingv1.CreateCheckoutSessionResponse, error) {
	return f.checkout, f.record(ctx, r)
}

func (f *billingFake) SyncCheckoutSession(ctx context.Context, r *billingv1.SyncCheckoutSessionRequest) (*billingv1.SyncCheckoutSessionResponse, error) {
	return &billingv1.SyncCheckoutSessionResponse{Subscription: f.subscription}, f.record(ctx, r)
}

func (f *billingFake) CreatePortalSession(ctx context.Context, r *billingv1.CreatePortalSessionRequest) (*billingv1.CreatePortalSessionResponse, error) {
	return f.portal, f.record(ctx, r)
}

func (f *billingFake) GetSubscription(ctx context.Context, r *billingv1.GetSubscriptionRequest) (*billingv1.GetSubscriptionResponse, error) {
	return &billingv1.GetSubscriptionResponse{Subscription: f.subscription}, f.record(ctx, r)
}

func (f *billingFake) GetCredits(ctx context.Context, r *billingv1.GetCreditsRequest) (*billingv1.GetCreditsResponse, error) {
	return &billingv1.GetCreditsResponse{Credits: f.credits}, f.record(ctx, r)
}

func (f *billingFake) ListCreditEntries(ctx context.Context, r *billingv1.ListCreditEntriesRequest) (*billingv1.ListCreditEntriesResponse, error) {
	return f.history, f.record(ctx, r)
}

func (f *billingFake) ConsumeCredits(ctx context.Context, r *billingv1.ConsumeCreditsRequest) (*billingv1.ConsumeCreditsResponse, error) {
	return &billingv1.ConsumeCreditsResponse{EntryId: "7", Credits: f.credits}, f.record(ctx, r)
}

func (f *billingFake) HoldCredits(ctx context.Context, r *billingv1.HoldCreditsRequest) (*billingv1.HoldCreditsResponse, error) {
	return f.held, f.record(ctx, r)
}

func (f *billingFake) SettleCredits(ctx context.Context, r *billingv1.SettleCreditsRequest) (*billingv1.SettleCreditsResponse, error) {
	return &billingv1.SettleCreditsResponse{Credits: f.credits}, f.record(ctx, r)
}

func (f *billingFake) ReceiveStripeEvent(ctx context.Context, r *billingv1.ReceiveStripeEventRequest) (*billingv1.ReceiveStripeEventResponse, error) {
	if f.hold != nil {
		f.came <- struct{}{}
		<-f.hold
	}
	return &billingv1.ReceiveStripeEventResponse{}, f.record(ctx, r)
}

func (f *billingFake) GetStats(ctx context.Context, r *billingv1.GetStatsRequest) (*billingv1.GetStatsResponse, error) {
	stats := &billingv1.GetStatsResponse{Active: 3, Cancelled: 2, PastDue: 1, Spent: 1234, Plans: []*billingv1.PlanStats{{Name: "Pro", Active: 3}}}
	if f.unsummed.Load() {
		stats.Spent = 0
		return stats, f.record(ctx, r)
	}
	for _, d := range monthOfStats().GetDays() {
		stats.Days = append(stats.Days, &billingv1.DailySpend{Day: d.GetDay(), Amount: 5})
	}
	return stats, f.record(ctx, r)
}
