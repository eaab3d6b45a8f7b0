package stripe

import (
	"context"
	"slices"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
)

// Invoice is what billing knows of an invoice.
type Invoice struct {
	ID, CustomerID string
	// SubscriptionID is empty for an invoice that is about none.
	SubscriptionID string
	// Pack says that it was for credits that are sold beside a plan.
	Pack bool
	// Reason is Stripe's billing_reason.
	Reason string
	// Status is draft, open, paid, void or uncollectible.
	Status   string
	Currency string
	// Total is what it comes to, taxes and discounts included, without what credit notes took off before it was paid, in the
	// currency's smallest unit.
	Total int64
	// Due is what of it is still to be paid, Paid what was.
	Due, Paid int64
	Created   time.Time
	// DueAt is when it is to be paid at the latest; zero for one that is charged at once.
	DueAt time.Time
	// PaidAt is when it was paid: days after Created where the money comes from a bank account; zero
	// while it is not.
	PaidAt time.Time
	Lines  []Line
	// MoreLines says that Lines is not all. PaidInvoices has all.
	MoreLines bool
}

// Line is one row of an invoice.
type Line struct {
	ID, PriceID, ProductID string
	// Amount is in the currency's smallest unit; negative for what is given back.
	Amount, Quantity int64
	// Proration is for the rest of a period, after a change in its middle.
	Proration bool
	// OneOff stands on the invoice beside what the subscription itself charges: somebody
	// has added it, such as a credit or a fee.
	OneOff     bool
	Start, End time.Time
}

func invoice(row *sdk.Invoice) Invoice {
	i := Invoice{
		ID: row.ID, Reason: string(row.BillingReason), Status: string(row.Status), Currency: string(row.Currency), Total: row.Total - row.PrePaymentCreditNotesAmount, Due: row.AmountRemaining, Paid: row.AmountPaid,
		Created: moment(row.Created), DueAt: moment(row.DueDate), Pack: row.Metadata[purchaseTag] != "" && row.Metadata[creditsTag] != "",
	}
	if row.StatusTransitions != nil {
		i.PaidAt = moment(row.StatusTransitions.PaidAt)
	}
	if row.Customer != nil {
		i.CustomerID = row.Customer.ID
	}
	if p := row.Parent; p != nil && p.SubscriptionDetails != nil && p.SubscriptionDetails.Subscription != nil {
		i.SubscriptionID = p.SubscriptionDetails.Subscription.ID
	}
	if row.Lines == nil {
		return i
	}
	i.MoreLines = row.Lines.HasMore
	for _, l := range row.Lines.Data {
		i.Lines = append(i.Lines, line(l))
	}
	return i
}

func line(row *sdk.InvoiceLineItem) Line {
	l := Line{ID: row.ID, Amount: row.Amount, Quantity: row.Quantity}
	if row.Period != nil {
		l.Start, l.End = moment(row.Period.Start), moment(row.Period.End)
	}
	if p := row.Pricing; p != nil && p.PriceDetails != nil && p.PriceDetails.Price != nil {
		l.PriceID, l.ProductID = p.PriceDetails.Price.ID, p.PriceDetails.Product
	}
	if p := row.Parent; p != nil {
		switch {
		case p.SubscriptionItemDetails != nil:
			l.Proration = p.SubscriptionItemDetails.Proration
		case p.InvoiceItemDetails != nil:
			l.Proration = p.InvoiceItemDetails.Proration
			l.OneOff = !l.Proration
		}
	}
	return l
}

// Invoice reads one.
func (c *Client) Invoice(ctx context.Context, id string) (Invoice, error) {
	return call(ctx, c, "invoice", func(ctx context.Context) (Invoice, error) {
		row, err := c.sc.V1Invoices.Retrieve(ctx, id, nil)
		if err != nil {
			return Invoice{}, err
		}
		return invoice(row), nil
	})
}

// PaidInvoices lists a subscription's hundred latest paid ones, the newest first, each with
// all of its lines.
func (c *Client) PaidInvoices(ctx context.Context, subscription string) ([]Invoice, error) {
	list, err := call(ctx, c, "paid_invoices", func(ctx context.Context) ([]Invoice, error) {
		return all(c.sc.V1Invoices.List(ctx, &sdk.InvoiceListParams{
			Subscription: sdk.String(subscription), Status: sdk.String("paid"), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
		}).All(ctx), pageSize, invoice)
	})
	for i := range list {
		if err == nil && list[i].MoreLines {
			list[i].Lines, err = c.lines(ctx, list[i].ID)
			list[i].MoreLines = false
		}
	}
	return list, err
}

// OpenInvoices lists a subscription's that wait for their payment, the newest first.
func (c *Client) OpenInvoices(ctx context.Context, subscription string) ([]Invoice, error) {
	return call(ctx, c, "open_invoices", func(ctx context.Context) ([]Invoice, error) {
		return all(c.sc.V1Invoices.List(ctx, &sdk.InvoiceListParams{
			Subscription: sdk.String(subscription), Status: sdk.String("open"), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
		}).All(ctx), pageSize, invoice)
	})
}

// PaymentProcessing reports whether the money of an invoice is on its way, as from a bank account
// for some days: nobody knows yet whether it will come.
func (c *Client) PaymentProcessing(ctx context.Context, invoice string) (bool, error) {
	list, err := call(ctx, c, "payments_of_invoice", func(ctx context.Context) ([]bool, error) {
		return all(c.sc.V1InvoicePayments.List(ctx, &sdk.InvoicePaymentListParams{
			Invoice: sdk.String(invoice), Expand: sdk.StringSlice([]string{"data.payment.payment_intent"}),
		}).All(ctx), pageSize, func(p *sdk.InvoicePayment) bool {
			return p.Payment != nil && onItsWay(p.Payment.PaymentIntent)
		})
	})
	return slices.Contains(list, true), err
}

// ChargesOf are the charges that have paid an invoice, with what each has paid of it: several where it was paid in parts. A
// part that Stripe has not taken, but recorded, is none.
func (c *Client) ChargesOf(ctx context.Context, invoice string) ([]Charge, error) {
	list, err := call(ctx, c, "payments_of_invoice", func(ctx context.Context) ([]Charge, error) {
		return all(c.sc.V1InvoicePayments.List(ctx, &sdk.InvoicePaymentListParams{
			Invoice: sdk.String(invoice), Status: sdk.String("paid"), Expand: sdk.StringSlice([]string{"data.payment.payment_intent"}),
		}).All(ctx), pageSize, chargeOf)
	})
	return slices.DeleteFunc(list, func(c Charge) bool { return c.ID == "" }), err
}

func chargeOf(p *sdk.InvoicePayment) Charge {
	c := Charge{Amount: p.AmountPaid}
	switch {
	case p.Payment == nil:
	case p.Payment.Charge != nil:
		c.ID = p.Payment.Charge.ID
	case p.Payment.PaymentIntent != nil && p.Payment.PaymentIntent.LatestCharge != nil:
		c.ID, c.IntentID = p.Payment.PaymentIntent.LatestCharge.ID, p.Payment.PaymentIntent.ID
	}
	return c
}

// lines are all of an invoice's: the invoice itself shows the first few.
func (c *Client) lines(ctx context.Context, id string) ([]Line, error) {
	return call(ctx, c, "invoice_lines", func(ctx context.Context) ([]Line, error) {
		return all(c.sc.V1Invoices.ListLines(ctx, &sdk.InvoiceListLinesParams{
			Invoice: sdk.String(id), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
		}).All(ctx), 0, line)
	})
}

// EachPaidInvoice calls fn with all paid invoices made since a time.
func (c *Client) EachPaidInvoice(ctx context.Context, since time.Time, fn func(Invoice) error) error {
	params := &sdk.InvoiceListParams{
		Status: sdk.String("paid"), CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
		ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
	}
	return pages(ctx, c, "list_paid_invoices", func(ctx context.Context, after *string) ([]Invoice, error) {
		params.StartingAfter = after
		return all(c.sc.V1Invoices.List(ctx, params).All(ctx), pageSize, invoice)
	}, func(i Invoice) string { return i.ID }, fn)
}

// EachInvoice calls fn with all that were made from since until a time, each with its first lines.
func (c *Client) EachInvoice(ctx context.Context, since, until time.Time, fn func(Invoice) error) error {
	params := &sdk.InvoiceListParams{CreatedRange: within(since, until), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)}}
	return pages(ctx, c, "list_invoices", func(ctx context.Context, after *string) ([]Invoice, error) {
		params.StartingAfter = after
		return all(c.sc.V1Invoices.List(ctx, params).All(ctx), pageSize, invoice)
	}, func(i Invoice) string { return i.ID }, fn)
}

// InvoicesOfPayment finds what a payment intent has paid.
func (c *Client) InvoicesOfPayment(ctx context.Context, intent string) ([]Invoice, error) {
	return call(ctx, c, "invoices_of_payment", func(ctx context.Context) ([]Invoice, error) {
		rows, err := all(c.sc.V1InvoicePayments.List(ctx, &sdk.InvoicePaymentListParams{
			Payment: &sdk.InvoicePaymentListPaymentParams{Type: sdk.String("payment_intent"), PaymentIntent: sdk.String(intent)},
			Expand:  sdk.StringSlice([]string{"data.invoice"}),
		}).All(ctx), pageSize, func(p *sdk.InvoicePayment) *sdk.Invoice { return p.Invoice })
		var list []Invoice
		for _, row := range rows {
			if row != nil {
				list = append(list, invoice(row))
			}
		}
		return list, err
	})
}
