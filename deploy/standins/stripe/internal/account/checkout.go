package account

import (
	"net/url"
	"strconv"
	"strings"
)

// How far a checkout has come.
const (
	CheckoutOpen     = "open"
	CheckoutComplete = "complete"
	CheckoutExpired  = "expired"
)

// Checkout is a hosted page that sells a subscription
// (https://docs.stripe.com/api/checkout/sessions).
type Checkout struct {
	ID, Customer, Status           string
	Item, Price                    string
	Quantity                       int64
	SuccessURL, CancelURL          string
	ClientReference                string
	Metadata, SubscriptionMetadata map[string]string // of the session, of what it starts
	PromotionCodes                 bool
	Subscription, Invoice          string
	Created, ExpiresAt             int64
	AddressCollection              string
	Locale, CardCollection         string
}

// Key identifies the row.
func (c *Checkout) Key() string { return c.ID }

const day = 24 * hour

// CreateCheckout opens a checkout for what c holds.
func (tx *Tx) CreateCheckout(c Checkout) (*Checkout, error) {
	if _, err := tx.Customer(c.Customer, "customer"); err != nil {
		return nil, err
	}
	if _, err := tx.sellable(c.Price, "line_items[0][price]"); err != nil {
		return nil, err
	}
	for param, address := range map[string]string{"success_url": c.SuccessURL, "cancel_url": c.CancelURL} {
		if err := checkURL(param, address); err != nil && (address != "" || param == "success_url") {
			return nil, err
		}
	}
	if c.ExpiresAt == 0 {
		c.ExpiresAt = tx.at + day
	}
	switch {
	case c.Quantity < 1:
		return nil, Refuse("parameter_invalid_integer", "line_items[0][quantity]", "This value must be greater than or equal to 1.")
	case len(c.ClientReference) > 200:
		return nil, Refuse("parameter_invalid_string", "client_reference_id", "client_reference_id must be at most 200 characters.")
	case c.ExpiresAt < tx.at+hour/2 || c.ExpiresAt > tx.at+day:
		return nil, Refuse("", "expires_at", "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.")
	}
	c.ID, c.Item, c.Status, c.Created = "cs_test_"+secret(58), NewID("li_"), CheckoutOpen, tx.at
	tx.Checkouts.put(&c)
	return &c, nil
}

func checkURL(param, address string) *Error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return Refuse("url_invalid", param, "Not a valid URL")
	}
	return nil
}

// Checkout finds a checkout.
func (tx *Tx) Checkout(id string) (*Checkout, error) {
	if checkout := tx.Checkouts.Get(id); checkout != nil {
		return checkout, nil
	}
	return nil, missing("checkout.session", id, "id")
}

// PayCheckout is what happens when somebody pays with a test card. When the card
// is declined, the checkout stays open and nothing else exists.
func (tx *Tx) PayCheckout(c *Checkout, card string) error {
	if c.Status != CheckoutOpen {
		return Refuse("", "", "This Checkout Session is %s.", c.Status)
	}
	if _, err := tx.Customer(c.Customer, "customer"); err != nil {
		return err
	}
	s, err := tx.Subscribe(c.Customer, c.Price, c.Quantity, card, c.SubscriptionMetadata)
	if err != nil {
		return err
	}
	c.Status, c.Subscription, c.Invoice = CheckoutComplete, s.ID, s.LatestInvoice
	tx.emit(EventCheckoutCompleted, tx.EncodeCheckout(c), nil)
	return nil
}

// ExpireCheckout closes an open checkout.
func (tx *Tx) ExpireCheckout(c *Checkout) error {
	if c.Status != CheckoutOpen {
		return Refuse("", "", "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of %s.", c.Status)
	}
	c.Status = CheckoutExpired
	return nil
}

// Success is where the browser goes after the payment.
func (c *Checkout) Success() string {
	return strings.ReplaceAll(c.SuccessURL, "{CHECKOUT_SESSION_ID}", c.ID)
}

// EncodeCheckout returns the API object. The line items have to be asked for.
func (tx *Tx) EncodeCheckout(c *Checkout) Object {
	price := tx.Prices.Get(c.Price)
	total := price.Amount * c.Quantity
	customer := tx.Customers.Get(c.Customer)
	status, page := "unpaid", any(nil)
	switch c.Status {
	case CheckoutOpen:
		page = tx.BaseURL() + "/c/pay/" + c.ID
	case CheckoutComplete:
		status = "paid"
	}
	return Object{
		"id": c.ID, "object": "checkout.session", "adaptive_pricing": nil, "after_expiration": nil,
		"allow_promotion_codes": c.PromotionCodes, "amount_subtotal": total, "amount_total": total,
		"automatic_tax":              Object{"enabled": false, "liability": nil, "provider": nil, "status": nil},
		"billing_address_collection": text(c.AddressCollection), "cancel_url": text(c.CancelURL),
		"client_reference_id": text(c.ClientReference), "client_secret": nil, "collected_information": nil, "consent": nil,
		"consent_collection": nil, "created": c.Created, "currency": price.Currency, "currency_conversion": nil,
		"custom_fields": []any{},
		"custom_text":   Object{"after_submit": nil, "shipping_address": nil, "submit": nil, "terms_of_service_acceptance": nil},
		"customer":      c.Customer, "customer_account": nil, "customer_creation": nil,
		"customer_details": Object{
			"address": nil, "business_name": nil, "email": text(customer.Email), "individual_name": nil,
			"name": text(customer.Name), "phone": nil, "tax_exempt": "none", "tax_ids": []any{},
		},
		"customer_email": nil, "discounts": []any{}, "expires_at": c.ExpiresAt, "integration_identifier": nil,
		"invoice": text(c.Invoice), "invoice_creation": nil, "livemode": false, "locale": text(c.Locale),
		"metadata": tags(c.Metadata), "mode": "subscription", "origin_context": nil, "payment_intent": nil,
		"payment_link": nil, "payment_method_collection": text(c.CardCollection),
		"payment_method_configuration_details": nil,
		"payment_method_options":               Object{"card": Object{"request_three_d_secure": "automatic"}},
		"payment_method_types":                 []string{"card"}, "payment_status": status, "permissions": nil,
		"phone_number_collection": Object{"enabled": false}, "recovered_from": nil, "saved_payment_method_options": nil,
		"setup_intent": nil, "shipping_address_collection": nil, "shipping_cost": nil, "shipping_options": []any{},
		"status": c.Status, "submit_type": nil, "subscription": text(c.Subscription), "success_url": text(c.SuccessURL),
		"total_details": Object{"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0}, "ui_mode": "hosted_page",
		"url": page, "wallet_options": nil,
	}
}

// EncodeCheckoutLines returns what a checkout sells.
func (tx *Tx) EncodeCheckoutLines(c *Checkout) []Object {
	price := tx.Prices.Get(c.Price)
	total := price.Amount * c.Quantity
	return []Object{{
		"id": c.Item, "object": "item", "adjustable_quantity": nil, "amount_discount": 0, "amount_subtotal": total,
		"amount_tax": 0, "amount_total": total, "currency": price.Currency, "description": tx.PriceName(c.Price),
		"metadata": tags(nil), "price": tx.EncodePrice(price), "quantity": c.Quantity,
	}}
}

// Money writes an amount for people: "$25.00".
func Money(amount int64, currency string) string {
	sign := ""
	if amount < 0 {
		sign, amount = "-", -amount
	}
	cents := strconv.FormatInt(amount%100+100, 10)[1:]
	unit := strings.ToUpper(currency) + " "
	if currency == "usd" {
		unit = "$"
	}
	return sign + unit + strconv.FormatInt(amount/100, 10) + "." + cents
}
