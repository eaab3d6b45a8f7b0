package apitest

import (
	"context"
	"sync/atomic"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

type billingFake struct {
	billingv1.UnimplementedBillingServiceServer
	Calls
	Plans        []*billingv1.Plan
	Checkout     *billingv1.CreateCheckoutSessionResponse
	Portal       *billingv1.CreatePortalSessionResponse
	Subscription *billingv1.Subscription
	Credits      *billingv1.Credits
	Endings      []*billingv1.CreditEnding
	OnTheirWay   []*billingv1.PackOnItsWay
	Packs        []*billingv1.Pack
	// Pack is what has become of one.
	Pack      string
	TrialDays int32
	// HasPortal says that the caller is a customer of Stripe's.
	HasPortal bool
	History   *billingv1.ListCreditEntriesResponse
	Account   *billingv1.GetAccountResponse
	Finances  *billingv1.GetFinancesResponse
	Cases     *billingv1.ListCasesResponse
	MonthEnd  *billingv1.GetMonthEndResponse
	Held      *billingv1.HoldCreditsResponse
	Export    exported
	// Unsummed leaves out what was spent.
	Unsummed atomic.Bool
	// A delivery waits for hold, if there is one, after reporting that it came.
	Hold, Came chan struct{}
	// Leave ends the server: from then on billing is away.
	Leave func()
}

func (f *billingFake) ListPlans(ctx context.Context, r *billingv1.ListPlansRequest) (*billingv1.ListPlansResponse, error) {
	return &billingv1.ListPlansResponse{Plans: f.Plans, Packs: f.Packs}, f.record(ctx, r)
}

func (f *billingFake) CreateCheckoutSession(ctx context.Context, r *billingv1.CreateCheckoutSessionRequest) (*billingv1.CreateCheckoutSessionResponse, error) {
	return f.Checkout, f.record(ctx, r)
}

func (f *billingFake) SyncCheckoutSession(ctx context.Context, r *billingv1.SyncCheckoutSessionRequest) (*billingv1.SyncCheckoutSessionResponse, error) {
	return &billingv1.SyncCheckoutSessionResponse{Subscription: f.Subscription, Pack: f.Pack}, f.record(ctx, r)
}

func (f *billingFake) CreatePortalSession(ctx context.Context, r *billingv1.CreatePortalSessionRequest) (*billingv1.CreatePortalSessionResponse, error) {
	return f.Portal, f.record(ctx, r)
}

func (f *billingFake) GetPortalSignIn(ctx context.Context, r *billingv1.GetPortalSignInRequest) (*billingv1.GetPortalSignInResponse, error) {
	return &billingv1.GetPortalSignInResponse{Url: PortalSignIn}, f.record(ctx, r)
}

func (f *billingFake) GetSubscription(ctx context.Context, r *billingv1.GetSubscriptionRequest) (*billingv1.GetSubscriptionResponse, error) {
	return &billingv1.GetSubscriptionResponse{Subscription: f.Subscription, TrialDays: f.TrialDays, HasPortal: f.HasPortal}, f.record(ctx, r)
}

func (f *billingFake) GetCredits(ctx context.Context, r *billingv1.GetCreditsRequest) (*billingv1.GetCreditsResponse, error) {
	return &billingv1.GetCreditsResponse{Credits: f.Credits, Endings: f.Endings, OnTheirWay: f.OnTheirWay}, f.record(ctx, r)
}

func (f *billingFake) ListCreditEntries(ctx context.Context, r *billingv1.ListCreditEntriesRequest) (*billingv1.ListCreditEntriesResponse, error) {
	return f.History, f.record(ctx, r)
}

func (f *billingFake) ConsumeCredits(ctx context.Context, r *billingv1.ConsumeCreditsRequest) (*billingv1.ConsumeCreditsResponse, error) {
	return &billingv1.ConsumeCreditsResponse{EntryId: "7", Credits: f.Credits}, f.record(ctx, r)
}

func (f *billingFake) HoldCredits(ctx context.Context, r *billingv1.HoldCreditsRequest) (*billingv1.HoldCreditsResponse, error) {
	return f.Held, f.record(ctx, r)
}

func (f *billingFake) SettleCredits(ctx context.Context, r *billingv1.SettleCreditsRequest) (*billingv1.SettleCreditsResponse, error) {
	return &billingv1.SettleCreditsResponse{Credits: f.Credits}, f.record(ctx, r)
}

func (f *billingFake) ReceiveStripeEvent(ctx context.Context, r *billingv1.ReceiveStripeEventRequest) (*billingv1.ReceiveStripeEventResponse, error) {
	if f.Hold != nil {
		f.Came <- struct{}{}
		<-f.Hold
	}
	return &billingv1.ReceiveStripeEventResponse{}, f.record(ctx, r)
}

func (f *billingFake) GetStats(ctx context.Context, r *billingv1.GetStatsRequest) (*billingv1.GetStatsResponse, error) {
	stats := &billingv1.GetStatsResponse{Active: 3, Cancelled: 2, PastDue: 1, Spent: 1234, Cases: 2, Differences: 1, Plans: []*billingv1.PlanStats{{Name: "Pro", Active: 3}}}
	if f.Unsummed.Load() {
		stats.Spent = 0
		return stats, f.record(ctx, r)
	}
	for _, d := range monthOfStats().GetDays() {
		stats.Days = append(stats.Days, &billingv1.DailySpend{Day: d.GetDay(), Amount: 5})
	}
	return stats, f.record(ctx, r)
}

func (f *billingFake) GetAccount(ctx context.Context, r *billingv1.GetAccountRequest) (*billingv1.GetAccountResponse, error) {
	return f.Account, f.record(ctx, r)
}

func (f *billingFake) SetRenewal(ctx context.Context, r *billingv1.SetRenewalRequest) (*billingv1.SetRenewalResponse, error) {
	return &billingv1.SetRenewalResponse{}, f.record(ctx, r)
}

func (f *billingFake) AdjustCredits(ctx context.Context, r *billingv1.AdjustCreditsRequest) (*billingv1.AdjustCreditsResponse, error) {
	return &billingv1.AdjustCreditsResponse{Credits: f.Credits}, f.record(ctx, r)
}

func (f *billingFake) GetFinances(ctx context.Context, r *billingv1.GetFinancesRequest) (*billingv1.GetFinancesResponse, error) {
	return f.Finances, f.record(ctx, r)
}

func (f *billingFake) ListCases(ctx context.Context, r *billingv1.ListCasesRequest) (*billingv1.ListCasesResponse, error) {
	return f.Cases, f.record(ctx, r)
}

func (f *billingFake) DecideCase(ctx context.Context, r *billingv1.DecideCaseRequest) (*billingv1.DecideCaseResponse, error) {
	return &billingv1.DecideCaseResponse{}, f.record(ctx, r)
}

func (f *billingFake) GetMonthEnd(ctx context.Context, r *billingv1.GetMonthEndRequest) (*billingv1.GetMonthEndResponse, error) {
	return f.MonthEnd, f.record(ctx, r)
}
