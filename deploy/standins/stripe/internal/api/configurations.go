package api

import (
	"strconv"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

func listConfigurations(tx *account.Tx, r *request) (account.Object, error) {
	w, given, active := r.window(), r.has("active"), r.boolean("active")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Configurations.Newest(func(c *account.Configuration) bool { return !given || active != c.Inactive })
	return page("/v1/billing_portal/configurations", w, rows, (*account.Configuration).Key, tx.EncodeConfiguration)
}

func createConfiguration(tx *account.Tx, r *request) (account.Object, error) {
	c := account.Configuration{ReturnURL: r.text("default_return_url"), Metadata: r.words("metadata"), SignIn: r.boolean("login_page[enabled]")}
	r.enabled("invoice_history")
	r.enabled("payment_method_update")
	r.enabled("customer_update")
	c.CustomerUpdates = r.list("features[customer_update][allowed_updates]")
	r.enabled("subscription_cancel")
	c.CancelMode = r.choice("features[subscription_cancel][mode]", "at_period_end", "immediately")
	if c.Changes = r.boolean("features[subscription_update][enabled]"); c.Changes {
		r.changes(&c)
	}
	if err := r.done(); err != nil {
		return nil, err
	}
	created, err := tx.CreateConfiguration(c)
	if err != nil {
		return nil, err
	}
	return tx.EncodeConfiguration(created), nil
}

// changes reads how people may change their plans.
func (r *request) changes(c *account.Configuration) {
	update := "features[subscription_update]"
	for _, kind := range r.list(update + "[default_allowed_updates]") {
		if kind != "price" {
			r.fail(account.Refuse("", update+"[default_allowed_updates]", "The stand-in lets people change the price only."))
		}
	}
	c.Proration = r.choice(update+"[proration_behavior]", "always_invoice", "create_prorations", "none")
	for i := 0; r.has(update + "[schedule_at_period_end][conditions][" + strconv.Itoa(i) + "][type]"); i++ {
		c.Later = append(c.Later, r.choice(update+"[schedule_at_period_end][conditions]["+strconv.Itoa(i)+"][type]", account.LessAmount, account.Shorter))
	}
	r.choice(update+"[trial_update_behavior]", "continue_trial") // what ending it would bill is not known here
	for i := 0; r.has(update + "[products][" + strconv.Itoa(i) + "][product]"); i++ {
		product := update + "[products][" + strconv.Itoa(i) + "]"
		c.Offers = append(c.Offers, account.Offer{Product: r.text(product + "[product]"), Prices: r.list(product + "[prices]")})
	}
}

// enabled refuses a feature of the portal that is switched off: the hosted pages have them all.
func (r *request) enabled(feature string) {
	if name := "features[" + feature + "][enabled]"; !r.boolean(name) {
		r.fail(account.Refuse("", name, "The stand-in's portal has this feature."))
	}
}

func listEndpoints(tx *account.Tx, r *request) (account.Object, error) {
	w := r.window()
	if err := r.done(); err != nil {
		return nil, err
	}
	return page("/v1/webhook_endpoints", w, tx.EncodeEndpoints(), objectID, same)
}
