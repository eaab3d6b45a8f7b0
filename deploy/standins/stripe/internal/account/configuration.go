package account

import "slices"

// Configuration is what a portal offers
// (https://docs.stripe.com/api/customer_portal/configurations).
type Configuration struct {
	ID, ReturnURL string
	Metadata      map[string]string
	// Changes says that people may change their plans.
	Changes bool
	// Proration is what a change of plan does; Later are the changes that wait for the next
	// period. CancelMode says when a cancellation takes effect.
	Proration, CancelMode string
	Later                 []string
	CustomerUpdates       []string
	// SignIn says that there is a page on which customers ask for a link into the portal.
	SignIn bool
	// Offers are the products that people may change to, with their prices.
	Offers   []Offer
	Created  int64
	Inactive bool
}

// Offer is a product with its prices.
type Offer struct {
	Product string
	Prices  []string
}

func (c *Configuration) products() []Object {
	list := []Object{}
	for _, o := range c.Offers {
		list = append(list, Object{
			"product": o.Product, "prices": o.Prices, "adjustable_quantity": Object{"enabled": false, "minimum": 1, "maximum": nil},
		})
	}
	return list
}

// Key identifies the row.
func (c *Configuration) Key() string { return c.ID }

// CreateConfiguration adds one.
func (tx *Tx) CreateConfiguration(c Configuration) (*Configuration, error) {
	if c.Changes && len(c.Offers) == 0 {
		return nil, Refuse("parameter_missing", "features[subscription_update][products]", "You must provide at least one product when subscription updates are enabled.")
	}
	for _, o := range c.Offers {
		for _, id := range o.Prices {
			param := "features[subscription_update][products]"
			price, err := tx.sellable(id, param)
			if err != nil {
				return nil, err
			}
			if price.Product != o.Product {
				return nil, Refuse("", param, "The price %s does not belong to the product %s.", id, o.Product)
			}
		}
	}
	c.ID, c.Created = NewID("bpc_"), tx.at
	tx.Configurations.put(&c)
	return &c, nil
}

// EncodeConfiguration returns the API object.
func (tx *Tx) EncodeConfiguration(c *Configuration) Object {
	conditions, allowed, proration := []Object{}, []string{}, ProrateNever
	if c.Changes {
		allowed, proration = []string{"price"}, c.Proration
	}
	for _, change := range c.Later {
		conditions = append(conditions, Object{"type": change})
	}
	signIn := Object{"enabled": c.SignIn, "url": nil}
	if c.SignIn {
		signIn["url"] = tx.BaseURL() + "/p/login/" + c.ID
	}
	return Object{
		"id": c.ID, "object": "billing_portal.configuration", "active": !c.Inactive, "application": nil, "created": c.Created, "updated": c.Created,
		"business_profile":   Object{"headline": nil, "privacy_policy_url": nil, "terms_of_service_url": nil},
		"default_return_url": text(c.ReturnURL), "is_default": false, "livemode": false, "login_page": signIn,
		"metadata": tags(c.Metadata), "name": nil,
		"features": Object{
			"customer_update":       Object{"enabled": len(c.CustomerUpdates) > 0, "allowed_updates": slices.Concat([]string{}, c.CustomerUpdates)},
			"invoice_history":       Object{"enabled": true},
			"payment_method_update": Object{"enabled": true, "payment_method_configuration": nil},
			"subscription_cancel": Object{
				"enabled": true, "mode": c.CancelMode, "proration_behavior": "none",
				"cancellation_reason": Object{"enabled": false, "options": []string{}},
			},
			"subscription_update": Object{
				"enabled": c.Changes, "default_allowed_updates": allowed, "proration_behavior": proration,
				"schedule_at_period_end": Object{"conditions": conditions}, "trial_update_behavior": "end_trial",
				"billing_cycle_anchor": "unchanged",
			},
		},
	}
}
