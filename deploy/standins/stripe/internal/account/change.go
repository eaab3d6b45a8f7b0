package account

import "slices"

// How a change in the middle of a period is billed: proration_behavior.
const (
	ProrateNow   = "always_invoice"
	ProrateLater = "create_prorations"
	ProrateNever = "none"
)

// ChangePlan gives a subscription another price or quantity at once. A strict
// change is refused as a whole when its invoice cannot be paid; any other leaves
// the subscription past due then.
func (tx *Tx) ChangePlan(s *Subscription, to Change, prorate string, strict bool) error {
	if err := tx.changeable(s, to); err != nil {
		return err
	}
	if to.Price == s.Price && to.Quantity == s.Quantity {
		return nil
	}
	var lines []Line
	if prorate != ProrateNever {
		lines = tx.prorations(s, to)
	}
	if strict && prorate == ProrateNow && lines[0].Amount+lines[1].Amount > 0 {
		if decline, ok := tx.outcome(s, tx.payer(s, "")); !ok {
			return declined(decline)
		}
	}
	var invoice *Invoice
	tx.changed(s, EventSubscriptionUpdated, func() {
		s.Price, s.Quantity, s.Next = to.Price, to.Quantity, nil
		s.Periods, s.PeriodEnd = tx.until(s, s.Price, tx.at)
		if prorate == ProrateNow {
			invoice = tx.bill(s, ReasonUpdate, lines, tx.at, tx.at)
		} else {
			s.Pending = append(s.Pending, lines...)
		}
	})
	if invoice != nil {
		tx.collect(invoice)
	}
	return nil
}

// collect asks for the money of a new invoice at once.
func (tx *Tx) collect(i *Invoice) {
	tx.emit(EventInvoiceCreated, tx.EncodeInvoice(i), nil)
	tx.finalize(i)
	tx.settle(i, "", true)
}

// Reset begins a cycle at once: a whole period is paid, less what is left of the present one unless that is not prorated.
func (tx *Tx) Reset(s *Subscription, prorate string) error {
	if s.Next != nil || s.Status != StatusActive {
		return Refuse("", "billing_cycle_anchor", "The stand-in resets the cycle of active subscriptions without a schedule only.")
	}
	var lines []Line
	if prorate != ProrateNever {
		lines = tx.prorations(s, Change{Price: s.Price, Quantity: s.Quantity})[:1]
	}
	var invoice *Invoice
	tx.changed(s, EventSubscriptionUpdated, func() {
		s.Anchor, s.PeriodStart = tx.at, tx.at
		s.Periods, s.PeriodEnd = tx.until(s, s.Price, tx.at)
		invoice = tx.bill(s, ReasonUpdate, append(lines, tx.cycleLines(s)...), tx.at, tx.at)
	})
	tx.collect(invoice)
	return nil
}

// ScheduleChange gives a subscription another price or quantity with its next
// period.
func (tx *Tx) ScheduleChange(s *Subscription, to Change) error {
	if err := tx.changeable(s, to); err != nil {
		return err
	}
	tx.changed(s, EventSubscriptionUpdated, func() {
		to.Schedule = NewID("sub_sched_")
		s.Next = &to
	})
	return nil
}

// The changes that a portal may have wait for the next period.
const (
	LessAmount = "decreasing_item_amount" // less is paid each time
	Shorter    = "shortening_interval"    // it is paid for a shorter time
)

// Waits tells that a change in a portal session waits for the next period: its configuration says so of what the
// change does.
func (tx *Tx) Waits(p *Portal, s *Subscription, to Change) bool {
	later := []string{LessAmount, Shorter} // as the account's default has it
	if c := tx.Configurations.Get(p.Configuration); c != nil {
		later = c.Later
	}
	old, next := tx.Prices.Get(s.Price), tx.Prices.Get(to.Price)
	return slices.Contains(later, LessAmount) && next.Amount*to.Quantity < old.Amount*s.Quantity ||
		slices.Contains(later, Shorter) && next.end(0, 1) < old.end(0, 1)
}

// DueNow is what an upgrade costs at this moment.
func (tx *Tx) DueNow(s *Subscription, to Change) int64 {
	total := int64(0)
	for _, line := range tx.prorations(s, to) {
		total += line.Amount
	}
	if s.Taxed {
		total += tax(total)
	}
	return total
}

func (tx *Tx) changeable(s *Subscription, to Change) error {
	price, err := tx.sellable(to.Price, "items[0][price]")
	if err != nil {
		return err
	}
	old := tx.Prices.Get(s.Price)
	switch {
	case s.Next != nil:
		return Refuse("", "", "The subscription is managed by the subscription schedule `%s`, and cannot be updated directly. Please update the schedule instead.", s.Next.Schedule)
	case s.Status != StatusActive && s.Status != StatusPastDue && s.Status != StatusTrialing:
		return Refuse("", "", "The stand-in changes active and past due subscriptions only; this one is %s.", s.Status)
	case to.Quantity < 1:
		return Refuse("parameter_invalid_integer", "items[0][quantity]", "The quantity must be at least 1.")
	case price.Currency != old.Currency:
		return Refuse("", "items[0][price]", "The stand-in does not change the currency of a subscription.")
	}
	return nil
}

// SetDiscount takes a percentage off the invoices to come; 0 ends that.
func (tx *Tx) SetDiscount(s *Subscription, percent int64) error {
	if percent < 0 || percent > 100 {
		return Refuse("", "percent", "A discount is between 0 and 100 per cent.")
	}
	tx.changed(s, EventSubscriptionUpdated, func() {
		s.PercentOff, s.Discount = percent, ""
		if percent > 0 {
			s.Discount = NewID("di_")
		}
	})
	return nil
}
