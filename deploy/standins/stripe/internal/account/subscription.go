package account

import (
	"cmp"
	"fmt"
)

// What a subscription can be in, as far as the stand-in gets there.
const (
	StatusActive   = "active"
	StatusTrialing = "trialing"
	// StatusIncomplete is one whose first payment is on its way or waits for the payer, StatusExpired one
	// whose first payment has failed or did not come within a day.
	StatusIncomplete = "incomplete"
	StatusExpired    = "incomplete_expired"
	StatusPastDue    = "past_due"
	StatusUnpaid     = "unpaid"
	StatusPaused     = "paused"
	StatusCanceled   = "canceled"
)

// Subscription is one price, paid for again and again
// (https://docs.stripe.com/api/subscriptions), in Stripe's flexible billing mode.
type Subscription struct {
	ID, Customer, Status string
	Metadata             map[string]string
	Created              int64

	// The item, and the prices of further ones.
	Item, Price string
	Quantity    int64
	Beside      []string

	// Anchor is what periods are counted from, Periods how many have begun.
	Anchor                 int64
	Periods                int
	PeriodStart, PeriodEnd int64

	// TrialStart and TrialEnd are of the trial, if there was one.
	TrialStart, TrialEnd int64

	CancelAt              int64
	CancelAtPeriodEnd     bool
	CanceledAt, EndedAt   int64
	Reason, Feedback, Why string // of the cancellation

	// Card pays; empty leaves it to the customer's.
	Card          string
	LatestInvoice string
	// Open are the invoices that are a draft or not paid.
	Open []string
	// Held says that its payments are not collected.
	Held bool
	// DaysUntilDue is how long its invoices, which are sent, may wait for their payment; 0 has them charged.
	DaysUntilDue int64
	// Next is a change of plan that waits for the end of the period.
	Next *Change
	// Pending lines wait for the next invoice: prorations, and what somebody has added.
	Pending []Line

	// PercentOff is taken off every invoice, by a discount of this id.
	PercentOff int64
	Discount   string
	// Taxed has taxes calculated for every invoice.
	Taxed bool
	// FailPayments is how many more payments are to fail whatever the card;
	// negative for all.
	FailPayments int
	// AskPayer has the next payment wait until the payer has confirmed it with their bank, whatever the card.
	AskPayer bool
}

// Change is another plan, or quantity, of a subscription.
type Change struct {
	Schedule, Price string
	Quantity        int64
}

// Key identifies the row.
func (s *Subscription) Key() string { return s.ID }

// Ended tells that nothing brings the subscription back.
func (s *Subscription) Ended() bool { return s.Status == StatusCanceled || s.Status == StatusExpired }

func (tx *Tx) currency(s *Subscription) string { return tx.Prices.Get(s.Price).Currency }

// Subscription finds a subscription for a parameter, "id" for the one in the path.
func (tx *Tx) Subscription(id, param string) (*Subscription, error) {
	if s := tx.Subscriptions.Get(id); s != nil {
		return s, nil
	}
	return nil, missing("subscription", id, param)
}

// Start is how a subscription begins.
type Start struct {
	Customer, Price, Card string
	Quantity              int64
	Metadata              map[string]string
	// PercentOff is taken off every invoice.
	PercentOff int64
	// Taxed has taxes calculated.
	Taxed bool
	// TrialDays come before the first payment; the card is saved.
	TrialDays int64
	// AskPayer has the first payment wait until the payer has confirmed it.
	AskPayer bool
}

// Subscribe starts a subscription, bills the first period and takes the money
// from a test card. When the card does not pay, nothing has happened. While the money of a bank
// account is on its way, or the payer has to confirm the payment, the subscription is incomplete.
func (tx *Tx) Subscribe(start Start) (*Subscription, error) {
	p, err := tx.sellable(start.Price, "price")
	if err != nil {
		return nil, err
	}
	payer, err := tx.newCard(start.Customer, start.Card)
	if err != nil {
		return nil, err
	}
	toPay := start.PercentOff < 100 && start.TrialDays == 0
	if decline, ok := tx.charge(payer); !ok && (toPay || start.Card == CardDeclined) {
		return nil, declined(decline)
	}
	tx.Cards.put(payer)
	s := &Subscription{
		ID: NewID("sub_"), Customer: start.Customer, Status: StatusActive, Metadata: tags(start.Metadata), Created: tx.at,
		Item: NewID("si_"), Price: start.Price, Quantity: max(start.Quantity, 1), Card: payer.ID, Taxed: start.Taxed,
		Anchor: tx.at, Periods: 1, PeriodStart: tx.at, PeriodEnd: p.end(tx.at, 1),
	}
	if start.PercentOff > 0 {
		s.PercentOff, s.Discount = start.PercentOff, NewID("di_")
	}
	if start.TrialDays > 0 {
		s.Status, s.PeriodEnd = StatusTrialing, tx.at+start.TrialDays*day
		s.TrialStart, s.TrialEnd = s.PeriodStart, s.PeriodEnd
	}
	tx.Subscriptions.put(s)
	invoice := tx.bill(s, ReasonCreate, []Line{tx.cycleLine(s)}, tx.at, tx.at)
	if (payer.debit() || start.AskPayer) && invoice.Due > 0 {
		s.Status, s.AskPayer = StatusIncomplete, start.AskPayer
	}
	tx.emit(EventSubscriptionCreated, tx.EncodeSubscription(s), nil)
	tx.collect(invoice)
	return s, nil
}

// Annotate sets what changes nothing about the money; nil leaves a field alone.
func (tx *Tx) Annotate(s *Subscription, metadata map[string]string, card, comment, feedback *string) {
	tx.changed(s, EventSubscriptionUpdated, func() {
		s.Metadata = merge(s.Metadata, metadata)
		for field, value := range map[*string]*string{&s.Card: card, &s.Why: comment, &s.Feedback: feedback} {
			if value != nil {
				*field = *value
			}
		}
	})
}

// changed emits what a change did to a subscription, if it did anything.
func (tx *Tx) changed(s *Subscription, kind string, change func()) {
	before := tx.EncodeSubscription(s)
	change()
	after := tx.EncodeSubscription(s)
	if previous := changes(before, after); len(previous) > 0 {
		if kind != EventSubscriptionUpdated {
			previous = nil
		}
		tx.emit(kind, after, previous)
	}
}

// EncodeSubscription returns the API object. The period stands on the item.
func (tx *Tx) EncodeSubscription(s *Subscription) Object {
	discounts := []string{}
	if s.Discount != "" {
		discounts = append(discounts, s.Discount)
	}
	items := []Object{tx.encodeItem(s, s.Item, s.Price, s.Quantity)}
	for i, price := range s.Beside {
		items = append(items, tx.encodeItem(s, fmt.Sprint(s.Item, i), price, 1))
	}
	var schedule any
	if s.Next != nil {
		schedule = s.Next.Schedule
	}
	var pause any
	if s.Held {
		pause = Object{"behavior": "keep_as_draft", "resumes_at": nil}
	}
	return Object{
		"id": s.ID, "object": "subscription", "application": nil, "application_fee_percent": nil,
		"automatic_tax":        automaticTax(s.Taxed),
		"billing_cycle_anchor": s.Anchor, "billing_cycle_anchor_config": nil,
		"billing_mode":       Object{"type": "flexible", "flexible": Object{"proration_discounts": "included"}},
		"billing_thresholds": nil, "cancel_at": moment(s.CancelAt), "cancel_at_period_end": s.CancelAtPeriodEnd,
		"canceled_at": moment(s.CanceledAt),
		"cancellation_details": Object{
			"comment": text(s.Why), "feedback": text(s.Feedback), "reason": text(s.Reason),
		},
		"collection_method": collected(s.DaysUntilDue), "created": s.Created, "currency": tx.currency(s),
		"customer": s.Customer, "customer_account": nil, "days_until_due": moment(s.DaysUntilDue), "default_payment_method": text(s.Card),
		"default_source": nil, "default_tax_rates": []any{}, "description": nil, "discounts": discounts,
		"ended_at":         moment(s.EndedAt),
		"invoice_settings": Object{"account_tax_ids": nil, "issuer": Object{"type": "self"}},
		"items":            List("/v1/subscription_items?subscription="+s.ID, false, items),
		"latest_invoice":   text(s.LatestInvoice), "livemode": false, "metadata": tags(s.Metadata),
		"next_pending_invoice_item_invoice": nil, "on_behalf_of": nil, "pause_collection": pause,
		"payment_settings": Object{
			"payment_method_options": nil, "payment_method_types": nil, "save_default_payment_method": "off",
		},
		"pending_invoice_item_interval": nil, "pending_setup_intent": nil, "pending_update": nil, "schedule": schedule,
		"start_date": s.Created, "status": cmp.Or(s.Status, StatusActive), "test_clock": nil, "transfer_data": nil,
		"trial_end": moment(s.TrialEnd), "trial_settings": nil, "trial_start": moment(s.TrialStart),
	}
}

func (tx *Tx) encodeItem(s *Subscription, id, price string, quantity int64) Object {
	return Object{
		"id": id, "object": "subscription_item", "billing_thresholds": nil, "created": s.Created,
		"current_period_start": s.PeriodStart, "current_period_end": s.PeriodEnd, "discounts": []string{},
		"metadata": tags(nil), "price": tx.EncodePrice(tx.Prices.Get(price)), "quantity": quantity,
		"subscription": s.ID, "tax_rates": []any{},
	}
}

// Put has a subscription charge for something else, too, from its next period on.
func (tx *Tx) Put(s *Subscription, price string) error {
	if _, err := tx.sellable(price, "price"); err != nil {
		return err
	}
	tx.changed(s, EventSubscriptionUpdated, func() { s.Beside = append(s.Beside, price) })
	return nil
}
