package account

// Send has the further invoices of a subscription sent, to be paid within days, instead of charged.
func (tx *Tx) Send(s *Subscription, days int64) {
	tx.changed(s, EventSubscriptionUpdated, func() { s.DaysUntilDue = days })
}

// collected is how an invoice is: collection_method.
func collected(daysUntilDue int64) string {
	if daysUntilDue > 0 {
		return "send_invoice"
	}
	return "charge_automatically"
}
