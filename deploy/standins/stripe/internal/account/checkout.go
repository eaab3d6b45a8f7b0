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

// Checkout is a hosted page that sells a subscription, or something that is paid once
// (https://docs.stripe.com/api/checkout/sessions).
type Checkout struct {
	ID, Customer, Status           string
	Item, Price                    string
	Quantity                       int64
	SuccessURL, CancelURL          string
	ClientReference                string
	Metadata, SubscriptionMetadata map[string]string // of the session, of what it starts
	Asks                           Asks
	TrialDays                      int64
	// Currency is the one that was asked for, and is the price's; it may be empty.
	Currency string
	// Once is mode=payment, and Payment what pays it. Invoices has an invoice made, with a metadata.
	Once, Invoices  bool
	Payment         string
	InvoiceMetadata map[string]string
	// PercentOff is what the promotion code took off that was entered.
	PercentOff             int64
	Subscription, Invoice  string
	Created, ExpiresAt     int64
	AddressCollection      string
	Locale, CardCollection string
}

// Asks is what the page of a checkout offers and asks for besides the payment.
type Asks struct {
	PromotionCodes, Tax, TaxIDs, Terms bool
	// KeepsAddress and KeepsName have the customer get what is entered.
	KeepsAddress, KeepsName bool
}

// Purchase is what somebody fills in on the page of a checkout.
type Purchase struct {
	// Card is one of the test cards or bank accounts.
	Card string
	// PromotionCode may be empty.
	PromotionCode string
	TermsAccepted bool
	// Confirmation is what the payer has done when the bank asked (3-D Secure): "" for nothing yet.
	Confirmation string
}

// What a payer does whom the bank asks.
const (
	Confirms = "confirms"
	Declines = "declines"
)

// PromotionCodes are those that everybody may enter, and the percentage that they take off for good.
func PromotionCodes() map[string]int64 { return map[string]int64{"HALF": 50, "FREE": 100} }

// Key identifies the row.
func (c *Checkout) Key() string { return c.ID }

const day = 24 * hour

// CreateCheckout opens a checkout for what c holds.
func (tx *Tx) CreateCheckout(c Checkout) (*Checkout, error) {
	if _, err := tx.Customer(c.Customer, "customer"); err != nil {
		return nil, err
	}
	if _, err := tx.payable(c.Price, "line_items[0][price]", c.Once); err != nil {
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
	currency := tx.Prices.Get(c.Price).Currency
	switch {
	case c.Currency != "" && c.Currency != currency:
		return nil, Refuse("", "currency", "The stand-in sells at the price's own currency only: `%s`, not `%s`.", currency, c.Currency)
	case c.Asks.Tax && !c.Asks.KeepsAddress:
		return nil, Refuse("customer_tax_location_invalid", "", "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.")
	case c.Asks.TaxIDs && !c.Asks.KeepsName:
		return nil, Refuse("", "customer_update[name]", "Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.")
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
// is declined, the checkout stays open and nothing else exists. The money of a bank account is on
// its way afterwards.
func (tx *Tx) PayCheckout(c *Checkout, paid Purchase) error {
	if c.Status != CheckoutOpen {
		return Refuse("", "", "This Checkout Session is %s.", c.Status)
	}
	if _, err := tx.Customer(c.Customer, "customer"); err != nil {
		return err
	}
	off, known := PromotionCodes()[paid.PromotionCode]
	switch {
	case paid.PromotionCode != "" && (!known || !c.Asks.PromotionCodes):
		return Refuse("", "promotion_code", "This code is invalid.")
	case c.Asks.Terms && !paid.TermsAccepted:
		return Refuse("", "", "You must accept the terms of service.")
	case paid.Card == CardAsks && paid.Confirmation == Declines:
		return Refuse("payment_intent_authentication_failure", "", "We are unable to authenticate your payment method. Please choose a different payment method and try again.")
	case paid.Card == CardAsks && paid.Confirmation != Confirms:
		return declined(declineAsks)
	}
	if c.Once {
		return tx.payOnce(c, paid.Card, off)
	}
	s, err := tx.Subscribe(Start{
		Customer: c.Customer, Price: c.Price, Quantity: c.Quantity, Card: paid.Card, Metadata: c.SubscriptionMetadata, PercentOff: off, Taxed: c.Asks.Tax, TrialDays: c.TrialDays,
	})
	if err != nil {
		return err
	}
	c.Status, c.Subscription, c.Invoice, c.PercentOff = CheckoutComplete, s.ID, s.LatestInvoice, off
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
