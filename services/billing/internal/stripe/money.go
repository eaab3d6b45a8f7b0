package stripe

import (
	"context"
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
	// Status is succeeded, pending, failed, canceled or requires_action.
	Status string
}

// Dispute is a charge that the cardholder's bank disputes.
type Dispute struct {
	ID, ChargeID string
	Amount       int64
	// Status is lost, won, under_review, …
	Status string
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
		d := Dispute{ID: row.ID, Amount: row.Amount, Status: string(row.Status)}
		if row.Charge != nil {
			d.ChargeID = row.Charge.ID
		}
		return d, nil
	})
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
			ev := Event{ID: row.ID, Type: string(row.Type), Live: row.Livemode, Created: moment(row.Created)}
			if row.Data != nil {
				ev.Object = objectID(row.Data.Raw)
			}
			return ev
		})
	}, func(ev Event) string { return ev.ID }, fn)
}
