package account

import "cmp"

// EncodePayment returns the payment intent.
func (tx *Tx) EncodePayment(p *Payment) Object {
	received := int64(0)
	if p.PaidAt > 0 {
		received = p.Amount
	}
	var action any
	if p.Status == statusAsks {
		action = Object{"type": "use_stripe_sdk", "use_stripe_sdk": Object{"type": "three_d_secure_redirect"}}
	}
	return Object{
		"id": p.ID, "object": "payment_intent", "amount": p.Amount, "amount_capturable": 0,
		"amount_details": Object{"tip": Object{}}, "amount_received": received, "application": nil,
		"application_fee_amount": nil, "automatic_payment_methods": nil, "canceled_at": nil, "cancellation_reason": nil,
		"capture_method": "automatic", "client_secret": p.ID + "_secret_local", "confirmation_method": "automatic",
		"created": p.Created, "currency": p.Currency, "customer": p.Customer, "customer_account": nil,
		"description": "Subscription update", "last_payment_error": nil, "latest_charge": text(p.LatestCharge),
		"livemode": false, "metadata": tags(nil), "next_action": action, "on_behalf_of": nil,
		"payment_method": text(p.Card), "payment_method_configuration_details": nil, "payment_method_options": Object{},
		"payment_method_types": []string{"card", "us_bank_account"}, "processing": nil, "receipt_email": nil, "review": nil,
		"setup_future_usage": "off_session", "shipping": nil, "source": nil, "statement_descriptor": nil,
		"statement_descriptor_suffix": nil, "status": p.Status, "transfer_data": nil, "transfer_group": nil,
	}
}

// EncodeInvoicePayment returns the link between a payment and its invoice.
func (tx *Tx) EncodeInvoicePayment(p *Payment) Object {
	var paid any
	if p.PaidAt > 0 {
		paid = p.Amount
	}
	return Object{
		"id": p.Link, "object": "invoice_payment", "amount_paid": paid, "amount_requested": p.Amount, "created": p.Created,
		"currency": p.Currency, "invoice": p.Invoice, "is_default": true, "livemode": false,
		"payment": Object{"type": "payment_intent", "payment_intent": p.ID}, "status": p.LinkStatus(),
		"status_transitions": Object{"canceled_at": nil, "paid_at": moment(p.PaidAt)},
	}
}

// EncodeCharge returns the API object. At this version it does not name its
// invoice.
func (tx *Tx) EncodeCharge(c *Charge) Object {
	outcome := Object{
		"advice_code": nil, "network_advice_code": nil, "network_decline_code": nil,
		"network_status": "approved_by_network", "reason": nil, "risk_level": "normal", "risk_score": 20,
		"seller_message": "Payment complete.", "type": "authorized",
	}
	object := Object{
		"id": c.ID, "object": "charge", "amount": c.Amount, "amount_captured": c.Amount, "amount_refunded": c.Refunded,
		"application": nil, "application_fee": nil, "application_fee_amount": nil, "balance_transaction": nil,
		"billing_details": tx.billingDetails(c.Customer), "calculated_statement_descriptor": "FLEDGE", "captured": c.Status == "succeeded",
		"created": c.Created, "currency": c.Currency, "customer": c.Customer, "description": "Subscription update",
		"disputed": c.Disputed, "failure_balance_transaction": nil, "failure_code": nil, "failure_message": nil,
		"fraud_details": Object{}, "livemode": false, "metadata": tags(nil), "on_behalf_of": nil, "outcome": outcome,
		"paid": c.Status == "succeeded", "payment_intent": c.Payment, "payment_method": c.Card,
		"payment_method_details": Object{"type": cmp.Or(c.Kind, "card"), cmp.Or(c.Kind, "card"): c.Details}, "radar_options": Object{},
		"receipt_email": nil, "receipt_number": nil, "receipt_url": nil,
		"refunded": !c.Failed && c.Refunded == c.Amount, "review": nil, "shipping": nil, "source_transfer": nil,
		"statement_descriptor": nil, "statement_descriptor_suffix": nil, "status": c.Status, "transfer_data": nil,
		"transfer_group": nil,
	}
	if c.Failed {
		object["amount_captured"] = 0
		object["failure_code"], object["failure_message"] = declineCode(c.Decline), declineText(c.Decline)
		outcome["network_status"], outcome["reason"], outcome["type"] = "declined_by_network", declineCode(c.Decline), "issuer_declined"
		outcome["seller_message"] = "The bank did not return any further details with this decline."
	}
	return object
}
