package account

// Payment is what collects an invoice: Stripe's payment intent
// (https://docs.stripe.com/api/payment_intents) and its link to the invoice
// (https://docs.stripe.com/api/invoice-payment), which is the only way from a
// charge back to its invoice.
type Payment struct {
	ID, Link, Invoice, Customer, Card string
	// Checkout is the one in mode=payment that it pays; "" for an invoice's.
	Checkout                       string
	Amount                         int64
	Currency, Status, LatestCharge string
	Created, PaidAt                int64
	// SettlesAt is when it is known whether the money that is on its way has arrived; 0 for none.
	SettlesAt int64
}

// Charge is one attempt (https://docs.stripe.com/api/charges).
type Charge struct {
	ID, Payment, Customer, Card string
	Amount, Refunded            int64
	Currency, Status            string
	Decline                     string
	Failed                      bool
	Disputed                    bool
	Kind                        string
	Details                     Object
	Created                     int64
}

// statusAsks is a payment's that its payer has to confirm with their bank (3-D Secure).
const statusAsks = "requires_action"

// Key identifies the row.
func (p *Payment) Key() string { return p.ID }

// Key identifies the row.
func (c *Charge) Key() string { return c.ID }

// settle pays an open invoice with a card, empty for the subscription's or the
// customer's, and says what became of it. Scheduled attempts are counted, and set
// the time of the next one; what a person tries in between does not. The money of a bank account
// counts as paid here, and the invoice stays open until it has arrived.
func (tx *Tx) settle(i *Invoice, card string, scheduled bool) (decline string, paid bool) {
	s := tx.Subscriptions.Get(i.Subscription)
	if i.Due > 0 {
		if scheduled && i.DaysUntilDue > 0 {
			return "", true // it is sent, and waits
		}
		if scheduled || i.Attempts == 0 {
			i.Attempts++
		}
		decline, paid = tx.attempt(i, s, tx.payer(s, card))
		if !paid {
			tx.unpaid(i, s, scheduled)
			if decline == declineAsks {
				tx.emit(EventPaymentAsks, tx.EncodeInvoice(i), nil)
			}
			return decline, false
		}
		if p := tx.onItsWay(i); p != nil {
			i.NextAttempt = 0
			tx.emit(EventPaymentProcessing, tx.EncodePayment(p), nil)
			return "", true
		}
	}
	tx.paid(i, s)
	return "", true
}

// paid closes an invoice whose money is there.
func (tx *Tx) paid(i *Invoice, s *Subscription) {
	i.Status, i.Paid, i.PaidAt, i.NextAttempt = InvoicePaid, i.Due, tx.at, 0
	tx.closed(i)
	object := tx.EncodeInvoice(i)
	tx.emit(EventInvoicePaid, object, nil)
	tx.emit(EventInvoicePaymentOK, object, nil)
	if s.LatestInvoice == i.ID && (s.Status == StatusPastDue || s.Status == StatusUnpaid || s.Status == StatusIncomplete) {
		tx.changed(s, EventSubscriptionUpdated, func() { s.Status = StatusActive })
	}
}

// onItsWay is the payment of an invoice whose money has not arrived yet; nil without one.
func (tx *Tx) onItsWay(i *Invoice) *Payment {
	if p := tx.Payments.Get(i.Payment); p != nil && p.SettlesAt > 0 {
		return p
	}
	return nil
}

// arrive ends a payment that was on its way. If it was the first and there was no money, the
// subscription never begins.
func (tx *Tx) arrive(p *Payment) {
	i := tx.Invoices.Get(p.Invoice)
	s, charge := tx.Subscriptions.Get(i.Subscription), tx.Charges.Get(p.LatestCharge)
	p.SettlesAt = 0
	if tx.Cards.Get(p.Card).Name == DebitWorks {
		p.Status, p.PaidAt, charge.Status = "succeeded", tx.at, "succeeded"
		tx.paid(i, s)
		tx.tellCheckout(i, EventCheckoutArrived)
		return
	}
	p.lost(charge)
	if s.Status != StatusIncomplete {
		tx.unpaid(i, s, true)
		return
	}
	tx.emit(EventInvoicePaymentFailed, tx.EncodeInvoice(i), nil)
	tx.expire(s)
	tx.tellCheckout(i, EventCheckoutFailed)
}

// lost ends a payment whose money did not come.
func (p *Payment) lost(charge *Charge) {
	p.SettlesAt, p.Status = 0, "requires_payment_method"
	charge.Status, charge.Failed, charge.Decline = "failed", true, declineGeneric
}

// StallPayment has a payment that is on its way fail, and nothing follow of it yet.
func (tx *Tx) StallPayment(i *Invoice) error {
	p := tx.onItsWay(i)
	if p == nil {
		return Refuse("", "id", "Nothing is on its way for this invoice.")
	}
	p.lost(tx.Charges.Get(p.LatestCharge))
	tx.emit(EventInvoicePaymentFailed, tx.EncodeInvoice(i), nil)
	return nil
}

// tellCheckout emits an event about the checkout that an invoice came of, if any.
func (tx *Tx) tellCheckout(i *Invoice, kind string) {
	for _, c := range tx.Checkouts.All(func(c *Checkout) bool { return c.Invoice == i.ID }) {
		tx.emit(kind, tx.EncodeCheckout(c), nil)
	}
}

// Confirm is what a payer does whom the bank has asked: the payment is made.
func (tx *Tx) Confirm(i *Invoice) error {
	if p := tx.Payments.Get(i.Payment); i.Status != InvoiceOpen || p == nil || p.Status != statusAsks {
		return Refuse("", "id", "No payment of this invoice waits for its payer.")
	}
	return tx.Pay(i, "")
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
	if s.AskPayer && card != nil {
		s.AskPayer = false
		return declineAsks, false
	}
	return tx.charge(card)
}

func (tx *Tx) attempt(i *Invoice, s *Subscription, card *Card) (decline string, ok bool) {
	payment := tx.Payments.Get(i.Payment)
	if payment == nil {
		payment = &Payment{
			ID: NewID("pi_"), Link: NewID("inpay_"), Invoice: i.ID, Customer: i.Customer,
			Currency: i.Currency, Status: "requires_payment_method", Created: tx.at,
		}
		i.Payment = payment.ID
		tx.Payments.put(payment)
	}
	payment.Amount = i.Due - i.Paid
	decline, ok = tx.outcome(s, card)
	if card == nil {
		return decline, false
	}
	if decline == declineAsks { // nothing is charged before the payer has confirmed it
		payment.Card, payment.Status = card.ID, statusAsks
		return decline, false
	}
	charge := &Charge{
		ID: NewID("ch_"), Payment: payment.ID, Customer: i.Customer, Card: card.ID, Amount: i.Due - i.Paid, Currency: i.Currency,
		Status: "succeeded", Kind: card.kind(), Details: card.details(), Created: tx.at, Decline: decline, Failed: !ok,
	}
	payment.Card, payment.LatestCharge = card.ID, charge.ID
	switch {
	case ok && card.debit():
		payment.Status, payment.SettlesAt, charge.Status = "processing", tx.at+debitDays*day, "pending"
	case ok:
		payment.Status, payment.PaidAt = "succeeded", tx.at
	default:
		payment.Status, charge.Status = "requires_payment_method", "failed"
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
	for _, p := range tx.Payments.All(func(p *Payment) bool { return p.Invoice == invoice && invoice != "" }) {
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
