package api

import (
	"slices"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

func catalogueEndpoints() map[string]handler {
	return map[string]handler{
		"GET /v1/products":      listProducts,
		"GET /v1/products/{id}": retrieve(product, (*account.Tx).EncodeProduct),
		"GET /v1/prices":        listPrices,
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

// active is a filter that lets all through when it was not given.
func (r *request) active() func(archived bool) bool {
	given, wanted := r.has("active"), r.boolean("active")
	return func(archived bool) bool { return !given || wanted != archived }
}

func listProducts(tx *account.Tx, r *request) (account.Object, error) {
	w, active, ids := r.window(), r.active(), r.list("ids")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Products.Newest(func(p *account.Product) bool {
		return active(p.Archived) && (len(ids) == 0 || slices.Contains(ids, p.ID))
	})
	return page("/v1/products", w, rows, (*account.Product).Key, tx.EncodeProduct)
}

func listPrices(tx *account.Tx, r *request) (account.Object, error) {
	w, active, keys := r.window(), r.active(), r.list("lookup_keys")
	of, kind := r.text("product"), r.choice("type", "recurring", "one_time")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Prices.Newest(func(p *account.Price) bool {
		return active(p.Archived) && matches(of, p.Product) && matches(kind, tx.EncodePrice(p)["type"].(string)) &&
			(len(keys) == 0 || slices.Contains(keys, p.LookupKey))
	})
	return page("/v1/prices", w, rows, (*account.Price).Key, tx.EncodePrice)
}
