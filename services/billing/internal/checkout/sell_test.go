package checkout

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

// unpaid is a subscription at Stripe whose only invoice waits for its payment. The payment comes before
// the question numbered pays, another order makes the invoice void before the one numbered stops, and the one numbered fails is
// not answered, from 1 on.
type unpaid struct {
	invoice            stripe.Invoice
	asked              int
	pays, stops, fails int
	cancelled          int
	// held says that its payments are not collected.
	held bool
	// owed says that the invoice of an earlier period is open, gone that it has ended when it is to be cancelled.
	owed, gone bool
}

var errOutage = errors.New("no answer")

func (u *unpaid) next() error {
	u.asked++
	if u.asked == u.pays && u.open() {
		u.invoice.Status = "paid"
	}
	if u.asked == u.stops && u.open() {
		u.invoice.Status = "void"
	}
	if u.asked == u.fails {
		return errOutage
	}
	return nil
}

// open reports whether the invoice can be paid.
func (u *unpaid) open() bool {
	return u.invoice.Status == "open" || u.invoice.Status == "uncollectible"
}

func (u *unpaid) listed(status string) ([]stripe.Invoice, error) {
	if err := u.next(); err != nil || u.invoice.Status != status {
		return nil, err
	}
	return []stripe.Invoice{u.invoice}, nil
}

func (u *unpaid) PaidInvoices(context.Context, string) ([]stripe.Invoice, error) {
	return u.listed("paid")
}

func (u *unpaid) OpenInvoices(context.Context, string) ([]stripe.Invoice, error) {
	return u.listed("open")
}

// UnpaidInvoices has one of another subscription, too, which stays.
func (u *unpaid) UnpaidInvoices(context.Context, string) ([]stripe.Invoice, error) {
	if err := u.next(); err != nil {
		return nil, err
	}
	list := []stripe.Invoice{{ID: "in_2", SubscriptionID: "sub_2", Status: "open"}}
	if u.open() {
		list = append(list, u.invoice)
	}
	if u.owed {
		list = append(list, stripe.Invoice{ID: "in_0", SubscriptionID: "sub_1", Status: "open"})
	}
	return list, nil
}

// Subscriptions has it as one that Stripe has stopped trying to collect, until it is paid.
func (u *unpaid) Subscriptions(context.Context, string) ([]stripe.Subscription, error) {
	status := subscription.Unpaid
	if u.invoice.Status == "paid" {
		status = subscription.Active
	}
	return []stripe.Subscription{{ID: "sub_2", Status: subscription.Active}, {ID: "sub_1", Status: status}}, u.next()
}

func (u *unpaid) PaymentProcessing(context.Context, string) (bool, error) {
	return false, u.next()
}

// StopInvoice refuses an invoice that is paid or void, as Stripe does.
func (u *unpaid) StopInvoice(_ context.Context, i stripe.Invoice) error {
	if err := u.next(); err != nil {
		return err
	}
	if !u.open() || i.ID != u.invoice.ID {
		return stripe.Refused.Wrap(stripe.ErrRefused)
	}
	u.invoice.Status = "void"
	return nil
}

func (u *unpaid) CancelSubscription(context.Context, string) error {
	if err := u.next(); err != nil {
		return err
	}
	u.cancelled++
	if u.gone {
		return stripe.ErrGone
	}
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

func (s selling) UnpaidInvoices(ctx context.Context, customer string) ([]stripe.Invoice, error) {
	return s.at.UnpaidInvoices(ctx, customer)
}
func (s selling) Subscriptions(ctx context.Context, customer string) ([]stripe.Subscription, error) {
	return s.at.Subscriptions(ctx, customer)
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

// order is an order beside it, while Stripe lists it in a status with what its invoice is in now.
func (u *unpaid) order(ctx context.Context, status string) (begun bool, err error) {
	log := slog.New(slog.DiscardHandler)
	subscriptions := subscription.New(nil, reading{at: u}, nil, nil, nil, nil, clock.System(), subscription.Config{Deadline: time.Minute}, log)
	svc := New(selling{at: u}, nil, nil, Config{}, nil, subscriptions, clock.System(), log)
	return svc.begun(ctx, stripe.Subscription{ID: "sub_1", UserID: "u", Status: status, InvoiceID: "in_1", InvoiceStatus: u.invoice.Status, Held: u.held})
}

func neverPaid(status string) *unpaid {
	return &unpaid{invoice: stripe.Invoice{ID: "in_1", SubscriptionID: "sub_1", Status: status, Currency: "usd", Due: 2500}}
}

// cases are what a subscription and its first invoice are in that was never paid. Once the invoice is
// void, nothing is overdue any more.
var cases = []struct{ status, invoice string }{
	{"incomplete", "open"}, {"past_due", "open"}, {"past_due", "uncollectible"}, {"unpaid", "uncollectible"}, {"past_due", "void"}, {"active", "void"}, {"active", "uncollectible"},
}

// TestNothingEndsThatIsPaidMeanwhile: an order ends a subscription that was never paid, and nothing
// whose payment comes while Stripe is asked, whenever that is. Such a one is not sold once more.
func TestNothingEndsThatIsPaidMeanwhile(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		never := neverPaid(c.invoice)
		begun, err := never.order(t.Context(), c.status)
		if begun || err != nil || never.cancelled != 1 || never.open() {
			t.Fatalf("%v, never paid: stands in the way: %t, %v; ended %d times, its invoice is %s", c, begun, err, never.cancelled, never.invoice.Status)
		}
		for pays := 1; pays < never.asked; pays++ {
			at := neverPaid(c.invoice)
			at.pays = pays
			begun, err := at.order(t.Context(), c.status)
			switch paid := at.invoice.Status == "paid"; {
			case paid && at.cancelled > 0:
				t.Errorf("%v: paid before question %d, and ended", c, pays)
			case paid && !begun && err == nil:
				t.Errorf("%v: paid before question %d, and sold once more", c, pays)
			case paid && err != nil && (!errors.Is(err, fault.Unavailable) || errors.Is(err, stripe.ErrRefused)):
				t.Errorf("%v: paid before question %d: %v", c, pays, err)
			case !paid && at.cancelled != 1:
				t.Errorf("%v: its invoice could not be paid any more before question %d, and it has not ended", c, pays)
			}
		}
	}
}

// TestTwoOrdersAtOnceEndWhatWasNeverPaid: whenever the other one makes the invoice void, this one goes on.
func TestTwoOrdersAtOnceEndWhatWasNeverPaid(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		never := neverPaid(c.invoice)
		if _, err := never.order(t.Context(), c.status); err != nil {
			t.Fatal(err)
		}
		for stops := 1; stops <= never.asked; stops++ {
			at := neverPaid(c.invoice)
			at.stops = stops
			if begun, err := at.order(t.Context(), c.status); begun || err != nil || at.cancelled != 1 {
				t.Errorf("%v: void before question %d: stands in the way: %t, %v; ended %d times", c, stops, begun, err, at.cancelled)
			}
		}
	}
}

// TestWhatWaitsForATransferStandsInTheWay, whether or not staff have paused the collection of its payments.
func TestWhatWaitsForATransferStandsInTheWay(t *testing.T) {
	t.Parallel()
	for _, held := range []bool{false, true} {
		waits := neverPaid("open")
		waits.held = held
		if begun, err := waits.order(t.Context(), "active"); !begun || err != nil || waits.cancelled > 0 || !waits.open() {
			t.Errorf("held %t: stands in the way: %t, %v; ended %d times, its invoice is %s", held, begun, err, waits.cancelled, waits.invoice.Status)
		}
	}
}

// TestAnOrderThatWasCutOffIsFinishedByTheNext: whichever question Stripe does not answer, the next order
// ends the subscription that was never paid.
func TestAnOrderThatWasCutOffIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		never := neverPaid(c.invoice)
		if _, err := never.order(t.Context(), c.status); err != nil {
			t.Fatal(err)
		}
		for fails := 1; fails <= never.asked; fails++ {
			at := neverPaid(c.invoice)
			at.fails = fails
			if _, err := at.order(t.Context(), c.status); err == nil {
				t.Errorf("%v: question %d was not answered, and the order went on", c, fails)
			}
			begun, err := at.order(t.Context(), c.status)
			if begun || err != nil || at.cancelled != 1 || at.open() {
				t.Errorf("%v: cut off at question %d, the next order meets what stands in the way: %t, %v; ended %d times", c, fails, begun, err, at.cancelled)
			}
		}
	}
}

// TestWhatNobodyCanPayAnyMoreEnds: of a subscription that Stripe has stopped trying to collect, further invoices stay drafts. While an
// earlier one is open, it stands in the way. Whichever question is not answered, the next order ends it.
func TestWhatNobodyCanPayAnyMoreEnds(t *testing.T) {
	t.Parallel()
	owed := neverPaid("draft")
	owed.owed = true
	if begun, err := owed.order(t.Context(), subscription.Unpaid); !begun || err != nil || owed.cancelled > 0 {
		t.Errorf("one whose invoice is open: stands in the way: %t, %v; ended %d times", begun, err, owed.cancelled)
	}
	over := neverPaid("draft")
	if begun, err := over.order(t.Context(), subscription.Unpaid); begun || err != nil || over.cancelled != 1 {
		t.Fatalf("one that nobody can pay: stands in the way: %t, %v; ended %d times", begun, err, over.cancelled)
	}
	for fails := 1; fails <= over.asked; fails++ {
		at := neverPaid("draft")
		at.fails = fails
		if _, err := at.order(t.Context(), subscription.Unpaid); err == nil || at.cancelled > 0 {
			t.Errorf("question %d was not answered, and the order went on; ended %d times", fails, at.cancelled)
		}
		at.gone = true
		if begun, err := at.order(t.Context(), subscription.Unpaid); begun || err != nil || at.cancelled != 1 {
			t.Errorf("cut off at question %d, the next order meets what stands in the way: %t, %v", fails, begun, err)
		}
	}
}
