package checkout

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
)

// sell decides what an order comes to, by what the customer has at Stripe.
func (svc *Service) sell(ctx context.Context, o Order, prices plan.Prices, customer string) (Page, error) {
	// Our own record may be behind: a second subscription would be paid twice.
	subscriptions, err := svc.stripe.Subscriptions(ctx, customer)
	if err != nil {
		return Page{}, svc.failed(ctx, err)
	}
	for i, s := range subscriptions {
		subscriptions[i] = s.Only(prices.Sells)
	}
	wanted, interval, _ := prices.Offered(o.PriceID)
	// Of several, the one that is what was ordered says so before another is changed to it.
	slices.SortStableFunc(subscriptions, func(a, b stripe.Subscription) int {
		is := func(s stripe.Subscription) int {
			if has, ours := prices.Of(s.PriceID, s.ProductID); ours && has.ID == wanted.ID && subscription.StatusOf(s) == subscription.Active {
				return 0
			}
			return 1
		}
		return is(a) - is(b)
	})
	var over []stripe.Subscription
	for _, s := range subscriptions {
		has, ours := prices.Of(s.PriceID, s.ProductID)
		if !ours {
			continue // of another product, which it does not replace
		}
		begun, err := svc.begun(ctx, s)
		if err != nil {
			return Page{}, err
		}
		if !begun {
			over = append(over, s)
			continue
		}
		status, paid := subscription.StatusOf(s), s.Paid()
		same := has.ID == wanted.ID && wanted.Same(paid, interval, status == subscription.Cancelled)
		switch {
		case status == subscription.PastDue:
			return Page{}, ErrOverdue
		case status != subscription.Active && status != subscription.Cancelled:
			return Page{}, ErrPaused
		// Stripe does not document whether changing plans undoes a scheduled end: what was
		// paid for might end anyway. Undoing it here would renew the plan of people who
		// leave Stripe's page without confirming.
		case !same && status == subscription.Cancelled:
			return Page{}, ErrEnding
		}
		next, _, err := svc.subscriptions.Next(ctx, s)
		if err != nil {
			return Page{}, svc.failed(ctx, err)
		}
		switch {
		// Stripe refuses a change of what a schedule changes already.
		case !same && next != "":
			return Page{}, ErrChanging
		// It changes the price alone, or to what we do not know. Whoever left Stripe's page without confirming would
		// keep the present price for good if that were undone here.
		case !same && s.NextPriceID != "":
			return Page{}, ErrSet
		case !same && s.Mixed():
			return Page{}, ErrMixed
		case !same && s.Sent: // Stripe's portal changes none of those either
			return Page{}, ErrInvoiced
		case !same:
			return svc.change(ctx, o, s, prices.Waits(has.ID, paid, o.PriceID))
		case status == subscription.Active && next != "":
			return svc.keep(ctx, o, s)
		case status == subscription.Active:
			svc.catchUp(ctx, s.ID)
			return Page{}, ErrSubscribed
		default:
			return svc.resume(ctx, o, s)
		}
	}
	had, err := svc.hadPlan(ctx, over)
	if err != nil {
		return Page{}, err
	}
	days, err := svc.trial(ctx, o.UserID, had)
	if err != nil {
		return Page{}, err
	}
	return svc.checkout(ctx, o, customer, days)
}

// trial is how many days are free: none for whoever has had a plan, at Stripe or in our own records
// of former customers.
func (svc *Service) trial(ctx context.Context, userID uuid.UUID, had bool) (days int64, err error) {
	if svc.cfg.TrialDays == 0 || had {
		return 0, nil
	}
	if had, err = svc.subscriptions.Had(ctx, userID); err != nil || had {
		return 0, err
	}
	return svc.cfg.TrialDays, nil
}

// hadPlan reports whether one of the subscriptions was paid or was a trial, whose first invoice counts
// as paid: then the next one begins without. Stripe is asked only where that matters.
func (svc *Service) hadPlan(ctx context.Context, subscriptions []stripe.Subscription) (bool, error) {
	if svc.cfg.TrialDays == 0 {
		return false, nil
	}
	for _, s := range subscriptions {
		if s.Status == "incomplete_expired" {
			continue
		}
		if had, err := svc.subscriptions.Paid(ctx, s.ID); err != nil || had {
			return had, svc.failed(ctx, err)
		}
	}
	return false, nil
}

// begun reports whether a subscription stands in the way of an order. One that was sold here and
// never paid does not: it ends, so that nobody pays it as well. ErrOnItsWay while money is on its
// way.
func (svc *Service) begun(ctx context.Context, s stripe.Subscription) (bool, error) {
	if subscription.StatusOf(s) == subscription.Free {
		return false, nil
	}
	progress, err := svc.subscriptions.Progress(ctx, s)
	switch {
	case err != nil:
		return false, svc.failed(ctx, err)
	case progress.OnItsWay:
		return false, ErrOnItsWay
	case !progress.Never && s.Status == subscription.Incomplete:
		return false, stripe.ErrUnavailable // it was paid since it was listed: the next order finds that
	case !progress.Never && s.Status == subscription.Unpaid:
		return svc.owed(ctx, s)
	// What staff have made at Stripe is theirs to end, and one that is active waits for a transfer,
	// unless its invoice was given up: by staff, or by an order that was cut off.
	case !progress.Never || s.UserID == "" || s.Status == subscription.Active && !s.Scheduled() && s.InvoiceStatus != "void" && s.InvoiceStatus != "uncollectible":
		return s.Status != subscription.Incomplete, nil
	}
	return false, svc.failed(ctx, svc.abandon(ctx, s))
}

// owed reports whether an invoice is open of a subscription that Stripe has stopped trying to collect. Without one nobody could pay
// it, as further ones stay drafts: it ends, so that its person can order.
func (svc *Service) owed(ctx context.Context, s stripe.Subscription) (bool, error) {
	list, err := svc.stripe.UnpaidInvoices(ctx, s.CustomerID)
	if err != nil {
		return false, svc.failed(ctx, err)
	}
	if slices.ContainsFunc(list, func(i stripe.Invoice) bool { return i.SubscriptionID == s.ID && i.Status == "open" }) {
		return true, nil
	}
	again, err := svc.stripe.Subscriptions(ctx, s.CustomerID)
	if err != nil {
		return false, svc.failed(ctx, err)
	}
	if slices.ContainsFunc(again, func(now stripe.Subscription) bool { return now.ID == s.ID && now.Status != s.Status }) {
		return false, stripe.ErrUnavailable // it was paid at this moment: the next order finds that
	}
	if err := svc.stripe.CancelSubscription(ctx, s.ID); err != nil && !errors.Is(err, stripe.ErrGone) {
		return false, svc.failed(ctx, err)
	}
	svc.log.InfoContext(ctx, "a subscription that was collected no more has ended, for its person orders again", "subscription", s.ID)
	return false, nil
}

// abandon ends a subscription that was never paid. Its invoices come first: Stripe makes none void that
// was paid since we have looked, and then nothing ends.
func (svc *Service) abandon(ctx context.Context, s stripe.Subscription) error {
	list, err := svc.stripe.UnpaidInvoices(ctx, s.CustomerID)
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.SubscriptionID != s.ID {
			continue
		}
		if err := svc.stripe.StopInvoice(ctx, i); err != nil {
			if err = svc.overtaken(ctx, s, i, err); err != nil {
				return err
			}
		}
	}
	progress, err := svc.subscriptions.Progress(ctx, s)
	switch {
	case err != nil:
		return err
	case !progress.Never:
		return stripe.ErrUnavailable // it was paid at this moment: the next order finds that
	}
	if err := svc.stripe.CancelSubscription(ctx, s.ID); err != nil && !errors.Is(err, stripe.ErrGone) {
		return err
	}
	svc.log.InfoContext(ctx, "a subscription that was never paid has ended, for its person orders again", "subscription", s.ID)
	return nil
}

// overtaken is what a person is told whose order could not stop an invoice: Stripe refuses one whose payment has just come or is
// on its way, which needs nobody. Nothing, if another order has made it void.
func (svc *Service) overtaken(ctx context.Context, s stripe.Subscription, i stripe.Invoice, err error) error {
	if !errors.Is(err, stripe.ErrRefused) {
		return err
	}
	progress, asked := svc.subscriptions.Progress(ctx, s)
	switch {
	case asked != nil:
		return asked
	case !progress.Never || progress.OnItsWay:
		return stripe.ErrUnavailable // the next order finds that
	}
	list, asked := svc.stripe.UnpaidInvoices(ctx, s.CustomerID)
	switch {
	case asked != nil:
		return asked
	case slices.ContainsFunc(list, func(now stripe.Invoice) bool { return now.ID == i.ID }):
		return err
	}
	return nil
}
