package account

// hour is how long Stripe leaves the invoice of a renewal as a draft.
const hour = 60 * 60

// retryAfter is how many seconds pass before each further attempt to collect an
// invoice. After the last the subscription ends.
var retryAfter = []int64{3 * 24 * hour, 5 * 24 * hour, 7 * 24 * hour}

// catchUp does what has fallen due until now, in order of time and each at its
// own moment.
func (tx *Tx) catchUp(until int64) {
	for {
		var next *Subscription
		at := until + 1
		for _, s := range tx.Subscriptions.rows {
			if due := tx.due(s); due > 0 && due < at {
				next, at = s, due
			}
		}
		var arrives *Payment
		for _, p := range tx.Payments.rows {
			if p.Checkout != "" && p.SettlesAt > 0 && p.SettlesAt < at {
				arrives, at = p, p.SettlesAt
			}
		}
		if next == nil && arrives == nil {
			break
		}
		tx.at = at
		if arrives != nil {
			tx.arriveOnce(arrives)
		} else {
			tx.act(next)
		}
	}
	tx.at = until
	for _, checkout := range tx.Checkouts.rows {
		if checkout.Status == CheckoutOpen && checkout.ExpiresAt <= until {
			checkout.Status = CheckoutExpired
		}
	}
}

// due is when the next thing happens to a subscription; 0 for never.
func (tx *Tx) due(s *Subscription) int64 {
	if s.Status == StatusIncomplete && tx.arrival(s) == 0 {
		return s.Created + firstDay
	}
	if s.Ended() || s.Status == StatusPaused || s.Status == StatusIncomplete {
		return tx.arrival(s)
	}
	at := s.PeriodEnd
	if arrives := tx.arrival(s); arrives > 0 {
		at = min(at, arrives)
	}
	if s.CancelAt > 0 {
		at = min(at, s.CancelAt)
	}
	for _, id := range s.Open {
		invoice := tx.Invoices.Get(id)
		for _, due := range []int64{invoice.FinalizeAt, invoice.NextAttempt} {
			if due > 0 {
				at = min(at, due)
			}
		}
	}
	return at
}

// arrival is when it is known what becomes of the first payment that is on its way; 0 without one.
func (tx *Tx) arrival(s *Subscription) (at int64) {
	for _, id := range s.Open {
		if p := tx.onItsWay(tx.Invoices.Get(id)); p != nil && (at == 0 || p.SettlesAt < at) {
			at = p.SettlesAt
		}
	}
	return at
}

// firstDay is how long a subscription waits for its first payment.
const firstDay = 23 * hour

// expire ends one that was never paid, and its invoice.
func (tx *Tx) expire(s *Subscription) {
	tx.changed(s, EventSubscriptionUpdated, func() { s.Status, s.EndedAt = StatusExpired, tx.at })
	_ = tx.Void(tx.Invoices.Get(s.LatestInvoice)) // or somebody has given it up
}

func (tx *Tx) act(s *Subscription) {
	for _, id := range s.Open {
		if p := tx.onItsWay(tx.Invoices.Get(id)); p != nil && p.SettlesAt <= tx.at {
			tx.arrive(p)
			return
		}
	}
	if s.Status == StatusIncomplete {
		tx.expire(s)
		return
	}
	if s.CancelAt > 0 && s.CancelAt <= tx.at {
		tx.Cancel(s, "cancellation_requested")
		return
	}
	for _, id := range s.Open {
		invoice := tx.Invoices.Get(id)
		switch {
		case invoice.FinalizeAt > 0 && invoice.FinalizeAt <= tx.at:
			tx.finalize(invoice)
			tx.settle(invoice, "", true)
			return
		case invoice.NextAttempt > 0 && invoice.NextAttempt <= tx.at:
			tx.settle(invoice, "", true)
			return
		}
	}
	tx.renew(s)
}

// renew begins the next period. Its invoice stays a draft for an hour; one of an
// unpaid subscription, or of one whose payments are not collected, stays a draft for good.
func (tx *Tx) renew(s *Subscription) {
	from, to := s.PeriodStart, s.PeriodEnd
	var invoice *Invoice
	tx.changed(s, EventSubscriptionUpdated, func() {
		if s.Status == StatusTrialing { // periods are counted from the end of the trial
			s.Status, s.Anchor = StatusActive, s.PeriodEnd
		}
		if s.Next != nil {
			s.Price, s.Quantity, s.Next = s.Next.Price, s.Next.Quantity, nil
		}
		tx.nextPeriod(s)
		invoice = tx.bill(s, ReasonCycle, tx.cycleLines(s), from, to)
	})
	if s.Status != StatusUnpaid && !s.Held {
		invoice.FinalizeAt = tx.at + hour
	}
	tx.emit(EventInvoiceCreated, tx.EncodeInvoice(invoice), nil)
}

func (tx *Tx) nextPeriod(s *Subscription) {
	s.PeriodStart = s.PeriodEnd
	s.Periods, s.PeriodEnd = tx.until(s, s.Price, s.PeriodStart)
}

// unpaid follows up on a failed attempt: try again later, or give up.
func (tx *Tx) unpaid(i *Invoice, s *Subscription, scheduled bool) {
	exhausted := false
	if scheduled {
		i.NextAttempt = 0
		if exhausted = i.Attempts > len(retryAfter); !exhausted {
			i.NextAttempt = tx.at + retryAfter[i.Attempts-1]
		}
	}
	tx.emit(EventInvoicePaymentFailed, tx.EncodeInvoice(i), nil)
	switch {
	case exhausted && tx.account.opts.EndUnpaid:
		tx.changed(s, EventSubscriptionUpdated, func() { s.Status = StatusUnpaid })
	case exhausted:
		tx.Cancel(s, "payment_failed")
	case s.Status == StatusActive:
		tx.changed(s, EventSubscriptionUpdated, func() { s.Status = StatusPastDue })
	}
}
