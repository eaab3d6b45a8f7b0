package account

import (
	"fmt"
	"slices"
)

// Why an invoice was made: billing_reason.
const (
	ReasonCreate = "subscription_create"
	ReasonCycle  = "subscription_cycle"
	ReasonUpdate = "subscription_update"
	ReasonManual = "manual" // none of a subscription's
)

// How far an invoice has come.
const (
	InvoiceDraft = "draft"
	InvoiceOpen  = "open"
	InvoicePaid  = "paid"
	InvoiceVoid  = "void"
	// InvoiceUncollectible is one that nobody expects to be paid any more.
	InvoiceUncollectible = "uncollectible"
)

// Invoice asks for money (https://docs.stripe.com/api/invoices).
type Invoice struct {
	ID, Number, Secret, Status, Reason, Currency string
	Customer, Subscription, Item                 string
	// SubscriptionMetadata is the subscription's when the invoice was made.
	SubscriptionMetadata map[string]string
	Metadata             map[string]string
	Lines                []Line
	Subtotal, Total      int64
	Tax                  int64 // in Total
	Taxed                bool
	PercentOff           int64
	Discount             string
	// StartingBalance and EndingBalance are the customer's around it.
	StartingBalance, EndingBalance int64
	Due, Paid                      int64
	// Credited is what credit notes have taken off what was due.
	Credited int64
	Attempts int
	// From and To are the period that has passed, not the one that is paid for:
	// that one stands on the lines.
	From, To                                 int64
	Created, FinalizeAt, FinalizedAt, PaidAt int64
	// DaysUntilDue is its subscription's, DueAt when it is to be paid at the latest; 0 for one that is charged.
	DaysUntilDue, DueAt int64
	// NextAttempt is when an unpaid invoice is tried again; 0 for never.
	NextAttempt int64
	// Payment is made with the first attempt.
	Payment string
	// VoidedAt is when it became void.
	VoidedAt, UncollectibleAt int64
	// Email and Name are the customer's when the invoice was finalized: they stay on it,
	// whatever becomes of the customer.
	Email, Name string
}

// Key identifies the row.
func (i *Invoice) Key() string { return i.ID }

// Invoice finds an invoice for a parameter, "id" for the one in the path.
func (tx *Tx) Invoice(id, param string) (*Invoice, error) {
	if invoice := tx.Invoices.Get(id); invoice != nil {
		return invoice, nil
	}
	return nil, missing("invoice", id, param)
}

// InvoiceBySecret finds the invoice of a hosted page; nil when there is none.
func (tx *Tx) InvoiceBySecret(secret string) *Invoice {
	i := slices.IndexFunc(tx.Invoices.rows, func(i *Invoice) bool { return i.Secret == secret })
	if i < 0 {
		return nil
	}
	return tx.Invoices.rows[i]
}

// bill makes a draft over lines and over what waited for the next invoice. It
// becomes the subscription's latest.
func (tx *Tx) bill(s *Subscription, reason string, lines []Line, from, to int64) *Invoice {
	lines = append(s.Pending, lines...)
	s.Pending = nil
	invoice := &Invoice{
		ID: NewID("in_"), Secret: secret(40), Status: InvoiceDraft, Reason: reason, Currency: tx.currency(s),
		Customer: s.Customer, Subscription: s.ID, Item: s.Item, SubscriptionMetadata: tags(s.Metadata),
		Lines: lines, Taxed: s.Taxed, PercentOff: s.PercentOff, Discount: s.Discount, DaysUntilDue: s.DaysUntilDue, From: from, To: to, Created: tx.at,
	}
	off := int64(0)
	for _, line := range lines {
		invoice.Subtotal += line.Amount
		if !line.Proration {
			off += portion(line.Amount, s.PercentOff, 100)
		}
	}
	invoice.Total = invoice.Subtotal - off
	if s.Taxed {
		invoice.Tax = tax(invoice.Total)
		invoice.Total += invoice.Tax
	}
	invoice.Due = max(invoice.Total, 0)
	tx.Invoices.put(invoice)
	s.LatestInvoice = invoice.ID
	s.Open = append(s.Open, invoice.ID)
	return invoice
}

// finalize fixes what is due. The customer's balance takes part: what a downgrade
// gave back pays for what comes next.
func (tx *Tx) finalize(i *Invoice) {
	tx.Numbers++
	i.Number = fmt.Sprintf("FLEDGE-%04d", tx.Numbers)
	i.Status, i.FinalizedAt, i.FinalizeAt = InvoiceOpen, tx.at, 0
	if i.DaysUntilDue > 0 {
		i.DueAt = tx.at + i.DaysUntilDue*day
	}
	customer := tx.Customers.Get(i.Customer)
	i.Email, i.Name, i.StartingBalance = customer.Email, customer.Name, customer.Balance
	switch {
	case i.Total < 0:
		customer.Balance += i.Total
		i.Due = 0
	case customer.Balance < 0:
		used := min(i.Total, -customer.Balance)
		customer.Balance += used
		i.Due = i.Total - used
	default:
		i.Due = i.Total
	}
	i.EndingBalance = customer.Balance
}

// SetAutoAdvance says whether a draft is finalized and collected by itself.
func (tx *Tx) SetAutoAdvance(i *Invoice, advance bool) error {
	switch {
	case i.Status != InvoiceDraft && i.Status != InvoiceOpen:
		return Refuse("invoice_not_editable", "", "This invoice is no longer editable")
	case !advance:
		i.FinalizeAt, i.NextAttempt = 0, 0
	case i.Status == InvoiceDraft && i.FinalizeAt == 0:
		i.FinalizeAt = tx.at + hour
	}
	return nil
}

// Payable tells that it is finalized and neither paid nor void.
func (i *Invoice) Payable() bool { return i.Status == InvoiceOpen || i.Status == InvoiceUncollectible }

// Void makes an unpaid invoice one that nobody owes, unless a part of it was paid.
func (tx *Tx) Void(i *Invoice) error {
	if !i.Payable() {
		return Refuse("", "", "You can only pass in open invoices. This invoice isn't open.")
	}
	if tx.onItsWay(i) != nil {
		return Refuse("", "", "This invoice has a payment that is processing, and cannot be voided.")
	}
	if i.Paid > 0 {
		return Refuse("", "", "You cannot void an invoice that has payments.")
	}
	i.Status, i.VoidedAt, i.NextAttempt = InvoiceVoid, tx.at, 0
	tx.closed(i)
	tx.emit(EventInvoiceVoided, tx.EncodeInvoice(i), nil)
	return nil
}

// GiveUp marks an open invoice as one that nobody expects to be paid any more.
func (tx *Tx) GiveUp(i *Invoice) error {
	if i.Status != InvoiceOpen {
		return Refuse("", "", "You can only pass in open invoices. This invoice isn't open.")
	}
	i.Status, i.UncollectibleAt, i.NextAttempt = InvoiceUncollectible, tx.at, 0
	tx.closed(i)
	tx.emit(EventInvoiceGivenUp, tx.EncodeInvoice(i), nil)
	return nil
}

// Credit has a credit note take an amount off an open invoice. If nothing is left to be paid, it is paid.
func (tx *Tx) Credit(i *Invoice, amount int64) error {
	left := i.Due - i.Paid
	switch {
	case i.Status != InvoiceOpen:
		return Refuse("", "invoice", "Invoice is not open")
	case amount <= 0 || amount > left:
		return Refuse("", "amount", "Amount must be between 1 and the amount remaining (%d).", left)
	}
	tx.lessen(i, func() { i.Credited, i.Due = i.Credited+amount, i.Due-amount })
	return nil
}

// lessen changes what is left to be paid of an open invoice. If that is nothing, it is paid.
func (tx *Tx) lessen(i *Invoice, change func()) {
	before := tx.EncodeInvoice(i)
	if change(); i.Due == i.Paid {
		tx.paid(i, tx.Subscriptions.Get(i.Subscription))
		return
	}
	after := tx.EncodeInvoice(i)
	tx.emit(EventInvoiceUpdated, after, changes(before, after))
}

// closed takes an invoice off its subscription's list of open ones.
func (tx *Tx) closed(i *Invoice) {
	if s := tx.Subscriptions.Get(i.Subscription); s != nil {
		s.Open = slices.DeleteFunc(s.Open, func(id string) bool { return id == i.ID })
	}
}

// EncodeInvoice returns the API object.
func (tx *Tx) EncodeInvoice(i *Invoice) Object {
	lines := []Object{}
	for _, line := range i.Lines {
		lines = append(lines, tx.EncodeLine(i, line))
	}
	discounts, amounts := []string{}, []Object{}
	if i.Discount != "" {
		discounts = append(discounts, i.Discount)
		amounts = append(amounts, Object{"amount": i.Subtotal + i.Tax - i.Total, "discount": i.Discount})
	}
	email, name := i.Email, i.Name
	if i.FinalizedAt == 0 {
		customer := tx.Customers.Get(i.Customer)
		email, name = customer.Email, customer.Name
	}
	object := Object{
		"id": i.ID, "object": "invoice", "account_country": "US", "account_name": "Fledge", "account_tax_ids": nil,
		"amount_due": i.Due, "amount_overpaid": 0, "amount_paid": i.Paid, "amount_remaining": i.Due - i.Paid,
		"amount_shipping": 0, "application": nil, "attempt_count": i.Attempts, "attempted": i.Attempts > 0 || i.Status == InvoicePaid,
		"auto_advance":   i.FinalizeAt > 0 || i.NextAttempt > 0,
		"automatic_tax":  calculatedTax(i.Taxed),
		"billing_reason": i.Reason, "automatically_finalizes_at": moment(i.FinalizeAt),
		"collection_method": collected(i.DaysUntilDue), "created": i.Created, "currency": i.Currency, "custom_fields": nil,
		"customer": i.Customer, "customer_account": nil, "customer_address": nil, "customer_email": text(email),
		"customer_name": text(name), "customer_phone": nil, "customer_shipping": nil,
		"customer_tax_exempt": "none", "customer_tax_ids": []any{}, "default_payment_method": nil, "default_source": nil,
		"default_tax_rates": []any{}, "description": nil, "discounts": discounts, "due_date": moment(i.DueAt),
		"effective_at": moment(i.FinalizedAt), "ending_balance": nil, "footer": nil, "from_invoice": nil,
		"hosted_invoice_url": nil, "invoice_pdf": nil, "issuer": Object{"type": "self"}, "last_finalization_error": nil,
		"latest_revision": nil, "lines": List("/v1/invoices/"+i.ID+"/lines", false, lines), "livemode": false,
		"metadata": tags(i.Metadata), "next_payment_attempt": moment(i.NextAttempt), "number": text(i.Number), "on_behalf_of": nil,
		"parent":           i.owner(),
		"payment_settings": Object{"default_mandate": nil, "payment_method_options": nil, "payment_method_types": nil},
		"period_start":     i.From, "period_end": i.To, "post_payment_credit_notes_amount": 0,
		"pre_payment_credit_notes_amount": i.Credited, "receipt_number": nil, "rendering": nil, "shipping_cost": nil,
		"shipping_details": nil, "starting_balance": i.StartingBalance, "statement_descriptor": nil, "status": i.Status,
		"status_transitions": Object{
			"finalized_at": moment(i.FinalizedAt), "marked_uncollectible_at": moment(i.UncollectibleAt),
			"paid_at": moment(i.PaidAt), "voided_at": moment(i.VoidedAt),
		},
		"subtotal": i.Subtotal, "subtotal_excluding_tax": i.Subtotal, "test_clock": nil, "total": i.Total,
		"total_discount_amounts": amounts, "total_excluding_tax": i.Total - i.Tax, "total_pretax_credit_amounts": []any{},
		"total_taxes": taxes(i.Tax, i.Total-i.Tax), "webhooks_delivered_at": moment(i.FinalizedAt),
	}
	if i.FinalizeAt == 0 && i.NextAttempt == 0 && i.Status == InvoiceDraft {
		object["auto_advance"] = false
	}
	if i.FinalizedAt > 0 {
		object["ending_balance"] = i.EndingBalance
		object["hosted_invoice_url"] = tx.BaseURL() + "/i/" + i.Secret
		object["invoice_pdf"] = tx.BaseURL() + "/i/" + i.Secret + "/print"
	}
	return object
}

// owner is what it was made for; null for one that is nobody's but the customer's.
func (i *Invoice) owner() any {
	if i.Subscription == "" {
		return nil
	}
	return Object{
		"type": "subscription_details", "quote_details": nil,
		"subscription_details": Object{"metadata": tags(i.SubscriptionMetadata), "subscription": i.Subscription},
	}
}
