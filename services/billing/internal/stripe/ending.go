package stripe

import (
	"context"
	"strconv"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
)

// stoppedTag marks in a subscription's metadata that it was StopRenewal that has set its end,
// and not the customer. It is set and taken away by the same request as the end, and has the end that there was, in
// seconds since 1970.
const stoppedTag = "renewal_stopped"

// formerEnd is the end that a mark has; zero for none.
func formerEnd(mark string) time.Time {
	at, err := strconv.ParseInt(mark, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return moment(at)
}

// StopRenewal has a subscription end with its period, unless ResumeRenewal comes before. A
// downgrade that waits for the end of the period is dropped: Stripe sets no end of a
// subscription that belongs to a schedule.
func (c *Client) StopRenewal(ctx context.Context, s Subscription) error {
	if err := c.Release(ctx, s); err != nil {
		return err
	}
	mark := "account_disabled"
	if !s.CancelAt.IsZero() {
		mark = strconv.FormatInt(s.CancelAt.Unix(), 10)
	}
	_, err := call(ctx, c, "stop_renewal", func(ctx context.Context) (*sdk.Subscription, error) {
		return c.sc.V1Subscriptions.Update(ctx, s.ID, &sdk.SubscriptionUpdateParams{
			CancelAtPeriodEnd: sdk.Bool(true), Metadata: map[string]string{stoppedTag: mark},
		})
	})
	return err
}

// ResumeRenewal takes back what StopRenewal did: the end is the one that there was, if any. Where that has come to lie in the
// present period, which a change has made longer, it goes on to end with that.
func (c *Client) ResumeRenewal(ctx context.Context, s Subscription) error {
	_, err := call(ctx, c, "resume_renewal", func(ctx context.Context) (*sdk.Subscription, error) {
		params := &sdk.SubscriptionUpdateParams{Metadata: map[string]string{stoppedTag: ""}}
		switch { // Stripe takes only one of both
		case s.FormerEnd.IsZero():
			params.CancelAtPeriodEnd = sdk.Bool(false)
		case s.FormerEnd.After(s.PeriodEnd):
			params.CancelAt = sdk.Int64(s.FormerEnd.Unix())
		}
		return c.sc.V1Subscriptions.Update(ctx, s.ID, params)
	})
	return err
}

// CancelSubscription ends a subscription at once. Stripe then stops collecting its invoices;
// those that are open can still be paid. One that has ended is ErrGone.
func (c *Client) CancelSubscription(ctx context.Context, id string) error {
	_, err := call(ctx, c, "cancel_subscription", func(ctx context.Context) (*sdk.Subscription, error) {
		return c.sc.V1Subscriptions.Cancel(ctx, id, nil)
	})
	return err
}

// OpenCheckouts lists a customer's that can be paid.
func (c *Client) OpenCheckouts(ctx context.Context, customer string) ([]Checkout, error) {
	return call(ctx, c, "open_checkouts", func(ctx context.Context) ([]Checkout, error) {
		return all(c.sc.V1CheckoutSessions.List(ctx, &sdk.CheckoutSessionListParams{
			Customer: sdk.String(customer), Status: sdk.String("open"), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
		}).All(ctx), 0, checkout)
	})
}

// UnpaidInvoices lists a customer's that could still be collected or paid.
func (c *Client) UnpaidInvoices(ctx context.Context, customer string) (list []Invoice, err error) {
	for _, status := range []string{"draft", "open", "uncollectible"} {
		some, err := call(ctx, c, "unpaid_invoices", func(ctx context.Context) ([]Invoice, error) {
			return all(c.sc.V1Invoices.List(ctx, &sdk.InvoiceListParams{
				Customer: sdk.String(customer), Status: sdk.String(status), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
			}).All(ctx), 0, invoice)
		})
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

// StopInvoice keeps an unpaid invoice from being collected: a draft stays one, because Stripe
// deletes no draft of a subscription; another becomes void.
func (c *Client) StopInvoice(ctx context.Context, i Invoice) error {
	_, err := call(ctx, c, "stop_invoice", func(ctx context.Context) (*sdk.Invoice, error) {
		if i.Status == "draft" {
			return c.sc.V1Invoices.Update(ctx, i.ID, &sdk.InvoiceUpdateParams{AutoAdvance: sdk.Bool(false)})
		}
		return c.sc.V1Invoices.VoidInvoice(ctx, i.ID, nil)
	})
	return err
}

// CustomersWith lists the customers with an e-mail address that CreateCustomer has made for
// an account.
func (c *Client) CustomersWith(ctx context.Context, email, userID string) (ids []string, err error) {
	return call(ctx, c, "customers_with", func(ctx context.Context) ([]string, error) {
		var ids []string
		for row, err := range c.sc.V1Customers.List(ctx, &sdk.CustomerListParams{
			Email: sdk.String(email), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
		}).All(ctx) {
			if err != nil {
				return nil, err
			}
			if row.Metadata[userTag] == userID {
				ids = append(ids, row.ID)
			}
		}
		return ids, nil
	})
}

// SetEmail has Stripe write to another address from now on.
func (c *Client) SetEmail(ctx context.Context, customer, email string) error {
	_, err := call(ctx, c, "set_email", func(ctx context.Context) (*sdk.Customer, error) {
		return c.sc.V1Customers.Update(ctx, customer, &sdk.CustomerUpdateParams{Email: sdk.String(email)})
	})
	return err
}

// DeleteCustomer deletes a customer for good, with its name, its addresses and its cards. Its
// subscriptions end at once. ErrGone for one that was deleted before, or that Stripe does not
// know at all; CustomerDeleted tells which.
func (c *Client) DeleteCustomer(ctx context.Context, id string) error {
	_, err := call(ctx, c, "delete_customer", func(ctx context.Context) (*sdk.Customer, error) { return c.sc.V1Customers.Delete(ctx, id, nil) })
	return err
}
