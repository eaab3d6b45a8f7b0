package stripe

import (
	"context"
	"slices"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"
)

// Charge is money that was taken.
type Charge struct {
	ID, IntentID string
	// Amount is in the currency's smallest unit.
	Amount  int64
	Refunds []Refund
}

// Refund is a refund of a charge.
type Refund struct {
	ID     string
	Amount int64
	// Currency and IntentID are what EachRefund knows.
	Currency, IntentID string
	// Status is succeeded, pending, failed, canceled or requires_action.
	Status string
}

// Dispute is a charge that the cardholder's bank disputes.
type Dispute struct {
	ID, ChargeID, IntentID string
	Amount                 int64
	Currency               string
	// Status is lost, won, under_review, prevented, …
	Status string
	// Moved is what its withdrawals and their reversals come to, without fees: below zero while the customer has the money.
	Moved int64
}

// vouchers are what people pay in a shop or at their bank with, within some days: Stripe hears of it later.
var vouchers = []sdk.PaymentIntentNextActionType{"boleto_display_details", "konbini_display_details", "multibanco_display_details", sdk.PaymentIntentNextActionTypeOXXODisplayDetails}

// onItsWay reports whether nobody can know yet whether the money of a payment will come; nil is none.
func onItsWay(p *sdk.PaymentIntent) bool {
	if p == nil {
		return false
	}
	voucher := p.NextAction != nil && slices.Contains(vouchers, p.NextAction.Type)
	return p.Status == sdk.PaymentIntentStatusProcessing || p.Status == sdk.PaymentIntentStatusRequiresAction && voucher
}

// Charge reads a charge with its refunds.
func (c *Client) Charge(ctx context.Context, id string) (Charge, error) {
	return call(ctx, c, "charge", func(ctx context.Context) (Charge, error) {
		row, err := c.sc.V1Charges.Retrieve(ctx, id, nil)
		if err != nil {
			return Charge{}, err
		}
		charge := Charge{ID: row.ID, Amount: row.Amount}
		if row.PaymentIntent != nil {
			charge.IntentID = row.PaymentIntent.ID
		}
		charge.Refunds, err = all(c.sc.V1Refunds.List(ctx, &sdk.RefundListParams{Charge: sdk.String(id)}).All(ctx), pageSize, func(r *sdk.Refund) Refund {
			return Refund{ID: r.ID, Amount: r.Amount, Status: string(r.Status)}
		})
		return charge, err
	})
}

// ChargeOfRefund is the charge that was refunded; "" for a refund without one.
func (c *Client) ChargeOfRefund(ctx context.Context, id string) (charge string, err error) {
	return call(ctx, c, "refund", func(ctx context.Context) (string, error) {
		row, err := c.sc.V1Refunds.Retrieve(ctx, id, nil)
		if err != nil || row.Charge == nil {
			return "", err
		}
		return row.Charge.ID, nil
	})
}

// Dispute reads one.
func (c *Client) Dispute(ctx context.Context, id string) (Dispute, error) {
	return call(ctx, c, "dispute", func(ctx context.Context) (Dispute, error) {
		row, err := c.sc.V1Disputes.Retrieve(ctx, id, nil)
		if err != nil {
			return Dispute{}, err
		}
		return dispute(row), nil
	})
}

// DisputesOf are those of a charge, the newest first.
func (c *Client) DisputesOf(ctx context.Context, charge string) ([]Dispute, error) {
	return call(ctx, c, "disputes_of_charge", func(ctx context.Context) ([]Dispute, error) {
		return all(c.sc.V1Disputes.List(ctx, &sdk.DisputeListParams{Charge: sdk.String(charge)}).All(ctx), pageSize, dispute)
	})
}

func dispute(row *sdk.Dispute) Dispute {
	d := Dispute{ID: row.ID, Amount: row.Amount, Currency: string(row.Currency), Status: string(row.Status)}
	if row.Charge != nil {
		d.ChargeID = row.Charge.ID
	}
	if row.PaymentIntent != nil {
		d.IntentID = row.PaymentIntent.ID
	}
	for _, t := range row.BalanceTransactions {
		d.Moved += t.Amount
	}
	return d
}

// FraudWarning is a card's issuer that suspects a payment, before anybody disputes it.
type FraudWarning struct {
	ID, ChargeID string
	// Actionable says that the payment is neither disputed nor wholly refunded.
	Actionable bool
}

// FraudWarning reads one.
func (c *Client) FraudWarning(ctx context.Context, id string) (FraudWarning, error) {
	return call(ctx, c, "fraud_warning", func(ctx context.Context) (FraudWarning, error) {
		row, err := c.sc.V1RadarEarlyFraudWarnings.Retrieve(ctx, id, nil)
		if err != nil {
			return FraudWarning{}, err
		}
		w := FraudWarning{ID: row.ID, Actionable: row.Actionable}
		if row.Charge != nil {
			w.ChargeID = row.Charge.ID
		}
		return w, nil
	})
}

// Settled reports whether it was prevented by paying the customer back, which Stripe does by the rules of the account. One that
// was prevented otherwise was blocked, and has cost nothing.
func (d Dispute) Settled() bool { return d.Status == "prevented" && d.Moved < 0 }

// Unmoved reports whether the customer was given no money: the bank only asks, or was kept from more.
func (d Dispute) Unmoved() bool {
	return strings.HasPrefix(d.Status, "warning_") || d.Status == "prevented" && !d.Settled()
}

// Won reports whether the money is ours again.
func (d Dispute) Won() bool { return d.Status == "won" }

// within are the objects that were made from since until a time.
func within(since, until time.Time) *sdk.RangeQueryParams {
	return &sdk.RangeQueryParams{GreaterThanOrEqual: since.Unix(), LesserThan: until.Unix()}
}

// EachRefund calls fn with all that were made from since until a time.
func (c *Client) EachRefund(ctx context.Context, since, until time.Time, fn func(Refund) error) error {
	params := &sdk.RefundListParams{CreatedRange: within(since, until), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)}}
	return pages(ctx, c, "list_refunds", func(ctx context.Context, after *string) ([]Refund, error) {
		params.StartingAfter = after
		return all(c.sc.V1Refunds.List(ctx, params).All(ctx), pageSize, func(row *sdk.Refund) Refund {
			r := Refund{ID: row.ID, Amount: row.Amount, Currency: string(row.Currency), Status: string(row.Status)}
			if row.PaymentIntent != nil {
				r.IntentID = row.PaymentIntent.ID
			}
			return r
		})
	}, func(r Refund) string { return r.ID }, fn)
}

// EachDispute calls fn with all that began from since until a time.
func (c *Client) EachDispute(ctx context.Context, since, until time.Time, fn func(Dispute) error) error {
	params := &sdk.DisputeListParams{CreatedRange: within(since, until), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)}}
	return pages(ctx, c, "list_disputes", func(ctx context.Context, after *string) ([]Dispute, error) {
		params.StartingAfter = after
		return all(c.sc.V1Disputes.List(ctx, params).All(ctx), pageSize, dispute)
	}, func(d Dispute) string { return d.ID }, fn)
}

// EachEvent calls fn with the events of some types since a time. Stripe keeps
// them for 30 days.
func (c *Client) EachEvent(ctx context.Context, types []string, since time.Time, fn func(Event) error) error {
	params := &sdk.EventListParams{
		Types: sdk.StringSlice(types), CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
		ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
	}
	return pages(ctx, c, "list_events", func(ctx context.Context, after *string) ([]Event, error) {
		params.StartingAfter = after
		return all(c.sc.V1Events.List(ctx, params).All(ctx), pageSize, func(row *sdk.Event) Event {
			ev := Event{ID: row.ID, Type: string(row.Type), Live: row.Livemode, Created: moment(row.Created), Account: row.Account}
			if row.Data != nil {
				ev.Object = objectID(row.Data.Raw)
			}
			return ev
		})
	}, func(ev Event) string { return ev.ID }, fn)
}
