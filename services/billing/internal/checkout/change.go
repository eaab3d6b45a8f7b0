package checkout

import (
	"context"

	"fledge.dev/services/billing/internal/stripe"
)

// change opens the portal's page that confirms another plan: it shows the cost, and Stripe
// prorates. One that begins later, with the next period, buys nothing now, so nothing is welcomed
// and waited for on the way back.
func (svc *Service) change(ctx context.Context, o Order, s stripe.Subscription, later bool) (Page, error) {
	done := without(o.SuccessURL, "session_id")
	if later {
		done = profile(o.SuccessURL)
	}
	address, err := svc.withPortal(ctx, func(portal string) (string, error) {
		return svc.stripe.OpenPlanChange(ctx, portal, s, o.PriceID, profile(o.CancelURL), done)
	})
	if err != nil {
		return Page{}, svc.failed(ctx, err)
	}
	return Page{URL: address}, nil
}

// keep takes back a change that waits for the next period: nothing is to be paid.
func (svc *Service) keep(ctx context.Context, o Order, s stripe.Subscription) (Page, error) {
	if err := svc.stripe.Release(ctx, s); err != nil {
		return Page{}, svc.failed(ctx, err)
	}
	svc.catchUp(ctx, s.ID)
	return Page{URL: profile(o.SuccessURL)}, nil
}

// resume undoes a scheduled end: nothing is to be paid.
func (svc *Service) resume(ctx context.Context, o Order, s stripe.Subscription) (Page, error) {
	if err := svc.stripe.Resume(ctx, s); err != nil {
		return Page{}, svc.failed(ctx, err)
	}
	svc.catchUp(ctx, s.ID)
	return Page{URL: profile(o.SuccessURL)}, nil
}

// catchUp applies what was just read from Stripe. If it fails, the webhook will do it.
func (svc *Service) catchUp(ctx context.Context, id string) {
	if err := svc.subscriptions.Sync(ctx, id); err != nil {
		svc.log.WarnContext(ctx, "a subscription was not updated right after its change, its webhook will do it", "subscription", id, "error", err)
	}
}
