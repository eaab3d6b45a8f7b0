package account

import "strconv"

// Product is something that is sold (https://docs.stripe.com/api/products).
type Product struct {
	ID, Name, Description string
	Archived              bool
	Metadata              map[string]string
	Created               int64
}

// Price is what a product costs (https://docs.stripe.com/api/prices).
type Price struct {
	ID, Product string
	// Amount is what one costs, in the smallest unit of Currency ("usd").
	Amount   int64
	Currency string
	// Others are what one costs in further currencies.
	Others map[string]int64
	// Interval is "day", "week", "month" or "year", of which it is paid every Count; empty for a
	// price that is paid once. A Count of 0 is one.
	Interval string
	Count    int
	Archived bool
	Metadata map[string]string
	Created  int64
}

// every is how many intervals are paid at once.
func (p *Price) every() int { return max(p.Count, 1) }

// end is when the nth period since an anchor ends.
func (p *Price) end(anchor int64, n int) int64 { return periodEnd(anchor, n*p.every(), p.Interval) }

// Key identifies the row.
func (p *Product) Key() string { return p.ID }

// Key identifies the row.
func (p *Price) Key() string { return p.ID }

// EncodeProduct returns the API object.
func (tx *Tx) EncodeProduct(p *Product) Object {
	var first any
	for _, price := range tx.Prices.rows {
		if price.Product == p.ID && !price.Archived {
			first = price.ID
			break
		}
	}
	return Object{
		"id": p.ID, "object": "product", "active": !p.Archived, "created": p.Created, "updated": p.Created,
		"name": p.Name, "description": text(p.Description), "default_price": first,
		"images": []string{}, "marketing_features": []any{}, "livemode": false, "metadata": tags(p.Metadata),
		"package_dimensions": nil, "shippable": nil, "statement_descriptor": nil, "tax_code": nil,
		"unit_label": nil, "url": nil, "type": "service",
	}
}

// EncodePrice returns the API object.
func (tx *Tx) EncodePrice(p *Price) Object {
	object := Object{
		"id": p.ID, "object": "price", "active": !p.Archived, "billing_scheme": "per_unit", "created": p.Created,
		"currency": p.Currency, "custom_unit_amount": nil, "livemode": false, "lookup_key": nil,
		"metadata": tags(p.Metadata), "nickname": nil, "product": p.Product, "recurring": nil,
		"tax_behavior": "unspecified", "tiers_mode": nil, "transform_quantity": nil, "type": "one_time",
		"unit_amount": p.Amount, "unit_amount_decimal": strconv.FormatInt(p.Amount, 10),
	}
	if p.Interval != "" {
		object["type"] = "recurring"
		object["recurring"] = Object{
			"interval": p.Interval, "interval_count": p.every(), "meter": nil, "trial_period_days": nil, "usage_type": "licensed",
		}
	}
	return object
}

// currencyOptions are what a price costs in each of its currencies: the API shows them when they are asked for.
func (p *Price) currencyOptions() Object {
	options := Object{}
	for currency, amount := range p.Others {
		options[currency] = currencyOption(amount)
	}
	options[p.Currency] = currencyOption(p.Amount)
	return options
}

func currencyOption(amount int64) Object {
	return Object{"custom_unit_amount": nil, "tax_behavior": "unspecified", "unit_amount": amount, "unit_amount_decimal": strconv.FormatInt(amount, 10)}
}

// PutProduct adds a product to the catalogue, or replaces it.
func (tx *Tx) PutProduct(p Product) {
	p.Created = tx.at
	if old := tx.Products.Get(p.ID); old != nil {
		p.Created = old.Created
	}
	tx.Products.put(&p)
}

// PutPrice adds a price to the catalogue, or replaces it.
func (tx *Tx) PutPrice(p Price) {
	p.Created = tx.at
	if old := tx.Prices.Get(p.ID); old != nil {
		p.Created = old.Created
	}
	tx.Prices.put(&p)
}

// DeletePrice takes a price off the catalogue that nothing was sold at.
func (tx *Tx) DeletePrice(id string) error {
	switch {
	case tx.Prices.Get(id) == nil:
		return missing("price", id, "id")
	case len(tx.Subscriptions.All(func(s *Subscription) bool { return s.Price == id })) > 0, len(tx.Checkouts.All(func(c *Checkout) bool { return c.Price == id })) > 0:
		return Refuse("", "", "This price was used and cannot be deleted; archive it instead.")
	}
	tx.Prices.keep(func(p *Price) bool { return p.ID != id })
	return nil
}

// Offers returns the prices that a subscription may have, in the catalogue's order.
func (tx *Tx) Offers() []*Price {
	return tx.Prices.All(func(p *Price) bool { return !p.Archived && p.Interval != "" })
}

// PriceName is what a price's product is called.
func (tx *Tx) PriceName(id string) string {
	if price := tx.Prices.Get(id); price != nil {
		if product := tx.Products.Get(price.Product); product != nil {
			return product.Name
		}
	}
	return id
}

// sellable finds a price that a subscription may have.
func (tx *Tx) sellable(id, param string) (*Price, error) { return tx.payable(id, param, false) }

// payable finds one that is paid once, or again and again.
func (tx *Tx) payable(id, param string, once bool) (*Price, error) {
	price := tx.Prices.Get(id)
	switch {
	case price == nil:
		return nil, missing("price", id, param)
	case price.Archived:
		return nil, Refuse("", param, "The price specified is inactive. This field only accepts active prices.")
	case tx.Products.Get(price.Product).Archived:
		return nil, Refuse("", param, "Price `%s` is not available to be purchased because its product is not active.", id)
	case price.Interval != "" && once:
		return nil, Refuse("", param, "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.")
	case price.Interval == "" && !once:
		return nil, Refuse("", param, "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.")
	}
	return price, nil
}
