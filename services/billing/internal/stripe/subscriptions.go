package stripe

import (
	"context"
	"errors"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/services/billing/internal/plan"
)

// Subscription is what billing knows of a subscription of Stripe's.
type Subscription struct {
	ID, CustomerID string
	// Status is Stripe's word: active, trialing, past_due, canceled, …
	Status string
	// ItemID, PriceID, ProductID and Quantity, the period and what it costs are of the first item. Items says how many
	// there are; Only leaves ours.
	ItemID, PriceID, ProductID string
	Quantity                   int64
	Items                      int
	// Interval is how often the item is paid, in Stripe's words: every IntervalCount months, years, …
	Interval               string
	IntervalCount          int64
	PeriodStart, PeriodEnd time.Time
	// TrialStart and TrialEnd are of its latest trial; zero without one.
	TrialStart, TrialEnd time.Time
	// CancelAt is when it is scheduled to end; zero if it is not, or with the period.
	CancelAt          time.Time
	CancelAtPeriodEnd bool
	// ScheduleID is of the schedule that it belongs to, such as while a downgrade waits for
	// the end of the period; "" for none.
	ScheduleID string
	// NextPriceID and NextProductID are what it changes to by that schedule, at NextAt; "" for
	// nothing else, and NextInterval and NextIntervalCount how often that is paid. Lists leave all but the price out.
	NextPriceID, NextProductID, NextInterval string
	NextIntervalCount                        int64
	NextAt                                   time.Time
	// InvoiceID is of its latest invoice. InvoiceStatus is that one's, draft, open, paid, …, where
	// it was asked for.
	InvoiceID, InvoiceStatus string
	// UserID is the account's for which we have sold it; "" for one that was made elsewhere.
	UserID string
	// Held says that staff have paused the collection of its payments: its periods go on, and nobody pays them.
	Held bool
	// Sent says that its invoices are sent, and paid by whoever gets them, instead of being charged.
	Sent bool
	// TaxStopped says that Stripe has switched its taxes off, such as for an address that it does not know.
	TaxStopped bool
	// Stopped says that it was StopRenewal that has set its end. FormerEnd is the later one that it was set to before; zero
	// for none.
	Stopped   bool
	FormerEnd time.Time
	// Monthly is what a month of the item comes to, before discounts and taxes, in the smallest
	// unit of Currency; 0 where Stripe names no single amount in that currency, as with tiers, and with
	// prices that have amounts in several.
	Monthly int64
	// PeriodAmount is what it comes to each time that it is paid, likewise.
	PeriodAmount int64
	Currency     string
	Created      time.Time
	// Ended is when it ended; zero while it has not.
	Ended time.Time
	Live  bool
	// Metered are the prices of the items that are charged for what was used. They sell no plan, and do not count as items
	// beside others.
	Metered []string
	// each has an item as if it were the only one; all is how many Stripe has.
	each []Subscription
	all  int
}

// Scheduled reports whether it is set to end.
func (s Subscription) Scheduled() bool { return s.CancelAtPeriodEnd || !s.CancelAt.IsZero() }

// End is when it is set to end; zero if it is not.
func (s Subscription) End() time.Time {
	if s.CancelAt.IsZero() && s.CancelAtPeriodEnd {
		return s.PeriodEnd
	}
	return s.CancelAt
}

// Renews reports whether it is paid once more when its period ends: the end that it is set to may be periods away.
func (s Subscription) Renews() bool { return s.End().IsZero() || s.End().After(s.PeriodEnd) }

// Paid is what it is paid by.
func (s Subscription) Paid() plan.Paid {
	return plan.PaidEach(s.Interval, s.IntervalCount, s.PeriodAmount, s.Currency)
}

func subscription(row *sdk.Subscription) Subscription {
	s := Subscription{
		ID: row.ID, Status: string(row.Status), CancelAt: moment(row.CancelAt), CancelAtPeriodEnd: row.CancelAtPeriodEnd,
		Created: moment(row.Created), Live: row.Livemode, Held: row.PauseCollection != nil, Stopped: row.Metadata[stoppedTag] != "", FormerEnd: formerEnd(row.Metadata[stoppedTag]), UserID: row.Metadata[userTag],
		Currency: string(row.Currency), Ended: moment(row.EndedAt), TrialStart: moment(row.TrialStart), TrialEnd: moment(row.TrialEnd),
		Sent: row.CollectionMethod == sdk.SubscriptionCollectionMethodSendInvoice, TaxStopped: row.AutomaticTax != nil && row.AutomaticTax.DisabledReason != "",
	}
	if row.Customer != nil {
		s.CustomerID = row.Customer.ID
	}
	if row.LatestInvoice != nil {
		s.InvoiceID, s.InvoiceStatus = row.LatestInvoice.ID, string(row.LatestInvoice.Status)
	}
	if row.Schedule != nil {
		s.ScheduleID = row.Schedule.ID
		s.next(row.Schedule)
	}
	if row.Items == nil {
		return s
	}
	s.all = len(row.Items.Data)
	for _, item := range row.Items.Data {
		if item.Price != nil && metered(item.Price) {
			s.Metered = append(s.Metered, item.Price.ID)
			continue
		}
		s.each = append(s.each, ofItem(item, row.Currency))
	}
	if len(s.each) == 0 && s.all > 0 {
		s.each = []Subscription{ofItem(row.Items.Data[0], row.Currency)}
		s.each[0].ProductID = "" // it sells nothing of its product
	}
	if s.Items = len(s.each); s.Items > 0 {
		s.take(s.each[0])
	}
	return s
}

func ofItem(row *sdk.SubscriptionItem, currency sdk.Currency) Subscription {
	item := Subscription{ItemID: row.ID, Quantity: row.Quantity, PeriodStart: moment(row.CurrentPeriodStart), PeriodEnd: moment(row.CurrentPeriodEnd)}
	if row.Price == nil {
		return item
	}
	item.PriceID, item.Interval = row.Price.ID, interval(row.Price)
	if row.Price.Currency == currency {
		item.Monthly, item.PeriodAmount = monthly(row), row.Price.UnitAmount*row.Quantity
	}
	if every := row.Price.Recurring; every != nil {
		item.IntervalCount = every.IntervalCount
	}
	if row.Price.Product != nil {
		item.ProductID = row.Price.Product.ID
	}
	return item
}

// take has the subscription be what its item is.
func (s *Subscription) take(item Subscription) {
	s.ItemID, s.PriceID, s.ProductID, s.Quantity = item.ItemID, item.PriceID, item.ProductID, item.Quantity
	s.Interval, s.IntervalCount, s.PeriodStart, s.PeriodEnd = item.Interval, item.IntervalCount, item.PeriodStart, item.PeriodEnd
	s.Monthly, s.PeriodAmount = item.Monthly, item.PeriodAmount
}

// Only is the subscription as far as what is ours goes, where staff have added something of another product: that is of no
// concern. Of several items of ours it is the first, and Items still says how many there are.
func (s Subscription) Only(ours func(priceID, productID string) bool) Subscription {
	var own []Subscription
	for _, item := range s.each {
		if ours(item.PriceID, item.ProductID) {
			own = append(own, item)
		}
	}
	if len(own) == 0 || len(s.each) == 1 {
		return s
	}
	if s.take(own[0]); len(own) == 1 {
		s.Items = 1
	}
	return s
}

// Mixed reports whether it has several items, whosever they are: Stripe's portal then changes no plan.
func (s Subscription) Mixed() bool { return s.all > 1 }

// perYear is how many intervals a year has.
var perYear = map[sdk.PriceRecurringInterval]int64{
	sdk.PriceRecurringIntervalDay: 365, sdk.PriceRecurringIntervalWeek: 52, sdk.PriceRecurringIntervalMonth: 12, sdk.PriceRecurringIntervalYear: 1,
}

// monthly is the twelfth part of what an item costs in a year, rounded.
func monthly(item *sdk.SubscriptionItem) int64 {
	every := item.Price.Recurring
	if every == nil || every.IntervalCount <= 0 {
		return 0
	}
	year, months := item.Price.UnitAmount*item.Quantity*perYear[every.Interval], 12*every.IntervalCount
	return (year + months/2) / months
}

// interval is how often a price is paid; "" for one that is paid once, or was not asked for.
func interval(price *sdk.Price) string {
	if price.Recurring == nil {
		return ""
	}
	return string(price.Recurring.Interval)
}

// next reads what comes after the current phase of a schedule; of several items, the first.
func (s *Subscription) next(row *sdk.SubscriptionSchedule) {
	if row.CurrentPhase == nil {
		return
	}
	for _, phase := range row.Phases {
		if phase.StartDate < row.CurrentPhase.EndDate || len(phase.Items) == 0 || phase.Items[0].Price == nil {
			continue
		}
		price := phase.Items[0].Price
		if s.NextPriceID, s.NextAt = price.ID, moment(phase.StartDate); price.Product != nil {
			s.NextProductID, s.NextInterval = price.Product.ID, interval(price)
			if price.Recurring != nil {
				s.NextIntervalCount = price.Recurring.IntervalCount
			}
		}
		return
	}
}

// schedule is what has to be asked for to know what comes next. Stripe follows four steps and no
// more: a list names the next price, and not its product.
const (
	schedule       = "schedule.phases.items.price"
	schedulesOfAll = "data.schedule"
)

// Subscription reads one.
func (c *Client) Subscription(ctx context.Context, id string) (Subscription, error) {
	return call(ctx, c, "subscription", func(ctx context.Context) (Subscription, error) {
		row, err := c.sc.V1Subscriptions.Retrieve(ctx, id, &sdk.SubscriptionRetrieveParams{Expand: sdk.StringSlice([]string{schedule})})
		if err != nil {
			return Subscription{}, err
		}
		return subscription(row), nil
	})
}

// Subscriptions lists a customer's, the ended ones included, the newest first, with what their
// latest invoice is in.
func (c *Client) Subscriptions(ctx context.Context, customer string) ([]Subscription, error) {
	return call(ctx, c, "subscriptions", func(ctx context.Context) ([]Subscription, error) {
		return all(c.sc.V1Subscriptions.List(ctx, &sdk.SubscriptionListParams{
			Customer: sdk.String(customer), Status: sdk.String("all"), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)},
			Expand: sdk.StringSlice([]string{schedulesOfAll, "data.latest_invoice"}),
		}).All(ctx), pageSize, subscription)
	})
}

// EachSubscription calls fn with all there are, the newest first.
func (c *Client) EachSubscription(ctx context.Context, fn func(Subscription) error) error {
	params := &sdk.SubscriptionListParams{
		Status: sdk.String("all"), ListParams: sdk.ListParams{Limit: sdk.Int64(pageSize)}, Expand: sdk.StringSlice([]string{schedulesOfAll}),
	}
	return pages(ctx, c, "list_subscriptions", func(ctx context.Context, after *string) ([]Subscription, error) {
		params.StartingAfter = after
		return all(c.sc.V1Subscriptions.List(ctx, params).All(ctx), pageSize, subscription)
	}, func(s Subscription) string { return s.ID }, fn)
}

// Resume undoes a scheduled end. Stripe sets no end of a subscription that belongs to a schedule,
// so the subscription leaves that first.
func (c *Client) Resume(ctx context.Context, s Subscription) error {
	if err := c.Release(ctx, s); err != nil {
		return err
	}
	_, err := call(ctx, c, "resume_subscription", func(ctx context.Context) (*sdk.Subscription, error) {
		params := &sdk.SubscriptionUpdateParams{}
		if s.CancelAtPeriodEnd {
			params.CancelAtPeriodEnd = sdk.Bool(false)
		} else {
			params.AddUnsetField(sdk.SubscriptionUpdateParamsUnsetFieldCancelAt)
		}
		return c.sc.V1Subscriptions.Update(ctx, s.ID, params)
	})
	return err
}

// Release takes a subscription out of its schedule, if it has one: what would change with the
// next period stays. Stripe refuses to release one that somebody else has released meanwhile, such as a second click.
func (c *Client) Release(ctx context.Context, s Subscription) error {
	if s.ScheduleID == "" {
		return nil
	}
	_, err := call(ctx, c, "release_schedule", func(ctx context.Context) (*sdk.SubscriptionSchedule, error) {
		return c.sc.V1SubscriptionSchedules.Release(ctx, s.ScheduleID, nil)
	})
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrGone) {
		if now, asked := c.Subscription(ctx, s.ID); asked != nil || now.ScheduleID != s.ScheduleID {
			return asked
		}
	}
	return err
}

// pages reads a list page by page, each within a budget of its own, and calls fn
// with every row.
func pages[T any](ctx context.Context, c *Client, name string, read func(ctx context.Context, after *string) ([]T, error), id func(T) string, fn func(T) error) error {
	var after *string
	for {
		page, err := call(ctx, c, name, func(ctx context.Context) ([]T, error) { return read(ctx, after) })
		if err != nil {
			return err
		}
		for _, row := range page {
			if err := fn(row); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
		after = sdk.String(id(page[len(page)-1]))
	}
}
