package account

// Total is what a checkout comes to: what the price is, what a promotion code takes off, what taxes
// add, and what is left to be paid.
type Total struct{ Price, Off, Tax, Due int64 }

// Total adds a checkout up.
func (tx *Tx) Total(c *Checkout) Total {
	price := tx.Prices.Get(c.Price).Amount * c.Quantity
	t := Total{Price: price, Off: portion(price, c.PercentOff, 100)}
	if c.Asks.Tax {
		t.Tax = tax(t.Price - t.Off)
	}
	if c.TrialDays > 0 {
		return Total{} // nothing is paid at first
	}
	t.Due = t.Price - t.Off + t.Tax
	return t
}

// paymentStatus is unpaid, too, while the money is on its way and after it did not come.
func (tx *Tx) paymentStatus(c *Checkout) string {
	invoice := tx.Invoices.Get(c.Invoice)
	payment := tx.Payments.Get(c.Payment)
	switch {
	case c.Once && c.Status == CheckoutComplete && payment == nil:
		return "no_payment_required"
	case c.Once && payment != nil && payment.PaidAt > 0:
		return "paid"
	case invoice == nil || invoice.Status != InvoicePaid:
		return "unpaid"
	case invoice.Total == 0:
		return "no_payment_required"
	}
	return "paid"
}

// checkoutTax is null before the address is known.
func checkoutTax(c *Checkout) Object {
	tax := calculatedTax(c.Asks.Tax)
	delete(tax, "disabled_reason")
	if c.Asks.Tax && c.Status != CheckoutComplete {
		tax["status"] = "requires_location_inputs"
	}
	return tax
}

// EncodeCheckout returns the API object. The line items have to be asked for.
func (tx *Tx) EncodeCheckout(c *Checkout) Object {
	price := tx.Prices.Get(c.Price)
	total := tx.Total(c)
	customer := tx.Customers.Get(c.Customer)
	page, consent, collection := any(nil), any(nil), any(nil)
	if c.Status == CheckoutOpen {
		page = tx.BaseURL() + "/c/pay/" + c.ID
	}
	if c.Asks.Terms {
		collection = Object{"payment_method_reuse_agreement": nil, "promotions": "none", "terms_of_service": "required"}
		if c.Status == CheckoutComplete {
			consent = Object{"promotions": nil, "terms_of_service": "accepted"}
		}
	}
	discounts := []Object{}
	if c.PercentOff > 0 {
		discounts = append(discounts, Object{"coupon": "co_local", "promotion_code": "promo_local"})
	}
	mode, invoices := "subscription", any(nil)
	if c.Once {
		mode, invoices = "payment", Object{"enabled": c.Invoices, "invoice_data": Object{
			"account_tax_ids": nil, "custom_fields": nil, "description": nil, "footer": nil, "issuer": nil,
			"metadata": tags(c.InvoiceMetadata), "rendering_options": nil,
		}}
	}
	return Object{
		"id": c.ID, "object": "checkout.session", "adaptive_pricing": nil, "after_expiration": nil,
		"allow_promotion_codes": c.Asks.PromotionCodes, "amount_subtotal": total.Price, "amount_total": total.Due,
		"automatic_tax":              checkoutTax(c),
		"billing_address_collection": text(c.AddressCollection), "cancel_url": text(c.CancelURL),
		"client_reference_id": text(c.ClientReference), "client_secret": nil, "collected_information": nil, "consent": consent,
		"consent_collection": collection, "created": c.Created, "currency": price.Currency, "currency_conversion": nil,
		"custom_fields": []any{},
		"custom_text":   Object{"after_submit": nil, "shipping_address": nil, "submit": nil, "terms_of_service_acceptance": nil},
		"customer":      c.Customer, "customer_account": nil, "customer_creation": nil,
		"customer_details": Object{
			"address": nil, "business_name": nil, "email": text(customer.Email), "individual_name": nil,
			"name": text(customer.Name), "phone": nil, "tax_exempt": "none", "tax_ids": []any{},
		},
		"customer_email": nil, "discounts": discounts, "expires_at": c.ExpiresAt, "integration_identifier": nil,
		"invoice": text(c.Invoice), "invoice_creation": invoices, "livemode": false, "locale": text(c.Locale),
		"metadata": tags(c.Metadata), "mode": mode, "origin_context": nil, "payment_intent": text(c.Payment),
		"payment_link": nil, "payment_method_collection": text(c.CardCollection),
		"payment_method_configuration_details": nil,
		"payment_method_options":               Object{"card": Object{"request_three_d_secure": "automatic"}},
		"payment_method_types":                 []string{"card", "us_bank_account"}, "payment_status": tx.paymentStatus(c), "permissions": nil,
		"phone_number_collection": Object{"enabled": false}, "recovered_from": nil, "saved_payment_method_options": nil,
		"setup_intent": nil, "shipping_address_collection": nil, "shipping_cost": nil, "shipping_options": []any{},
		"status": c.Status, "submit_type": nil, "subscription": text(c.Subscription), "success_url": text(c.SuccessURL),
		"total_details": Object{"amount_discount": total.Off, "amount_shipping": 0, "amount_tax": total.Tax}, "ui_mode": "hosted_page",
		"url": page, "wallet_options": nil,
	}
}

// EncodeCheckoutLines returns what a checkout sells.
func (tx *Tx) EncodeCheckoutLines(c *Checkout) []Object {
	price := tx.Prices.Get(c.Price)
	total := tx.Total(c)
	return []Object{{
		"id": c.Item, "object": "item", "adjustable_quantity": nil, "amount_discount": total.Off, "amount_subtotal": total.Price,
		"amount_tax": total.Tax, "amount_total": total.Due, "currency": price.Currency, "description": tx.PriceName(c.Price),
		"metadata": tags(nil), "price": tx.EncodePrice(price), "quantity": c.Quantity,
	}}
}
