package checkout

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
)

// unpaid is a subscription at Stripe whose only invoice waits for its payment, which comes before the
// question numbered pays, from 1 on.
type unpaid struct {
	open, paid []stripe.Invoice
	asked      int
	pays       int
	cancelled  int
}

func (u *unpaid) next() {
	if u.asked++; u.asked == u.pays {
		u.paid, u.open = append(u.paid, u.open...), nil
	}
}

func (u *unpaid) PaidInvoices(context.Context, string) ([]stripe.Invoice, error) {
	u.next()
	return u.paid, nil
}

func (u *unpaid) OpenInvoices(context.Context, string) ([]stripe.Invoice, error) {
	u.next()
	return u.open, nil
}

func (u *unpaid) PaymentProcessing(context.Context, string) (bool, error) {
	u.next()
	return false, nil
}

// StopInvoice refuses an invoice that is not open, as Stripe does.
func (u *unpaid) StopInvoice(context.Context, stripe.Invoice) error {
	u.next()
	if len(u.open) == 0 {
		return stripe.ErrRefused
	}
	u.open = nil
	return nil
}

func (u *unpaid) CancelSubscription(context.Context, string) error {
	u.next()
	u.cancelled++
	return nil
}

// selling and reading are what asks it.
type (
	selling struct {
		Stripe
		at *unpaid
	}
	reading struct {
		subscription.Stripe
		at *unpaid
	}
)

func (s selling) OpenInvoices(ctx context.Context, id string) ([]stripe.Invoice, error) {
	return s.at.OpenInvoices(ctx, id)
}
func (s selling) StopInvoice(ctx context.Context, i stripe.Invoice) error {
	return s.at.StopInvoice(ctx, i)
}
func (s selling) CancelSubscription(ctx context.Context, id string) error {
	return s.at.CancelSubscription(ctx, id)
}
func (r reading) PaidInvoices(ctx context.Context, id string) ([]stripe.Invoice, error) {
	return r.at.PaidInvoices(ctx, id)
}
func (r reading) OpenInvoices(ctx context.Context, id string) ([]stripe.Invoice, error) {
	return r.at.OpenInvoices(ctx, id)
}
func (r reading) PaymentProcessing(ctx context.Context, id string) (bool, error) {
	return r.at.PaymentProcessing(ctx, id)
}

// TestNothingEndsThatIsPaidMeanwhile: an order ends a subscription that was never paid, and nothing
// whose payment comes while Stripe is asked, whenever that is.
func TestNothingEndsThatIsPaidMeanwhile(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	order := func(pays int) (at *unpaid, begun bool, err error) {
		at = &unpaid{open: []stripe.Invoice{{ID: "in_1", Status: "open", Currency: "usd", Due: 2500}}, pays: pays}
		subscriptions := subscription.New(nil, reading{at: at}, nil, nil, nil, nil, clock.System(), subscription.Config{Deadline: time.Minute}, log)
		svc := New(selling{at: at}, nil, nil, Config{}, nil, subscriptions, clock.System(), log)
		begun, err = svc.begun(t.Context(), stripe.Subscription{ID: "sub_1", UserID: "u", Status: "incomplete", InvoiceID: "in_1", InvoiceStatus: "open"})
		return at, begun, err
	}
	never, begun, err := order(0)
	if begun || err != nil || never.cancelled != 1 || len(never.open) != 0 {
		t.Fatalf("never paid: stands in the way: %t, %v; ended %d times, %d invoices can be paid", begun, err, never.cancelled, len(never.open))
	}
	for pays := 1; pays < never.asked; pays++ {
		at, _, err := order(pays)
		switch paid := len(at.paid) > 0; {
		case paid && at.cancelled > 0:
			t.Errorf("paid before question %d, and ended", pays)
		case paid && pays > 1 && err == nil:
			t.Errorf("paid before question %d, and sold once more", pays)
		case !paid && at.cancelled != 1:
			t.Errorf("its invoice could not be paid any more before question %d, and it has not ended", pays)
		}
	}
}
