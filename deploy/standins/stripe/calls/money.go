package calls

import (
	"context"

	stripe "github.com/stripe/stripe-go/v85"
)

func invoices() []Call {
	unpaid := func(status string) Call {
		return ofBilling(many("list a customer's invoices that are "+status, func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Invoice, error] {
			return sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{
				Customer: stripe.String(o.Customer), Status: stripe.String(status), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		}))
	}
	return []Call{
		unpaid("draft"),
		unpaid("open"),
		unpaid("uncollectible"),
		ofBilling(one("keep a draft", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Invoice, error) {
			return sc.V1Invoices.Update(ctx, o.Draft, &stripe.InvoiceUpdateParams{AutoAdvance: stripe.Bool(false)})
		})),
		ofBilling(one("void an invoice", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Invoice, error) {
			return sc.V1Invoices.VoidInvoice(ctx, o.UnpaidInvoice, nil)
		})),
		ofBilling(one("read an invoice", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Invoice, error) {
			return sc.V1Invoices.Retrieve(ctx, o.Invoice, nil)
		})),
		one("read an invoice with its payments", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Invoice, error) {
			return sc.V1Invoices.Retrieve(ctx, o.Invoice, &stripe.InvoiceRetrieveParams{
				Expand: stripe.StringSlice([]string{"payments", "parent.subscription_details.subscription"}),
			})
		}),
		ofBilling(many("list a subscription's paid invoices", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Invoice, error] {
			return sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{
				Subscription: stripe.String(o.Subscription), Status: stripe.String("paid"), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		ofBilling(many("list the paid invoices since a moment", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Invoice, error] {
			return sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{
				Status: stripe.String("paid"), CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: 1}, ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		ofBilling(many("list the invoices of a month", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Invoice, error] {
			return sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{CreatedRange: month(), ListParams: stripe.ListParams{Limit: stripe.Int64(100)}}).All(ctx)
		})),
		ofBilling(many("list the refunds of a month", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Refund, error] {
			return sc.V1Refunds.List(ctx, &stripe.RefundListParams{CreatedRange: month(), ListParams: stripe.ListParams{Limit: stripe.Int64(100)}}).All(ctx)
		})),
		ofBilling(many("list the disputes of a month", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Dispute, error] {
			return sc.V1Disputes.List(ctx, &stripe.DisputeListParams{CreatedRange: month(), ListParams: stripe.ListParams{Limit: stripe.Int64(100)}}).All(ctx)
		})),
		many("list a customer's invoices", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Invoice, error] {
			return sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{Customer: stripe.String(o.Customer)}).All(ctx)
		}),
		ofBilling(many("list a subscription's invoices that are open", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Invoice, error] {
			return sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{
				Subscription: stripe.String(o.Subscription), Status: stripe.String("open"), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		many("list an invoice's lines", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.InvoiceLineItem, error] {
			return sc.V1Invoices.ListLines(ctx, &stripe.InvoiceListLinesParams{Invoice: stripe.String(o.Invoice)}).All(ctx)
		}),
		one("pay an invoice", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Invoice, error) {
			return sc.V1Invoices.Pay(ctx, o.UnpaidInvoice, nil)
		}),
		ofBilling(many("find the invoice of a payment", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.InvoicePayment, error] {
			return sc.V1InvoicePayments.List(ctx, &stripe.InvoicePaymentListParams{
				Payment: &stripe.InvoicePaymentListPaymentParams{Type: stripe.String("payment_intent"), PaymentIntent: stripe.String(o.Intent)},
				Expand:  stripe.StringSlice([]string{"data.invoice"}),
			}).All(ctx)
		})),
		ofBilling(many("read how the payments of an invoice are", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.InvoicePayment, error] {
			return sc.V1InvoicePayments.List(ctx, &stripe.InvoicePaymentListParams{
				Invoice: stripe.String(o.Invoice), Expand: stripe.StringSlice([]string{"data.payment.payment_intent"}),
			}).All(ctx)
		})),
		ofBilling(many("find what has paid an invoice", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.InvoicePayment, error] {
			return sc.V1InvoicePayments.List(ctx, &stripe.InvoicePaymentListParams{
				Invoice: stripe.String(o.Invoice), Status: stripe.String("paid"), Expand: stripe.StringSlice([]string{"data.payment.payment_intent"}),
			}).All(ctx)
		})),
	}
}

func money() []Call {
	return []Call{
		one("read a payment intent with its charge", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.PaymentIntent, error) {
			return sc.V1PaymentIntents.Retrieve(ctx, o.Intent, &stripe.PaymentIntentRetrieveParams{
				Expand: stripe.StringSlice([]string{"latest_charge"}),
			})
		}),
		ofBilling(one("read a charge", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Charge, error) {
			return sc.V1Charges.Retrieve(ctx, o.Charge, nil)
		})),
		one("read a charge with its refunds", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Charge, error) {
			return sc.V1Charges.Retrieve(ctx, o.Charge, &stripe.ChargeRetrieveParams{Expand: stripe.StringSlice([]string{"refunds"})})
		}),
		many("list a customer's charges", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Charge, error] {
			return sc.V1Charges.List(ctx, &stripe.ChargeListParams{Customer: stripe.String(o.Customer)}).All(ctx)
		}),
		one("refund a part of a payment", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Refund, error) {
			params := &stripe.RefundCreateParams{
				PaymentIntent: stripe.String(o.Intent), Amount: stripe.Int64(100), Reason: stripe.String("requested_by_customer"),
			}
			params.SetIdempotencyKey("refund-" + o.Intent)
			return sc.V1Refunds.Create(ctx, params)
		}),
		ofBilling(one("read a refund", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Refund, error) {
			return sc.V1Refunds.Retrieve(ctx, o.Refund, nil)
		})),
		ofBilling(many("list a charge's refunds", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Refund, error] {
			return sc.V1Refunds.List(ctx, &stripe.RefundListParams{Charge: stripe.String(o.Charge)}).All(ctx)
		})),
		ofBilling(one("read a dispute", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Dispute, error) {
			return sc.V1Disputes.Retrieve(ctx, o.Dispute, nil)
		})),
		ofBilling(one("read an early fraud warning", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.RadarEarlyFraudWarning, error) {
			return sc.V1RadarEarlyFraudWarnings.Retrieve(ctx, o.Warning, nil)
		})),
		ofBilling(many("list a charge's disputes", func(ctx context.Context, sc *stripe.Client, o Objects) stripe.Seq2[*stripe.Dispute, error] {
			return sc.V1Disputes.List(ctx, &stripe.DisputeListParams{Charge: stripe.String(o.Disputed)}).All(ctx)
		})),
	}
}

// month is a range in the form of a month's, wide enough for whatever there is.
func month() *stripe.RangeQueryParams {
	return &stripe.RangeQueryParams{GreaterThanOrEqual: 1, LesserThan: 1 << 32}
}
