package account

import (
	"maps"
	"reflect"
	"strings"
)

// Object is an API object as it is written to JSON. Linked objects are ids until
// the caller asks for them to be expanded.
type Object = map[string]any

// List is a list inside of an object, or an answer.
func List(url string, hasMore bool, data []Object) Object {
	if data == nil {
		data = []Object{}
	}
	return Object{"object": "list", "url": url, "has_more": hasMore, "data": data}
}

// moment is null for a time that is not set.
func moment(t int64) any {
	if t == 0 {
		return nil
	}
	return t
}

// text is null for an empty string.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// tags is never null.
func tags(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return maps.Clone(m)
}

// Lookup returns the object that an id stands for, nil when there is none.
func (tx *Tx) Lookup(id string) Object {
	prefix, _, _ := strings.Cut(id, "_")
	switch prefix {
	case "cus":
		return encode(tx.Customers.Get(id), tx.EncodeCustomer)
	case "prod":
		return encode(tx.Products.Get(id), tx.EncodeProduct)
	case "price":
		return encode(tx.Prices.Get(id), tx.EncodePrice)
	case "pm":
		return encode(tx.Cards.Get(id), tx.EncodeCard)
	case "cs":
		return encode(tx.Checkouts.Get(id), tx.EncodeCheckout)
	case "sub":
		if s := tx.scheduled(id); s != nil {
			return tx.EncodeSchedule(s)
		}
		return encode(tx.Subscriptions.Get(id), tx.EncodeSubscription)
	case "in":
		return encode(tx.Invoices.Get(id), tx.EncodeInvoice)
	case "pi":
		return encode(tx.Payments.Get(id), tx.EncodePayment)
	case "ch":
		return encode(tx.Charges.Get(id), tx.EncodeCharge)
	case "re":
		return encode(tx.Refunds.Get(id), tx.EncodeRefund)
	case "du":
		return encode(tx.Disputes.Get(id), tx.EncodeDispute)
	case "issfr":
		return encode(tx.Warnings.Get(id), tx.EncodeWarning)
	case "evt":
		return encode(tx.Events.Get(id), tx.EncodeEvent)
	}
	// Products and prices may carry any id that the configuration gives them.
	if price := tx.Prices.Get(id); price != nil {
		return tx.EncodePrice(price)
	}
	return encode(tx.Products.Get(id), tx.EncodeProduct)
}

func encode[R row](r *R, how func(*R) Object) Object {
	if r == nil {
		return nil
	}
	return how(r)
}

// Include returns a part of an object, or of what is in it without an id of its own, that Stripe leaves out
// unless asked.
func (tx *Tx) Include(object Object, field string) (any, bool) {
	id, _ := object["id"].(string)
	switch kind, _ := object["object"].(string); kind + "." + field {
	case "checkout.session.line_items":
		return List("/v1/checkout/sessions/"+id+"/line_items", false, tx.EncodeCheckoutLines(tx.Checkouts.Get(id))), true
	case "price.currency_options":
		return tx.Prices.Get(id).currencyOptions(), true
	case "invoice.payments":
		return List("/v1/invoice_payments", false, tx.InvoicePayments(id)), true
	case "charge.refunds":
		refunds := tx.Refunds.All(func(r *Refund) bool { return r.Charge == id })
		data := []Object{}
		for _, refund := range refunds {
			data = append(data, tx.EncodeRefund(refund))
		}
		return List("/v1/charges/"+id+"/refunds", false, data), true
	case "billing_portal.configuration.products": // of features.subscription_update
		return tx.Configurations.Get(id).products(), true
	case "customer.subscriptions":
		data := []Object{}
		for _, s := range tx.Subscriptions.All(func(s *Subscription) bool { return s.Customer == id && !s.Ended() }) {
			data = append(data, tx.EncodeSubscription(s))
		}
		return List("/v1/customers/"+id+"/subscriptions", false, data), true
	}
	return nil, false
}

// changes returns what the fields that differ held before.
func changes(before, after Object) Object {
	previous := Object{}
	for field, value := range before {
		if !reflect.DeepEqual(value, after[field]) {
			previous[field] = value
		}
	}
	return previous
}
