package api

import "fledge.dev/deploy/standins/stripe/internal/account"

func customerEndpoints() map[string]handler {
	return map[string]handler{
		"GET /v1/account":              readAccount,
		"POST /v1/customers":           createCustomer,
		"GET /v1/customers":            listCustomers,
		"GET /v1/customers/{id}":       retrieve(former, (*account.Tx).EncodeCustomer),
		"DELETE /v1/customers/{id}":    deleteCustomer,
		"POST /v1/customers/{id}":      updateCustomer,
		"GET /v1/payment_methods/{id}": retrieve(card, (*account.Tx).EncodeCard),
	}
}

func readAccount(tx *account.Tx, r *request) (account.Object, error) {
	if err := r.done(); err != nil {
		return nil, err
	}
	return tx.EncodeAccount(), nil
}

func customer(tx *account.Tx, id string) (*account.Customer, error) { return tx.Customer(id, "id") }

// former finds a customer that may have been deleted.
func former(tx *account.Tx, id string) (*account.Customer, error) {
	if found := tx.Customers.Get(id); found != nil {
		return found, nil
	}
	return customer(tx, id)
}

func card(tx *account.Tx, id string) (*account.Card, error) {
	if found := tx.Cards.Get(id); found != nil {
		return found, nil
	}
	return nil, unknown("PaymentMethod", id)
}

func (r *request) details() account.Details {
	return account.Details{
		Email: r.optional("email"), Name: r.optional("name"), Description: r.optional("description"),
		Metadata: r.words("metadata"),
	}
}

func createCustomer(tx *account.Tx, r *request) (account.Object, error) {
	details := r.details()
	if err := r.done(); err != nil {
		return nil, err
	}
	created, err := tx.CreateCustomer(details)
	if err != nil {
		return nil, err
	}
	return tx.EncodeCustomer(created), nil
}

func updateCustomer(tx *account.Tx, r *request) (account.Object, error) {
	details := r.details()
	details.Card = r.optional("invoice_settings[default_payment_method]")
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := customer(tx, r.id())
	if err != nil {
		return nil, err
	}
	if err := tx.ChangeCustomer(found, details); err != nil {
		return nil, err
	}
	return tx.EncodeCustomer(found), nil
}

func deleteCustomer(tx *account.Tx, r *request) (account.Object, error) {
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := customer(tx, r.id())
	if err != nil {
		return nil, err
	}
	tx.DeleteCustomer(found)
	return tx.EncodeCustomer(found), nil
}

func listCustomers(tx *account.Tx, r *request) (account.Object, error) {
	w, email, created := r.window(), r.text("email"), r.span("created")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Customers.Newest(func(c *account.Customer) bool { return !c.Deleted && matches(email, c.Email) && created(c.Created) })
	return page("/v1/customers", w, rows, (*account.Customer).Key, tx.EncodeCustomer)
}
