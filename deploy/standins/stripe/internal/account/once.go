package account

// payOnce pays a checkout in mode=payment. Its invoice comes with the money: at once with a card, and
// after days from a bank account.
func (tx *Tx) payOnce(c *Checkout, card string, off int64) error {
	payer, err := tx.newCard(c.Customer, card)
	if err != nil {
		return err
	}
	c.PercentOff = off
	due := tx.Total(c).Due
	if decline, ok := tx.charge(payer); !ok && due > 0 {
		return declined(decline)
	}
	tx.Cards.put(payer)
	c.Status = CheckoutComplete
	if due == 0 {
		tx.invoiceOnce(c)
		tx.emit(EventCheckoutCompleted, tx.EncodeCheckout(c), nil)
		return nil
	}
	charge := &Charge{
		ID: NewID("ch_"), Customer: c.Customer, Card: payer.ID, Amount: due, Currency: tx.Prices.Get(c.Price).Currency,
		Status: "succeeded", Kind: payer.kind(), Details: payer.details(), Created: tx.at,
	}
	payment := &Payment{
		ID: NewID("pi_"), Link: NewID("inpay_"), Checkout: c.ID, Customer: c.Customer, Card: payer.ID, Amount: due, Currency: charge.Currency,
		Status: "succeeded", LatestCharge: charge.ID, Created: tx.at,
	}
	charge.Payment, c.Payment = payment.ID, payment.ID
	tx.Charges.put(charge)
	tx.Payments.put(payment)
	if payer.debit() {
		payment.Status, payment.SettlesAt, charge.Status = "processing", tx.at+debitDays*day, "pending"
		tx.emit(EventPaymentProcessing, tx.EncodePayment(payment), nil)
		tx.emit(EventCheckoutCompleted, tx.EncodeCheckout(c), nil)
		return nil
	}
	payment.PaidAt = tx.at
	tx.invoiceOnce(c)
	tx.emit(EventCheckoutCompleted, tx.EncodeCheckout(c), nil)
	return nil
}

// arriveOnce ends the payment of a checkout in mode=payment that was on its way.
func (tx *Tx) arriveOnce(p *Payment) {
	c, charge := tx.Checkouts.Get(p.Checkout), tx.Charges.Get(p.LatestCharge)
	if tx.Cards.Get(p.Card).Name != DebitWorks {
		p.lost(charge)
		tx.emit(EventCheckoutFailed, tx.EncodeCheckout(c), nil)
		return
	}
	p.SettlesAt, p.Status, p.PaidAt, charge.Status = 0, "succeeded", tx.at, "succeeded"
	tx.invoiceOnce(c)
	tx.emit(EventCheckoutArrived, tx.EncodeCheckout(c), nil)
}

// invoiceOnce makes the paid invoice of a checkout that asks for one.
func (tx *Tx) invoiceOnce(c *Checkout) {
	if !c.Invoices {
		return
	}
	total, price := tx.Total(c), tx.Prices.Get(c.Price)
	invoice := &Invoice{
		ID: NewID("in_"), Secret: secret(40), Status: InvoiceDraft, Reason: ReasonManual, Currency: price.Currency, Customer: c.Customer,
		Metadata: tags(c.InvoiceMetadata), Taxed: c.Asks.Tax, PercentOff: c.PercentOff, Subtotal: total.Price, Tax: total.Tax, Total: total.Due,
		Lines: []Line{{ID: NewID("il_"), Price: c.Price, Quantity: c.Quantity, Amount: total.Price, Description: tx.PriceName(c.Price), From: tx.at, To: tx.at}},
		From:  tx.at, To: tx.at, Created: tx.at,
	}
	if c.PercentOff > 0 {
		invoice.Discount = NewID("di_")
	}
	tx.Invoices.put(invoice)
	balance := tx.Customers.Get(c.Customer).Balance
	tx.finalize(invoice)
	// The money has come already: the customer's balance takes no part.
	tx.Customers.Get(c.Customer).Balance, invoice.EndingBalance, invoice.Due = balance, balance, total.Due
	invoice.Status, invoice.Paid, invoice.PaidAt, c.Invoice = InvoicePaid, total.Due, tx.at, invoice.ID
	if p := tx.Payments.Get(c.Payment); p != nil {
		p.Invoice, invoice.Payment = invoice.ID, p.ID
	}
	object := tx.EncodeInvoice(invoice)
	tx.emit(EventInvoicePaid, object, nil)
	tx.emit(EventInvoicePaymentOK, object, nil)
}
