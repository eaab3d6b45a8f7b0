package account

// Payment is what collects an invoice: Stripe's payment intent
// (https://docs.stripe.com/api/payment_intents) and its link to the invoice
// (https://docs.stripe.com/api/invoice-payment), which is the only way from a
// charge back to its invoice.
type Payment struct {
	ID, Link, Invoice, Customer, Card string
	Amount                            int64
	Currency, Status, LatestCharge    string
	Created, PaidAt                   int64
}

// Charge is one attempt (https://docs.stripe.com/api/charges).
type Charge struct {
	ID, Payment, Customer, Card string
	Amount, Refunded            int64
	Currency, Status            string
	Decline                     string
	Failed                      bool
	Disputed                    bool
	Details                     Object
	Created                     int64
}

// Key identifies the row.
func (p *Payment) Key() string { return p.ID }

// Key identifies the row.
func (c *Charge) Key() string { return c.ID }

// settle pays an open invoice with a card, empty for the subscription's or the
// customer's, and says what became of it. Scheduled attempts are counted, and set
// the time of the next one; what a person tries in between does not.
func (tx *Tx) settle(i *Invoice, card string, scheduled bool) (decline string, paid bool) {
	s := tx.Subscriptions.Get(i.Subscription)
	if i.Due > 0 {
		if scheduled || i.Attempts == 0 {
			i.Attempts++
		}
		decline, paid = tx.attempt(i, s, tx.payer(s, card))
		if !paid {
			tx.unpaid(i, s, scheduled)
			return decline, false
		}
	}
	i.Status, i.Paid, i.PaidAt, i.NextAttempt = InvoicePaid, i.Due, tx.at, 0
	tx.closed(i)
	object := tx.EncodeInvoice(i)
	tx.emit(EventInvoicePaid, object, nil)
	tx.emit(EventInvoicePaymentOK, object, nil)
	if s.LatestInvoice == i.ID && (s.Status == StatusPastDue || s.Status == StatusUnpaid) {
		tx.changed(s, EventSubscriptionUpdated, func() { s.Status = StatusActive })
	}
	return "", true
}

// Pay tries an unpaid invoice now; a draft is finalized first.
func (tx *Tx) Pay(i *Invoice, card string) error {
	switch i.Status {
	case InvoicePaid:
		return Refuse("invoice_already_paid", "", "Invoice is already paid")
	case InvoiceVoid:
		return Refuse("", "", "Invoice is not open")
	case InvoiceDraft:
		tx.finalize(i)
	}
	if decline, paid := tx.settle(i, card, false); !paid {
		return declined(decline)
	}
	return nil
}

func (tx *Tx) payer(s *Subscription, card string) *Card {
	for _, id := range []string{card, s.Card, tx.Customers.Get(s.Customer).Card} {
		if id != "" {
			return tx.Cards.Get(id)
		}
	}
	return nil
}

// outcome is what an attempt brings. It uses up one of the failures that were asked
// for.
func (tx *Tx) outcome(s *Subscription, card *Card) (decline string, ok bool) {
	if s.FailPayments != 0 {
		if s.FailPayments > 0 {
			s.FailPayments--
		}
		return declineGeneric, false
	}
	return tx.charge(card)
}

func (tx *Tx) attempt(i *Invoice, s *Subscription, card *Card) (decline string, ok bool) {
	payment := tx.Payments.Get(i.Payment)
	if payment == nil {
		payment = &Payment{
			ID: NewID("pi_"), Link: NewID("inpay_"), Invoice: i.ID, Customer: i.Customer, Amount: i.Due,
			Currency: i.Currency, Status: "requires_payment_method", Created: tx.at,
		}
		i.Payment = payment.ID
		tx.Payments.put(payment)
	}
	decline, ok = tx.outcome(s, card)
	if card == nil {
		return decline, false
	}
	charge := &Charge{
		ID: NewID("ch_"), Payment: payment.ID, Customer: i.Customer, Card: card.ID, Amount: i.Due, Currency: i.Currency,
		Status: "succeeded", Details: card.details(), Created: tx.at, Decline: decline, Failed: !ok,
	}
	payment.Card, payment.LatestCharge = card.ID, charge.ID
	if ok {
		payment.Status, payment.PaidAt = "succeeded", tx.at
	} else {
		charge.Status = "failed"
	}
	tx.Charges.put(charge)
	return decline, ok
}

// Charge finds a charge for a parameter, "id" for the one in the path.
func (tx *Tx) Charge(id, param string) (*Charge, error) {
	if charge := tx.Charges.Get(id); charge != nil {
		return charge, nil
	}
	return nil, missing("charge", id, param)
}

// Payment finds a payment intent for a parameter, "id" for the one in the path.
func (tx *Tx) Payment(id, param string) (*Payment, error) {
	if payment := tx.Payments.Get(id); payment != nil {
		return payment, nil
	}
	return nil, missing("payment_intent", id, param)
}

// InvoicePayments returns the payments of an invoice.
func (tx *Tx) InvoicePayments(invoice string) []Object {
	out := []Object{}
	for _, p := range tx.Payments.All(func(p *Payment) bool { return p.Invoice == invoice }) {
		out = append(out, tx.EncodeInvoicePayment(p))
	}
	return out
}

// LinkStatus is the status of the link to the invoice: "open" or "paid".
func (p *Payment) LinkStatus() string {
	if p.PaidAt > 0 {
		return "paid"
	}
	return "open"
}
