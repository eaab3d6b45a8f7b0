package webhook

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
)

// Stripe is what is asked of it besides what package subscription asks.
type Stripe interface {
	Checkout(ctx context.Context, id string) (stripe.Checkout, error)
	Invoice(ctx context.Context, id string) (stripe.Invoice, error)
	InvoicesOfPayment(ctx context.Context, intent string) ([]stripe.Invoice, error)
	ChargeOfRefund(ctx context.Context, id string) (charge string, err error)
}

// effect applies what an event is about.
type effect func(w *worker, ctx context.Context, object string) error

// effects are the types of events that have one.
var effects = map[string]effect{
	"checkout.session.completed":               (*worker).checkout,
	"checkout.session.async_payment_succeeded": (*worker).checkout,
	"checkout.session.async_payment_failed":    (*worker).checkout,
	"customer.deleted":                         (*worker).customer,
	"customer.subscription.created":            (*worker).subscription,
	"customer.subscription.updated":            (*worker).subscription,
	"customer.subscription.deleted":            (*worker).subscription,
	"customer.subscription.paused":             (*worker).subscription,
	"customer.subscription.resumed":            (*worker).subscription,
	"invoice.paid":                             (*worker).invoice,
	"invoice.payment_succeeded":                (*worker).invoice,
	"invoice.payment_failed":                   (*worker).invoice,
	"invoice.updated":                          (*worker).changed,
	"invoice.voided":                           (*worker).invoice,
	"invoice.marked_uncollectible":             (*worker).invoice,
	"invoice.finalization_failed":              (*worker).unfinished,
	"payment_intent.processing":                (*worker).payment,
	"charge.refunded":                          (*worker).charge,
	"refund.updated":                           (*worker).refund,
	"refund.failed":                            (*worker).refund,
	"charge.dispute.created":                   (*worker).dispute,
	"charge.dispute.closed":                    (*worker).dispute,
	"charge.dispute.funds_reinstated":          (*worker).dispute,
	"charge.dispute.funds_withdrawn":           (*worker).dispute,
	"radar.early_fraud_warning.created":        (*worker).warning,
	"radar.early_fraud_warning.updated":        (*worker).warning,
}

// Types are those of events that have an effect, in alphabetical order.
func Types() []string { return slices.Sorted(maps.Keys(effects)) }

// Unlisted are the types of what no list of subscriptions and of young invoices shows: money that goes
// back or may have to, and invoices that are paid late or that Stripe cannot finalize.
func Unlisted() []string {
	return []string{
		"invoice.finalization_failed", "invoice.paid",
		"charge.dispute.closed", "charge.dispute.created", "charge.dispute.funds_reinstated", "charge.dispute.funds_withdrawn", "charge.refunded", "refund.failed", "refund.updated",
		"radar.early_fraud_warning.created", "radar.early_fraud_warning.updated",
	}
}

// warns reports whether events of a type are about an early fraud warning.
func warns(kind string) bool { return strings.HasPrefix(kind, "radar.early_fraud_warning.") }

// settles reports whether an event of a type may tell that a warning is settled.
func settles(kind string) bool {
	return !strings.HasPrefix(kind, "invoice.") && slices.Contains(Unlisted(), kind)
}

func (w *worker) checkout(ctx context.Context, id string) error {
	checkout, err := w.stripe.Checkout(ctx, id)
	if err != nil {
		return err
	}
	switch {
	case checkout.SubscriptionID != "":
		return w.subscriptions.SyncFor(ctx, checkout.SubscriptionID, "")
	case checkout.Credits <= 0 && checkout.Purchase != "":
		return &subscription.Unfit{Reason: subscription.NoSubscription, Object: id}
	}
	return w.subscriptions.SyncPack(ctx, id)
}

func (w *worker) subscription(ctx context.Context, id string) error {
	return w.subscriptions.SyncFor(ctx, id, "")
}

func (w *worker) customer(ctx context.Context, id string) error {
	return w.subscriptions.CustomerDeleted(ctx, id)
}

func (w *worker) invoice(ctx context.Context, id string) error {
	invoice, err := w.stripe.Invoice(ctx, id)
	if err != nil {
		return err
	}
	return w.billed(ctx, invoice)
}

func (w *worker) billed(ctx context.Context, i stripe.Invoice) error {
	if i.SubscriptionID == "" {
		return subscription.ErrForeign // of a pack, its checkout tells
	}
	return w.subscriptions.SyncFor(ctx, i.SubscriptionID, i.ID)
}

// changed is for what is left to be paid of an open invoice, after a part payment or a credit note. Of others, other events tell.
func (w *worker) changed(ctx context.Context, id string) error {
	invoice, err := w.kept(ctx, id)
	if err != nil || invoice.SubscriptionID != "" && invoice.Status != "open" {
		return err
	}
	return w.billed(ctx, invoice)
}

// kept is an invoice that may have been a draft. One that is gone was a draft that staff threw away, and of no subscription: Stripe
// deletes no other.
func (w *worker) kept(ctx context.Context, id string) (stripe.Invoice, error) {
	invoice, err := w.stripe.Invoice(ctx, id)
	if errors.Is(err, stripe.ErrGone) {
		err = subscription.ErrForeign
	}
	return invoice, err
}

// unfinished is for an invoice that Stripe could not finalize. While it is a draft, nobody is asked to pay it, and the
// subscription goes on.
func (w *worker) unfinished(ctx context.Context, id string) error {
	invoice, err := w.kept(ctx, id)
	if err == nil {
		err = w.billed(ctx, invoice)
	}
	if err == nil && invoice.Status == "draft" {
		err = &subscription.Unfit{Reason: subscription.NotFinalized, Object: id, Subscription: invoice.SubscriptionID}
	}
	return err
}

// payment is for one whose money is on its way: no invoice and no subscription tells of that.
func (w *worker) payment(ctx context.Context, id string) error {
	invoices, err := w.stripe.InvoicesOfPayment(ctx, id)
	for _, i := range invoices {
		if i.SubscriptionID != "" {
			return w.subscriptions.SyncFor(ctx, i.SubscriptionID, i.ID)
		}
	}
	if err == nil {
		err = subscription.ErrForeign
	}
	return err
}

func (w *worker) charge(ctx context.Context, id string) error {
	return w.subscriptions.Refunded(ctx, id)
}

// refund is for one that was pending or had succeeded when the charge told of it, and
// is so no more.
func (w *worker) refund(ctx context.Context, id string) error {
	charge, err := w.stripe.ChargeOfRefund(ctx, id)
	if err != nil || charge == "" {
		return err
	}
	return w.subscriptions.Refunded(ctx, charge)
}

func (w *worker) dispute(ctx context.Context, id string) error {
	return w.subscriptions.Disputed(ctx, id)
}

func (w *worker) warning(ctx context.Context, id string) error {
	return w.subscriptions.Warned(ctx, id)
}
