// Package rehearsal lives a subscription's life in an account of Stripe's and notes what it
// shows after each step, so that the stand-in can be compared with a real sandbox. What
// people do on Stripe's own pages is not a part of it: a key cannot do it.
package rehearsal

import (
	"context"
	"fmt"

	stripe "github.com/stripe/stripe-go/v85"
)

// Card is how the payment of a renewal ends.
type Card string

// The cards.
const (
	Works    Card = "works"
	Fails    Card = "fails"
	Asks     Card = "asks"     // its bank asks the payer to confirm each payment (3-D Secure)
	Disputed Card = "disputed" // works, and then its bank takes the money back
)

// Account is where the life takes place: a sandbox, or the stand-in.
type Account interface {
	// API is Stripe's.
	API() *stripe.Client
	// Subscribe has a new customer buy the cheaper plan by the month.
	Subscribe(ctx context.Context) (customer, subscription string, err error)
	// Dearer is the price of the other plan.
	Dearer() string
	// Renew lets a month and two hours go by, after which the renewal has been collected,
	// or has failed once, with a card.
	Renew(ctx context.Context, customer, subscription string, card Card) error
	// PayWith has the next payment be made with a card that works.
	PayWith(ctx context.Context, customer string) error
	// Confirm has the payer confirm the payment of an invoice that waits for that.
	Confirm(ctx context.Context, customer, invoice string) error
	// Settle waits until what has happened is in the list of events.
	Settle(ctx context.Context, events func(context.Context) (int, error)) error
}

// Step is what an account shows after something was done.
type Step struct {
	Name  string   `json:"name"`
	Facts []string `json:"facts"`
}

// Life is a subscription's from its purchase to its end. Each step is told to done as it ends.
func Life(ctx context.Context, a Account, done func(Step)) ([]Step, error) {
	customer, subscription, err := a.Subscribe(ctx)
	if err != nil {
		return nil, fmt.Errorf("bought: %w", err)
	}
	l := &life{Account: a, customer: customer, subscription: subscription, seen: map[string]bool{}}
	var steps []Step
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"bought", func(context.Context) error { return nil }},
		{"renewed", l.renewed(Works)},
		{"upgraded", l.upgraded},
		{"renewed at the new price", l.renewed(Works)},
		{"renewal failed", l.renewed(Fails)},
		{"paid late", l.paidLate},
		{"renewal asks the payer", l.renewed(Asks)},
		{"confirmed by the payer", l.confirmed},
		{"renewal asks, and the payer leaves", l.renewed(Asks)},
		{"paid after that", l.paidLate},
		{"refunded in part", l.refunded},
		{"renewed, then disputed", l.renewed(Disputed)},
		{"cancelled for the end of the period", l.cancelled(true)},
		{"cancellation taken back", l.cancelled(false)},
		{"cancelled again", l.cancelled(true)},
		{"ended", l.renewed(Works)},
	} {
		if err := part.do(ctx); err != nil {
			return steps, fmt.Errorf("%s: %w", part.name, err)
		}
		facts, err := l.look(ctx)
		if err != nil {
			return steps, fmt.Errorf("%s: %w", part.name, err)
		}
		step := Step{part.name, facts}
		steps = append(steps, step)
		done(step)
	}
	return steps, nil
}

type life struct {
	Account
	customer, subscription string
	seen                   map[string]bool // invoices in a state, and events, of steps before
}

func (l *life) renewed(card Card) func(context.Context) error {
	return func(ctx context.Context) error { return l.Renew(ctx, l.customer, l.subscription, card) }
}

func (l *life) upgraded(ctx context.Context) error {
	s, err := l.API().V1Subscriptions.Retrieve(ctx, l.subscription, nil)
	if err != nil {
		return err
	}
	_, err = l.API().V1Subscriptions.Update(ctx, l.subscription, &stripe.SubscriptionUpdateParams{
		Items:             []*stripe.SubscriptionUpdateItemParams{{ID: stripe.String(s.Items.Data[0].ID), Price: stripe.String(l.Dearer())}},
		ProrationBehavior: stripe.String("always_invoice"),
	})
	return err
}

func (l *life) paidLate(ctx context.Context) error {
	if err := l.PayWith(ctx, l.customer); err != nil {
		return err
	}
	invoice, err := l.unpaid(ctx)
	if err == nil {
		_, err = l.API().V1Invoices.Pay(ctx, invoice, nil)
	}
	return err
}

func (l *life) confirmed(ctx context.Context) error {
	invoice, err := l.unpaid(ctx)
	if err != nil {
		return err
	}
	return l.Confirm(ctx, l.customer, invoice)
}

// unpaid is the invoice that the customer owes.
func (l *life) unpaid(ctx context.Context) (string, error) {
	open := &stripe.InvoiceListParams{Customer: stripe.String(l.customer), Status: stripe.String("open")}
	for invoice, err := range l.API().V1Invoices.List(ctx, open).All(ctx) {
		if err != nil {
			return "", err
		}
		return invoice.ID, nil
	}
	return "", fmt.Errorf("customer %s has no open invoice", l.customer)
}

func (l *life) refunded(ctx context.Context) error {
	for charge, err := range l.API().V1Charges.List(ctx, &stripe.ChargeListParams{Customer: stripe.String(l.customer)}).All(ctx) {
		if err != nil {
			return err
		}
		if charge.Paid {
			_, err = l.API().V1Refunds.Create(ctx, &stripe.RefundCreateParams{Charge: stripe.String(charge.ID), Amount: stripe.Int64(1000)})
			return err
		}
	}
	return fmt.Errorf("customer %s has no charge that was paid", l.customer)
}

func (l *life) cancelled(atPeriodEnd bool) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := l.API().V1Subscriptions.Update(ctx, l.subscription, &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: stripe.Bool(atPeriodEnd)})
		return err
	}
}
