package account

// PayPart pays a part of an open invoice by a payment of its own, as a customer does who transfers the money in pieces. The
// last part pays the invoice.
func (tx *Tx) PayPart(i *Invoice, amount int64) (*Charge, error) {
	left := i.Due - i.Paid
	switch {
	case i.Status != InvoiceOpen:
		return nil, Refuse("", "", "Invoice is not open")
	case amount <= 0 || amount > left:
		return nil, Refuse("", "amount", "Amount must be between 1 and the amount remaining (%d).", left)
	}
	card := tx.payer(tx.Subscriptions.Get(i.Subscription), "")
	p := &Payment{
		ID: NewID("pi_"), Link: NewID("inpay_"), Invoice: i.ID, Customer: i.Customer, Amount: amount, Currency: i.Currency,
		Status: "succeeded", Card: card.ID, Created: tx.at, PaidAt: tx.at,
	}
	c := &Charge{
		ID: NewID("ch_"), Payment: p.ID, Customer: i.Customer, Card: card.ID, Amount: amount, Currency: i.Currency,
		Status: "succeeded", Kind: card.kind(), Details: card.details(), Created: tx.at,
	}
	p.LatestCharge = c.ID
	tx.Payments.put(p)
	tx.Charges.put(c)
	tx.lessen(i, func() { i.Paid += amount })
	return c, nil
}
