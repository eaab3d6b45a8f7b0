package subscription

import (
	"context"
	"slices"
	"time"

	"fledge.dev/services/billing/internal/stripe"
)

// due adds up the invoices that wait for their payment, if one is overdue or on its way: those that are to be paid later count
// only where none is overdue. They are of one currency, as is the subscription. Stripe is asked only if the latest invoice is not paid.
func (svc *Service) due(ctx context.Context, s stripe.Subscription, paid []stripe.Invoice) (*Due, error) {
	overdue := StatusOf(s) == PastDue
	isPaid := slices.ContainsFunc(paid, func(i stripe.Invoice) bool { return i.ID == s.InvoiceID })
	if StatusOf(s) == Free || !overdue && (isPaid || s.InvoiceID == "") {
		return nil, nil
	}
	list, err := svc.stripe.OpenInvoices(ctx, s.ID)
	if err != nil || len(list) == 0 {
		return nil, gone(err, s.ID)
	}
	since := func(i stripe.Invoice) time.Time { return i.Created }
	if overdue {
		list, since = svc.late(list), lateSince
	}
	due := &Due{Currency: list[0].Currency, Since: since(list[0])}
	for _, i := range list {
		due.Amount += i.Due
		if at := since(i); at.Before(due.Since) {
			due.Since = at
		}
		if due.Processing {
			continue
		}
		if due.Processing, err = svc.stripe.PaymentProcessing(ctx, i.ID); err != nil {
			return nil, gone(err, s.ID)
		}
	}
	if !overdue && !due.Processing {
		return nil, nil // somebody has yet to pay it, such as by a transfer
	}
	return due, nil
}

// uncollected reports whether a subscription that Stripe has stopped trying to collect has no invoice left that brings it back: those
// of further periods stay drafts, which nobody is asked to pay. Once its latest is paid, Stripe is about to say that it is active.
func (r reading) uncollected() bool {
	latest := func(i stripe.Invoice) bool { return i.ID == r.subscription.InvoiceID }
	return r.subscription.Status == Unpaid && r.due == nil && !slices.ContainsFunc(r.invoices, latest)
}

// lateSince is when an invoice is to be paid at the latest.
func lateSince(i stripe.Invoice) time.Time {
	if i.DueAt.IsZero() {
		return i.Created
	}
	return i.DueAt
}

// late are the open invoices of an overdue subscription whose time is over: that of the first at any rate, since Stripe
// calls it overdue by its own clock.
func (svc *Service) late(list []stripe.Invoice) []stripe.Invoice {
	first := slices.MinFunc(list, func(a, b stripe.Invoice) int { return lateSince(a).Compare(lateSince(b)) })
	now := svc.clock.Now()
	return slices.DeleteFunc(slices.Clone(list), func(i stripe.Invoice) bool { return i.DueAt.After(now) && i.ID != first.ID })
}

// Progress is how far the payment of a subscription has come.
type Progress struct {
	// OnItsWay says that money is, and that nobody knows yet whether it will come.
	OnItsWay bool
	// Never says that it was never paid.
	Never bool
}

// Progress asks Stripe, of a subscription that was listed with what its latest invoice is in, unless
// that is paid or nobody has to pay it yet.
func (svc *Service) Progress(ctx context.Context, s stripe.Subscription) (p Progress, err error) {
	unpaid := s.InvoiceStatus == "open" || s.InvoiceStatus == "void" || s.InvoiceStatus == "uncollectible"
	if StatusOf(s) == Free || !unpaid && s.Status != Incomplete {
		return p, nil
	}
	paid, err := svc.stripe.PaidInvoices(ctx, s.ID)
	if err != nil {
		return p, err
	}
	due, err := svc.due(ctx, s, paid)
	return Progress{OnItsWay: due != nil && due.Processing, Never: len(paid) == 0}, err
}

// Paid reports whether a subscription was ever paid, be it by an invoice over nothing, such as that of
// a trial.
func (svc *Service) Paid(ctx context.Context, id string) (bool, error) {
	paid, err := svc.stripe.PaidInvoices(ctx, id)
	return len(paid) > 0, err
}
