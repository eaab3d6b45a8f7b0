package checkout

import (
	"context"
	"errors"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/fault"
)

// The faults of buying.
var (
	ErrDemo       = fault.New(fault.Unavailable, "billing_not_configured", "This is a demo: nothing can be bought here.")
	ErrUnknown    = fault.New(fault.Conflict, "unknown_price", "This is not for sale at this price any more. Please reload the page.")
	ErrNoPlan     = fault.New(fault.Conflict, "plan_needed", "Extra credits come on top of a plan. Please choose a plan first.")
	ErrSubscribed = fault.New(fault.Conflict, "already_subscribed", "You already have this plan.")
	ErrOverdue    = fault.New(fault.Conflict, "payment_overdue", "A payment is overdue. Please pay it first: 'Update Payment Method' in your profile, or 'Invoices', leads to it.")
	ErrEnding     = fault.New(fault.Conflict, "subscription_ending", "Your plan is set to end. Please resubscribe to it first, then choose another plan.")
	ErrChanging   = fault.New(fault.Conflict, "plan_changing", "Your plan is already set to change. To choose another, keep your present plan first.")
	ErrSet        = fault.New(fault.Conflict, "plan_changing", "A change of your plan or of its price is set, and only we can undo it. To choose another plan, please write to us.")
	ErrMixed      = fault.New(fault.Conflict, "subscription_mixed", "Your subscription has more than your plan, and only we can change it. To choose another plan, please write to us.")
	ErrInvoiced   = fault.New(fault.Conflict, "subscription_mixed", "Your plan is paid by invoice, and only we can change it. To choose another plan, please write to us.")
	ErrOnItsWay   = fault.New(fault.Conflict, "payment_processing", "Your payment is on its way. That can take a few days; you can order again if it does not arrive.")
	ErrPaused     = fault.New(fault.Conflict, "subscription_paused", "Your subscription is paused. Open 'Invoices' in your profile to resume it, or write to us if it cannot be resumed there.")
	ErrNothing    = fault.New(fault.Conflict, "nothing_bought", "You have not bought anything yet. Choose a plan to get started.")
	ErrNoCheckout = fault.New(fault.NotFound, "checkout_not_found", "There is no such checkout.")
)

// MessageDemo is what the portal says where there is none.
const MessageDemo = "This is a demo: there is no subscription to manage."

// failed returns faults as they are and hides other errors of Stripe's. It tells those who run
// this of what only they can mend.
func (svc *Service) failed(ctx context.Context, err error) error {
	if errors.Is(err, stripe.ErrRefused) {
		svc.log.ErrorContext(ctx, "Stripe refuses what a person asked for: see its request in the dashboard", "request_id", stripe.RequestID(err), "error", err)
	}
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return stripe.ErrUnavailable.Wrap(err)
}
