package api

import "fledge.dev/deploy/standins/stripe/internal/account"

func sessionEndpoints() map[string]handler {
	return map[string]handler{
		"POST /v1/checkout/sessions":             createCheckout,
		"GET /v1/checkout/sessions":              listCheckouts,
		"GET /v1/checkout/sessions/{id}":         retrieve((*account.Tx).Checkout, (*account.Tx).EncodeCheckout),
		"POST /v1/checkout/sessions/{id}/expire": expireCheckout,
		"POST /v1/billing_portal/sessions":       createPortal,
		"GET /v1/billing_portal/configurations":  listConfigurations,
		"POST /v1/billing_portal/configurations": createConfiguration,
		"GET /v1/webhook_endpoints":              listEndpoints,
	}
}

func createCheckout(tx *account.Tx, r *request) (account.Object, error) {
	mode := r.required("mode")
	if mode != "subscription" && mode != "payment" && mode != "" {
		r.fail(account.Refuse("", "mode", "The stand-in knows mode=subscription and mode=payment only."))
	}
	line := r.single("line_items")
	checkout := account.Checkout{
		Customer: r.required("customer"), Price: r.required(line + "[price]"), Quantity: r.integer(line+"[quantity]", 1),
		Currency: r.text("currency"), SuccessURL: r.required("success_url"), CancelURL: r.text("cancel_url"), ClientReference: r.text("client_reference_id"),
		Metadata: r.words("metadata"), SubscriptionMetadata: r.words("subscription_data[metadata]"),
		Asks: r.asks(), TrialDays: r.integer("subscription_data[trial_period_days]", 0), ExpiresAt: r.integer("expires_at", 0), Locale: r.text("locale"),
		AddressCollection: r.choice("billing_address_collection", "auto", "required"),
		CardCollection:    r.choice("payment_method_collection", "always", "if_required"),
	}
	if mode == "payment" {
		checkout.Once, checkout.Invoices = true, r.boolean("invoice_creation[enabled]")
		checkout.InvoiceMetadata = r.words("invoice_creation[invoice_data][metadata]")
	}
	r.choice("ui_mode", "hosted_page")
	r.choice("submit_type", "auto", "subscribe")
	for _, method := range r.list("payment_method_types") {
		if method != "card" && method != "us_bank_account" {
			r.fail(account.Refuse("", "payment_method_types", "The stand-in knows cards and bank accounts only."))
		}
	}
	if err := r.done(); err != nil {
		return nil, err
	}
	created, err := tx.CreateCheckout(checkout)
	if err != nil {
		return nil, err
	}
	return tx.EncodeCheckout(created), nil
}

// asks reads what the page offers and asks for.
func (r *request) asks() account.Asks {
	r.choice("customer_update[shipping]", "auto", "never")
	return account.Asks{
		PromotionCodes: r.boolean("allow_promotion_codes"), Tax: r.boolean("automatic_tax[enabled]"), TaxIDs: r.boolean("tax_id_collection[enabled]"),
		Terms:        r.choice("consent_collection[terms_of_service]", "none", "required") == "required",
		KeepsAddress: r.choice("customer_update[address]", "auto", "never") == "auto", KeepsName: r.choice("customer_update[name]", "auto", "never") == "auto",
	}
}

func listCheckouts(tx *account.Tx, r *request) (account.Object, error) {
	w, of, subscription, created, intent := r.window(), r.text("customer"), r.text("subscription"), r.span("created"), r.text("payment_intent")
	status := r.choice("status", account.CheckoutOpen, account.CheckoutComplete, account.CheckoutExpired)
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Checkouts.Newest(func(c *account.Checkout) bool {
		return matches(of, c.Customer) && matches(subscription, c.Subscription) && matches(intent, c.Payment) && matches(status, c.Status) && created(c.Created)
	})
	return page("/v1/checkout/sessions", w, rows, (*account.Checkout).Key, tx.EncodeCheckout)
}

func expireCheckout(tx *account.Tx, r *request) (account.Object, error) {
	if err := r.done(); err != nil {
		return nil, err
	}
	found, err := tx.Checkout(r.id())
	if err != nil {
		return nil, err
	}
	if err := tx.ExpireCheckout(found); err != nil {
		return nil, err
	}
	return tx.EncodeCheckout(found), nil
}

func createPortal(tx *account.Tx, r *request) (account.Object, error) {
	portal := account.Portal{Customer: r.required("customer"), ReturnURL: r.text("return_url")}
	portal.Configuration = r.text("configuration")
	r.text("locale")
	if r.has("flow_data[type]") {
		r.flow(&portal)
	}
	if err := r.done(); err != nil {
		return nil, err
	}
	created, err := tx.CreatePortal(portal)
	if err != nil {
		return nil, err
	}
	return tx.EncodePortal(created), nil
}

// flow reads where the portal leads to at once.
func (r *request) flow(portal *account.Portal) {
	portal.Flow = r.choice("flow_data[type]", account.FlowConfirm, account.FlowUpdate, account.FlowCancel, account.FlowCard)
	after := "flow_data[after_completion]"
	if kind := r.choice(after+"[type]", "redirect", "portal_homepage", "hosted_confirmation"); kind == "redirect" {
		portal.AfterURL = r.required(after + "[redirect][return_url]")
	}
	if portal.Flow == account.FlowCard {
		return
	}
	about := "flow_data[" + portal.Flow + "]"
	portal.Subscription = r.required(about + "[subscription]")
	if portal.Flow == account.FlowConfirm {
		item := r.single(about + "[items]")
		r.required(item + "[id]")
		portal.Change = account.Change{Price: r.required(item + "[price]"), Quantity: r.integer(item+"[quantity]", 1)}
	}
}
