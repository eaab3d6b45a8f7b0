package account

// Warning is a card's issuer that suspects a charge
// (https://docs.stripe.com/api/radar/early_fraud_warnings).
type Warning struct {
	ID, Charge string
	// Settled says that the charge was wholly refunded, or is disputed.
	Settled bool
	Created int64
}

// Key identifies the row.
func (w *Warning) Key() string { return w.ID }

// Warn has the issuer of its card suspect a charge.
func (tx *Tx) Warn(c *Charge) (*Warning, error) {
	if c.Failed || c.Disputed {
		return nil, Refuse("", "charge", "Charge %s has failed, or is disputed.", c.ID)
	}
	w := &Warning{ID: NewID("issfr_"), Charge: c.ID, Settled: c.Refunded == c.Amount, Created: tx.at}
	tx.Warnings.put(w)
	tx.emit(EventWarned, tx.EncodeWarning(w), nil)
	return w, nil
}

// calmDown makes the warnings of a charge that was wholly refunded, or is disputed, ones that nobody has to act upon.
func (tx *Tx) calmDown(c *Charge) {
	for _, w := range tx.Warnings.All(func(w *Warning) bool { return w.Charge == c.ID && !w.Settled && (c.Disputed || c.Refunded == c.Amount) }) {
		w.Settled = true
		tx.emit(EventWarningUpdated, tx.EncodeWarning(w), Object{"actionable": true})
	}
}

// Warning finds a warning.
func (tx *Tx) Warning(id string) (*Warning, error) {
	if w := tx.Warnings.Get(id); w != nil {
		return w, nil
	}
	return nil, missing("early_fraud_warning", id, "id")
}

// EncodeWarning returns the API object.
func (tx *Tx) EncodeWarning(w *Warning) Object {
	return Object{
		"id": w.ID, "object": "radar.early_fraud_warning", "actionable": !w.Settled, "charge": w.Charge, "created": w.Created,
		"fraud_type": "unauthorized_use_of_card", "livemode": false, "payment_intent": tx.Charges.Get(w.Charge).Payment,
	}
}
