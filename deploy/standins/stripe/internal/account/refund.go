package account

import "slices"

// Refund gives the money of a charge back (https://docs.stripe.com/api/refunds).
type Refund struct {
	ID, Charge, Reason string
	Amount             int64
	Metadata           map[string]string
	Created            int64
	// Pending says that the money is still on its way, Failed that it came back.
	Pending, Failed bool
}

// Dispute is a bank that takes a charge back
// (https://docs.stripe.com/api/disputes).
type Dispute struct {
	ID, Charge, Status string
	Amount             int64
	Created            int64
}

// Key identifies the row.
func (r *Refund) Key() string { return r.ID }

// Key identifies the row.
func (d *Dispute) Key() string { return d.ID }

// Refund gives back an amount, or with 0 all that is left.
func (tx *Tx) Refund(c *Charge, amount int64, reason string, metadata map[string]string) (*Refund, error) {
	left := c.Amount - c.Refunded
	switch {
	case c.Failed:
		return nil, Refuse("charge_not_refundable", "charge", "Charge %s has failed and cannot be refunded.", c.ID)
	case c.Disputed:
		return nil, Refuse("charge_disputed", "charge", "Charge %s has been charged back; cannot issue a refund.", c.ID)
	case left == 0:
		return nil, Refuse("charge_already_refunded", "", "Charge %s has already been refunded.", c.ID)
	case amount < 0 || amount > left:
		return nil, Refuse("amount_too_large", "amount", "Refund amount (%d) is greater than unrefunded amount on charge (%d).", amount, left)
	case reason != "" && !slices.Contains([]string{"duplicate", "fraudulent", "requested_by_customer"}, reason):
		return nil, Refuse("", "reason", "Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer")
	}
	if amount == 0 {
		amount = left
	}
	refund := &Refund{ID: NewID("re_"), Charge: c.ID, Amount: amount, Reason: reason, Metadata: tags(metadata), Created: tx.at}
	tx.Refunds.put(refund)
	before := tx.EncodeCharge(c)
	c.Refunded += amount
	after := tx.EncodeCharge(c)
	tx.emit(EventChargeRefunded, after, changes(before, after))
	tx.calmDown(c)
	return refund, nil
}

// FinishRefund brings the money of a pending refund to the customer.
func (tx *Tx) FinishRefund(r *Refund) {
	before := tx.EncodeRefund(r)
	r.Pending = false
	after := tx.EncodeRefund(r)
	tx.emit(EventRefundUpdated, after, changes(before, after))
}

// FailRefund has the bank send the money of a refund back, also of one that had
// succeeded. The charge can be refunded again.
func (tx *Tx) FailRefund(r *Refund) error {
	if r.Failed {
		return Refuse("", "id", "This refund has already failed.")
	}
	before := tx.EncodeRefund(r)
	r.Pending, r.Failed = false, true
	tx.Charges.Get(r.Charge).Refunded -= r.Amount
	after := tx.EncodeRefund(r)
	tx.emit(EventRefundUpdated, after, changes(before, after))
	tx.emit(EventRefundFailed, after, nil)
	return nil
}

// OpenDispute has the cardholder's bank take a charge back.
func (tx *Tx) OpenDispute(c *Charge) (*Dispute, error) {
	if c.Failed || c.Disputed {
		return nil, Refuse("", "charge", "Charge %s cannot be disputed: it has failed, or is disputed already.", c.ID)
	}
	dispute := &Dispute{ID: NewID("du_"), Charge: c.ID, Status: "needs_response", Amount: c.Amount - c.Refunded, Created: tx.at}
	c.Disputed = true
	tx.Disputes.put(dispute)
	tx.emit(EventDisputeCreated, tx.EncodeDispute(dispute), nil)
	tx.calmDown(c)
	return dispute, nil
}

// CloseDispute ends a dispute, won or lost, or turns round one that had ended the other way.
func (tx *Tx) CloseDispute(d *Dispute, won bool) error {
	before, after := d.Status, "lost"
	if won {
		after = "won"
	}
	if before == after {
		return Refuse("", "id", "This dispute is already closed.")
	}
	d.Status = after
	tx.emit(EventDisputeClosed, tx.EncodeDispute(d), Object{"status": before})
	return nil
}

// RefundByID finds a refund.
func (tx *Tx) RefundByID(id string) (*Refund, error) {
	if refund := tx.Refunds.Get(id); refund != nil {
		return refund, nil
	}
	return nil, missing("refund", id, "id")
}

// Dispute finds a dispute.
func (tx *Tx) Dispute(id string) (*Dispute, error) {
	if dispute := tx.Disputes.Get(id); dispute != nil {
		return dispute, nil
	}
	return nil, missing("dispute", id, "id")
}

// EncodeRefund returns the API object.
func (tx *Tx) EncodeRefund(r *Refund) Object {
	charge := tx.Charges.Get(r.Charge)
	status := "succeeded"
	switch {
	case r.Pending:
		status = "pending"
	case r.Failed:
		status = "failed"
	}
	object := Object{
		"id": r.ID, "object": "refund", "amount": r.Amount, "balance_transaction": nil, "charge": r.Charge,
		"created": r.Created, "currency": charge.Currency,
		"destination_details": Object{"type": "card", "card": Object{"type": "refund", "reference_status": "pending", "reference_type": "acquirer_reference_number"}},
		"metadata":            tags(r.Metadata), "payment_intent": charge.Payment, "reason": text(r.Reason), "receipt_number": nil,
		"source_transfer_reversal": nil, "status": status, "transfer_reversal": nil,
	}
	if r.Failed {
		object["failure_reason"] = "expired_or_canceled_card"
	}
	return object
}

// EncodeDispute returns the API object.
func (tx *Tx) EncodeDispute(d *Dispute) Object {
	charge := tx.Charges.Get(d.Charge)
	return Object{
		"id": d.ID, "object": "dispute", "amount": d.Amount, "balance_transactions": []any{}, "charge": d.Charge,
		"created": d.Created, "currency": charge.Currency, "enhanced_eligibility_types": []string{}, "evidence": evidence(),
		"evidence_details": Object{
			"due_by": d.Created + 7*24*60*60, "enhanced_eligibility": Object{}, "has_evidence": false, "past_due": false,
			"submission_count": 0,
		},
		"is_charge_refundable": false, "livemode": false, "metadata": tags(nil), "payment_intent": charge.Payment,
		"reason": "fraudulent", "status": d.Status,
	}
}

func evidence() Object {
	none := Object{"enhanced_evidence": Object{}}
	for _, field := range []string{
		"access_activity_log", "billing_address", "cancellation_policy", "cancellation_policy_disclosure",
		"cancellation_rebuttal", "customer_communication", "customer_email_address", "customer_name",
		"customer_purchase_ip", "customer_signature", "duplicate_charge_documentation", "duplicate_charge_explanation",
		"duplicate_charge_id", "product_description", "receipt", "refund_policy", "refund_policy_disclosure",
		"refund_refusal_explanation", "service_date", "service_documentation", "shipping_address", "shipping_carrier",
		"shipping_date", "shipping_documentation", "shipping_tracking_number", "uncategorized_file", "uncategorized_text",
	} {
		none[field] = nil
	}
	return none
}
