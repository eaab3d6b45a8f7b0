package rehearsal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	stripe "github.com/stripe/stripe-go/v85"
)

// enough events are looked at: a life has fewer than a hundred, and a sandbox may have had others since.
const enough = 1000

// look describes the subscription, and the invoices and events that are new or in a new state.
// Ids and times are left out, and amounts are whole dollars: a proration depends on the second.
func (l *life) look(ctx context.Context) ([]string, error) {
	var events map[string]string
	err := l.Settle(ctx, func(ctx context.Context) (_ int, err error) {
		events, err = l.newEvents(ctx)
		return len(events), err
	})
	if err != nil {
		return nil, err
	}
	s, err := l.API().V1Subscriptions.Retrieve(ctx, l.subscription, nil)
	if err != nil {
		return nil, err
	}
	facts := []string{
		fmt.Sprintf("subscription is %s, collected by %s", s.Status, s.CollectionMethod),
		fmt.Sprintf("subscription ends at a time: %t, with the period: %t", s.CancelAt != 0, s.CancelAtPeriodEnd),
	}
	for _, item := range s.Items.Data {
		days := (item.CurrentPeriodEnd - item.CurrentPeriodStart) / (24 * 60 * 60)
		facts = append(facts, fmt.Sprintf("item costs %s, and its period is a month: %t", dollars(item.Price.UnitAmount), 28 <= days && days <= 31))
	}
	for invoice, err := range l.API().V1Invoices.List(ctx, &stripe.InvoiceListParams{Customer: stripe.String(l.customer)}).All(ctx) {
		if err != nil {
			return nil, err
		}
		if fact := describe(invoice); !l.seen[invoice.ID+fact] {
			l.seen[invoice.ID+fact] = true
			facts = append(facts, fact)
		}
		if invoice.Status != stripe.InvoiceStatusOpen {
			continue
		}
		status, err := l.payment(ctx, invoice.ID)
		if err != nil {
			return nil, err
		}
		facts = append(facts, "payment of what is open is "+status)
	}
	for id, kind := range events {
		l.seen[id] = true
		facts = append(facts, "event "+kind)
	}
	slices.Sort(facts)
	return facts, nil
}

// payment is the status of the newest payment of an invoice.
func (l *life) payment(ctx context.Context, invoice string) (string, error) {
	params := &stripe.InvoicePaymentListParams{Invoice: stripe.String(invoice), Expand: stripe.StringSlice([]string{"data.payment.payment_intent"})}
	for p, err := range l.API().V1InvoicePayments.List(ctx, params).All(ctx) {
		if err != nil {
			return "", err
		}
		if p.Payment != nil && p.Payment.PaymentIntent != nil {
			return string(p.Payment.PaymentIntent.Status), nil
		}
	}
	return "none", nil
}

func describe(i *stripe.Invoice) string {
	var lines []string
	for _, line := range i.Lines.Data {
		lines = append(lines, fmt.Sprintf("%s (proration: %t)", dollars(line.Amount), proration(line.Parent)))
	}
	slices.Sort(lines)
	return fmt.Sprintf("invoice of %s is %s: %s, of which paid %s, attempts %d, lines %s",
		i.BillingReason, i.Status, dollars(i.Total), dollars(i.AmountPaid), i.AttemptCount, strings.Join(lines, " and "))
}

func proration(of *stripe.InvoiceLineItemParent) bool {
	switch {
	case of == nil:
		return false
	case of.SubscriptionItemDetails != nil:
		return of.SubscriptionItemDetails.Proration
	}
	return of.InvoiceItemDetails != nil && of.InvoiceItemDetails.Proration
}

func dollars(cents int64) string { return fmt.Sprintf("$%.0f", math.Round(float64(cents)/100)) }

// newEvents are the types of the events about the customer that no step before has seen, by their ids.
func (l *life) newEvents(ctx context.Context) (map[string]string, error) {
	charges := map[any]bool{}
	for charge, err := range l.API().V1Charges.List(ctx, &stripe.ChargeListParams{Customer: stripe.String(l.customer)}).All(ctx) {
		if err != nil {
			return nil, err
		}
		charges[charge.ID] = true
	}
	found, looked := map[string]string{}, 0
	for event, err := range l.API().V1Events.List(ctx, &stripe.EventListParams{ListParams: stripe.ListParams{Limit: stripe.Int64(100)}}).All(ctx) {
		if err != nil {
			return nil, err
		}
		if looked++; looked > enough {
			break
		}
		object := event.Data.Object
		if !l.seen[event.ID] && (object["customer"] == l.customer || charges[object["charge"]]) {
			found[event.ID] = string(event.Type)
		}
	}
	return found, nil
}
