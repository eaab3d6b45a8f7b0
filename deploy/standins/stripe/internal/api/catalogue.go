package api

import "fledge.dev/deploy/standins/stripe/internal/account"

func catalogueEndpoints() map[string]handler {
	return map[string]handler{
		"GET /v1/products/{id}": retrieve(product, (*account.Tx).EncodeProduct),
		"GET /v1/prices/{id}":   retrieve(price, (*account.Tx).EncodePrice),
		"GET /v1/tax/settings":  taxSettings,
	}
}

func taxSettings(tx *account.Tx, r *request) (account.Object, error) {
	return tx.EncodeTaxSettings(), r.done()
}

func product(tx *account.Tx, id string) (*account.Product, error) {
	if found := tx.Products.Get(id); found != nil {
		return found, nil
	}
	return nil, unknown("product", id)
}

func price(tx *account.Tx, id string) (*account.Price, error) {
	if found := tx.Prices.Get(id); found != nil {
		return found, nil
	}
	return nil, unknown("price", id)
}
