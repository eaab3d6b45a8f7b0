package account

import "slices"

// scheduled finds the subscription whose change of plan a schedule holds; nil when there is none.
func (tx *Tx) scheduled(id string) *Subscription {
	found := tx.Subscriptions.All(func(s *Subscription) bool { return s.Next != nil && s.Next.Schedule == id })
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// ReleaseSchedule drops the change of plan that waits for the end of a period, and returns the
// schedule as the API shows it (https://docs.stripe.com/api/subscription_schedules).
func (tx *Tx) ReleaseSchedule(id string) (Object, error) {
	s := tx.scheduled(id)
	switch {
	case s == nil && slices.Contains(tx.Released, id):
		return nil, Refuse("", "", "You cannot release a subscription schedule that is currently in the `released` status. It must be in the `not_started` or `active` status.")
	case s == nil:
		return nil, missing("subscription_schedule", id, "id")
	}
	released := tx.EncodeSchedule(s)
	tx.changed(s, EventSubscriptionUpdated, func() { s.Next = nil })
	tx.Released = append(tx.Released, id)
	for field, value := range map[string]any{
		"status": "released", "subscription": nil, "released_subscription": s.ID, "released_at": tx.at, "current_phase": nil,
	} {
		released[field] = value
	}
	return released, nil
}

// EncodeSchedule returns the API object of a change that waits: what is now, and what comes
// after it.
func (tx *Tx) EncodeSchedule(s *Subscription) Object {
	later := tx.Prices.Get(s.Next.Price).end(s.PeriodEnd, 1)
	return Object{
		"id": s.Next.Schedule, "object": "subscription_schedule", "application": nil, "billing_mode": Object{"type": "flexible", "flexible": Object{"proration_discounts": "included"}},
		"canceled_at": nil, "completed_at": nil, "created": s.Created, "current_phase": Object{"start_date": s.PeriodStart, "end_date": s.PeriodEnd},
		"customer": s.Customer, "customer_account": nil,
		"default_settings": Object{
			"application_fee_percent": nil, "automatic_tax": Object{"disabled_reason": nil, "enabled": false, "liability": nil},
			"billing_cycle_anchor": "automatic", "billing_thresholds": nil, "collection_method": "charge_automatically",
			"default_payment_method": nil, "description": nil,
			"invoice_settings": Object{"account_tax_ids": nil, "days_until_due": nil, "issuer": Object{"type": "self"}},
			"on_behalf_of":     nil, "transfer_data": nil,
		},
		"end_behavior": "release", "livemode": false, "metadata": tags(nil),
		"phases": []Object{
			tx.phase(s.Price, s.Quantity, s.PeriodStart, s.PeriodEnd), tx.phase(s.Next.Price, s.Next.Quantity, s.PeriodEnd, later),
		},
		"released_at": nil, "released_subscription": nil, "status": "active", "subscription": s.ID, "test_clock": nil,
	}
}

func (tx *Tx) phase(price string, quantity, from, to int64) Object {
	return Object{
		"add_invoice_items": []any{}, "application_fee_percent": nil, "billing_cycle_anchor": nil, "billing_thresholds": nil,
		"collection_method": nil, "currency": tx.Prices.Get(price).Currency, "default_payment_method": nil, "default_tax_rates": []any{},
		"description": nil, "discounts": []any{}, "end_date": to, "invoice_settings": nil,
		"items": []Object{{
			"billing_thresholds": nil, "discounts": []any{}, "metadata": tags(nil), "price": price, "quantity": quantity, "tax_rates": []any{},
		}},
		"metadata": tags(nil), "on_behalf_of": nil, "proration_behavior": "none", "start_date": from, "transfer_data": nil, "trial_end": nil,
	}
}
