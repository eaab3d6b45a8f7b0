// Package calls is the contract between billing and Stripe: every request that the billing
// service sends, and those of people and tests, made through Stripe's own SDK. The
// conformance tests send them to the stand-in and to Stripe's mock, which must accept them.
package calls

import (
	"context"

	stripe "github.com/stripe/stripe-go/v85"
)

// Objects are the ids that calls are about.
type Objects struct {
	Customer, Product, Price, Dearer string
	Pack, PackIntent                 string // a price that is paid once, and what has paid it
	Checkout, Subscription, Item     string
	Invoice, Intent, Charge, Card    string
	Refund, Dispute, Disputed        string // the last is its charge
	Warning                          string // an early fraud warning
	OpenCheckout, UnpaidInvoice      string
	Leaving                          string // a customer that can be deleted
	Draft                            string // an invoice
	Schedule                         string // a downgrade's, of a subscription
}

// Call is one request.
type Call struct {
	Name string
	// Billing tells that the billing service makes it, in just this form.
	Billing bool
	// Run makes the request and returns what it answered: a pointer to one of the
	// SDK's types, or a slice of such.
	Run func(ctx context.Context, sc *stripe.Client, o Objects) (any, error)
}

// All returns every call.
func All() []Call {
	var all []Call
	for _, group := range [][]Call{customers(), catalogue(), sessions(), subscriptions(), invoices(), money(), events()} {
		all = append(all, group...)
	}
	return all
}

// ofBilling marks a Call as one of the billing service's.
func ofBilling(c Call) Call {
	c.Billing = true
	return c
}

// one makes a Call of a request that answers one object.
func one[T any](name string, run func(context.Context, *stripe.Client, Objects) (*T, error)) Call {
	return Call{Name: name, Run: func(ctx context.Context, sc *stripe.Client, o Objects) (any, error) { return run(ctx, sc, o) }}
}

// many makes a Call of a list, of which it takes the first few. Stripe's mock
// never says that a list has ended.
func many[T any](name string, run func(context.Context, *stripe.Client, Objects) stripe.Seq2[*T, error]) Call {
	const enough = 5
	return Call{Name: name, Run: func(ctx context.Context, sc *stripe.Client, o Objects) (any, error) {
		var rows []*T
		for row, err := range run(ctx, sc, o) {
			if err != nil {
				return nil, err
			}
			if rows = append(rows, row); len(rows) == enough {
				break
			}
		}
		return rows, nil
	}}
}

func customers() []Call {
	return []Call{
		ofBilling(one("read the account", func(ctx context.Context, sc *stripe.Client, _ Objects) (*stripe.Account, error) {
			return sc.V1Accounts.Retrieve(ctx, nil)
		})),
		ofBilling(one("create a customer", func(ctx context.Context, sc *stripe.Client, _ Objects) (*stripe.Customer, error) {
			params := &stripe.CustomerCreateParams{
				Email: stripe.String("somebody@fledge.test"), Metadata: map[string]string{"user_id": "5c3ff0f8"},
			}
			params.SetIdempotencyKey("customer-5c3ff0f8")
			return sc.V1Customers.Create(ctx, params)
		})),
		ofBilling(one("read a customer", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Customer, error) {
			return sc.V1Customers.Retrieve(ctx, o.Customer, nil)
		})),
		ofBilling(many("find an account's customers by address", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Customer, error] {
			return sc.V1Customers.List(ctx, &stripe.CustomerListParams{
				Email: stripe.String("somebody@fledge.test"), ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		ofBilling(one("delete a customer, and read what is left", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Customer, error) {
			if _, err := sc.V1Customers.Delete(ctx, o.Leaving, nil); err != nil {
				return nil, err
			}
			return sc.V1Customers.Retrieve(ctx, o.Leaving, nil)
		})),
		ofBilling(one("change a customer's address", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Customer, error) {
			return sc.V1Customers.Update(ctx, o.Customer, &stripe.CustomerUpdateParams{Email: stripe.String("else@fledge.test")})
		})),
		many("find customers by address", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Customer, error] {
			return sc.V1Customers.List(ctx, &stripe.CustomerListParams{Email: stripe.String("somebody@fledge.test")}).All(ctx)
		}),
		one("read a card", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.PaymentMethod, error) {
			return sc.V1PaymentMethods.Retrieve(ctx, o.Card, nil)
		}),
	}
}

func catalogue() []Call {
	return []Call{
		ofBilling(one("read a product", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Product, error) {
			return sc.V1Products.Retrieve(ctx, o.Product, nil)
		})),
		ofBilling(many("list webhook endpoints", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.WebhookEndpoint, error] {
			return sc.V1WebhookEndpoints.List(ctx, &stripe.WebhookEndpointListParams{ListParams: stripe.ListParams{Limit: stripe.Int64(100)}}).All(ctx)
		})),
		ofBilling(one("read the settings of Stripe Tax", func(ctx context.Context, sc *stripe.Client, _ Objects) (*stripe.TaxSettings, error) {
			return sc.V1TaxSettings.Retrieve(ctx, nil)
		})),
		ofBilling(one("read a price", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Price, error) {
			return sc.V1Prices.Retrieve(ctx, o.Price, &stripe.PriceRetrieveParams{Expand: stripe.StringSlice([]string{"currency_options"})})
		})),
		one("read a price with its product", func(ctx context.Context, sc *stripe.Client, o Objects) (*stripe.Price, error) {
			return sc.V1Prices.Retrieve(ctx, o.Price, &stripe.PriceRetrieveParams{Expand: stripe.StringSlice([]string{"product"})})
		}),
	}
}

func events() []Call {
	return []Call{
		ofBilling(many("list events of some types since a moment", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Event, error] {
			return sc.V1Events.List(ctx, &stripe.EventListParams{
				Types: stripe.StringSlice([]string{
					"charge.dispute.closed", "charge.dispute.created", "charge.dispute.funds_reinstated", "charge.dispute.funds_withdrawn", "charge.refunded", "invoice.finalization_failed", "invoice.paid", "radar.early_fraud_warning.created", "radar.early_fraud_warning.updated",
					"refund.failed", "refund.updated",
				}),
				CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: 1}, ListParams: stripe.ListParams{Limit: stripe.Int64(100)},
			}).All(ctx)
		})),
		many("list events that were not delivered", func(ctx context.Context, sc *stripe.Client, _ Objects) stripe.Seq2[*stripe.Event, error] {
			return sc.V1Events.List(ctx, &stripe.EventListParams{DeliverySuccess: stripe.Bool(false)}).All(ctx)
		}),
	}
}
