package account

// CancelAtPeriodEnd asks for a cancellation with the end of the period, as the
// API does (flag) or as the portal does in flexible billing mode, which sets the
// date alone.
func (tx *Tx) CancelAtPeriodEnd(s *Subscription, flag bool) {
	tx.CancelOn(s, s.PeriodEnd, flag)
}

// CancelOn asks for a cancellation at a moment of its own.
func (tx *Tx) CancelOn(s *Subscription, at int64, flag bool) {
	tx.changed(s, EventSubscriptionUpdated, func() {
		s.CancelAt, s.CancelAtPeriodEnd, s.CanceledAt, s.Next = at, flag, tx.at, nil
		s.Reason = "cancellation_requested"
	})
}

// Keep takes back a cancellation that has not happened yet.
func (tx *Tx) Keep(s *Subscription) {
	tx.changed(s, EventSubscriptionUpdated, func() {
		s.CancelAt, s.CancelAtPeriodEnd, s.CanceledAt = 0, false, 0
		s.Reason, s.Feedback, s.Why = "", "", ""
	})
}

// Cancel ends a subscription now. Its open invoices stay and are not collected.
func (tx *Tx) Cancel(s *Subscription, reason string) {
	tx.changed(s, EventSubscriptionDeleted, func() {
		s.Status, s.EndedAt, s.Reason, s.Next = StatusCanceled, tx.at, reason, nil
		if s.CanceledAt == 0 {
			s.CanceledAt = tx.at
		}
		for _, id := range s.Open {
			invoice := tx.Invoices.Get(id)
			invoice.FinalizeAt, invoice.NextAttempt = 0, 0
		}
	})
}

// Pause stops billing, as after a trial without a card.
func (tx *Tx) Pause(s *Subscription) error {
	if s.Status != StatusActive {
		return Refuse("", "id", "Only an active subscription can be paused; this one is %s.", s.Status)
	}
	tx.changed(s, EventSubscriptionPaused, func() { s.Status = StatusPaused })
	return nil
}

// Hold has the payments of further periods not collected, or collected again.
func (tx *Tx) Hold(s *Subscription, held bool) {
	tx.changed(s, EventSubscriptionUpdated, func() { s.Held = held })
}

// Resume starts billing again. The periods that passed are not billed.
func (tx *Tx) Resume(s *Subscription) error {
	if s.Status != StatusPaused {
		return Refuse("", "id", "Only a paused subscription can be resumed; this one is %s.", s.Status)
	}
	tx.changed(s, EventSubscriptionResumed, func() {
		s.Status = StatusActive
		for s.PeriodEnd <= tx.at {
			tx.nextPeriod(s)
		}
	})
	return nil
}
