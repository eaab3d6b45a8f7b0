package account

import "strings"

// Customer is somebody who pays (https://docs.stripe.com/api/customers).
type Customer struct {
	ID, Email, Name, Description string
	Metadata                     map[string]string
	// Balance is owed to us; negative is a credit for the next invoices.
	Balance int64
	// Card pays unless a subscription has its own.
	Card    string
	Created int64
	// Deleted says that only the id is left.
	Deleted bool
}

// Key identifies the row.
func (c *Customer) Key() string { return c.ID }

// Details are what an API call sets of a customer; nil leaves a field alone.
type Details struct {
	Email, Name, Description, Card *string
	// Metadata is merged in; an empty value removes its key.
	Metadata map[string]string
}

// CreateCustomer adds a customer.
func (tx *Tx) CreateCustomer(d Details) (*Customer, error) {
	customer := &Customer{ID: NewID("cus_"), Created: tx.at}
	if err := tx.ChangeCustomer(customer, d); err != nil {
		return nil, err
	}
	tx.Customers.put(customer)
	return customer, nil
}

// ChangeCustomer sets what is given.
func (tx *Tx) ChangeCustomer(c *Customer, d Details) error {
	if d.Email != nil && *d.Email != "" && !strings.Contains(*d.Email, "@") {
		return Refuse("email_invalid", "email", "Invalid email address: %s", *d.Email)
	}
	if d.Card != nil {
		if card := tx.Cards.Get(*d.Card); card == nil || card.Customer != c.ID {
			return missing("PaymentMethod", *d.Card, "invoice_settings[default_payment_method]")
		}
	}
	for field, value := range map[*string]*string{&c.Email: d.Email, &c.Name: d.Name, &c.Description: d.Description, &c.Card: d.Card} {
		if value != nil {
			*field = *value
		}
	}
	c.Metadata = merge(c.Metadata, d.Metadata)
	return nil
}

// DeleteCustomer deletes a customer for good: only its id is left, and no card pays for it. Its subscriptions end at once.
func (tx *Tx) DeleteCustomer(c *Customer) {
	for _, s := range tx.Subscriptions.All(func(s *Subscription) bool { return s.Customer == c.ID && !s.Ended() }) {
		tx.Cancel(s, "cancellation_requested")
	}
	tx.Portals.keep(func(p *Portal) bool { return p.Customer != c.ID })
	for _, card := range tx.Cards.All(func(card *Card) bool { return card.Customer == c.ID }) {
		card.Customer = ""
	}
	was := tx.EncodeCustomer(c)
	*c = Customer{ID: c.ID, Balance: c.Balance, Created: c.Created, Deleted: true}
	tx.emit(EventCustomerDeleted, was, nil)
}

func merge(into, with map[string]string) map[string]string {
	out := tags(into)
	for name, value := range with {
		out[name] = value
		if value == "" {
			delete(out, name)
		}
	}
	return out
}

// Customer finds a customer for a parameter, "id" for the one in the path. One that was
// deleted is not there.
func (tx *Tx) Customer(id, param string) (*Customer, error) {
	if customer := tx.Customers.Get(id); customer != nil && !customer.Deleted {
		return customer, nil
	}
	return nil, missing("customer", id, param)
}

// EncodeCustomer returns the API object, of one that was deleted what is left.
func (tx *Tx) EncodeCustomer(c *Customer) Object {
	if c.Deleted {
		return Object{"id": c.ID, "object": "customer", "deleted": true}
	}
	var currency any
	delinquent := false
	for _, s := range tx.Subscriptions.rows {
		if s.Customer == c.ID {
			currency = tx.currency(s)
			delinquent = delinquent || s.Status == StatusPastDue || s.Status == StatusUnpaid
		}
	}
	return Object{
		"id": c.ID, "object": "customer", "address": nil, "balance": c.Balance, "created": c.Created,
		"currency": currency, "default_source": nil, "delinquent": delinquent, "description": text(c.Description),
		"email": text(c.Email), "invoice_prefix": strings.ToUpper(c.ID[len(c.ID)-8:]),
		"invoice_settings": Object{
			"custom_fields": nil, "default_payment_method": text(c.Card), "footer": nil, "rendering_options": nil,
		},
		"livemode": false, "metadata": tags(c.Metadata), "name": text(c.Name), "next_invoice_sequence": 1,
		"phone": nil, "preferred_locales": []string{}, "shipping": nil, "tax_exempt": "none", "test_clock": nil,
	}
}
