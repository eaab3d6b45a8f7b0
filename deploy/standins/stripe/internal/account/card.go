package account

import (
	"maps"
	"slices"
	"time"
)

// The test cards, named by what they do. Stripe's numbers of the same behaviour
// stand in brackets (https://docs.stripe.com/testing).
const (
	CardWorks      = "works"       // 4242 4242 4242 4242
	CardWorksToo   = "works_too"   // 5555 5555 5555 4444
	CardDeclined   = "declined"    // 4000 0000 0000 0002
	CardFailsLater = "fails_later" // 4000 0000 0000 0341: may be saved, then fails
	CardAsks       = "asks"        // 4000 0025 0000 3155: its first payment waits for the payer (3-D Secure)
)

// The test bank accounts. A debit takes debitDays until it is known whether there is money.
const (
	DebitWorks = "debit"       // 000123456789
	DebitFails = "debit_fails" // 000222222227: insufficient funds
)

// debitDays is how long the money of a bank account is on its way.
const debitDays = 4

// TestCard is what the pages say about a test card.
type TestCard struct {
	Name, Brand, Last4, Note string
}

// TestCards lists the cards that anybody may use, in the pages' order.
func TestCards() []TestCard {
	return []TestCard{
		{CardWorks, "visa", "4242", "pays"},
		{CardWorksToo, "mastercard", "4444", "pays"},
		{CardDeclined, "visa", "0002", "is declined"},
		{CardFailsLater, "visa", "0341", "can be saved, then fails"},
		{CardAsks, "visa", "3155", "asks its payer to confirm the first payment"},
	}
}

// TestAccounts lists the bank accounts that a checkout may be paid from.
func TestAccounts() []TestCard {
	return []TestCard{
		{DebitWorks, "bank account", "6789", "pays after four days"},
		{DebitFails, "bank account", "2227", "fails after four days"},
	}
}

// Card is a customer's payment method (https://docs.stripe.com/api/payment_methods): a card, or a
// bank account.
type Card struct {
	ID, Customer       string
	Name, Brand, Last4 string
	Month, Year        int
	Created            int64
}

// Key identifies the row.
func (c *Card) Key() string { return c.ID }

// debit tells that it is a bank account.
func (c *Card) debit() bool { return c.Name == DebitWorks || c.Name == DebitFails }

// SaveCard gives a customer a test card.
func (tx *Tx) SaveCard(customer, name string) (*Card, error) {
	card, err := tx.newCard(customer, name)
	if err != nil {
		return nil, err
	}
	if name == CardDeclined {
		return nil, declined(declineGeneric)
	}
	tx.Cards.put(card)
	return card, nil
}

func (tx *Tx) newCard(customer, name string) (*Card, error) {
	all := append(TestCards(), TestAccounts()...)
	i := slices.IndexFunc(all, func(c TestCard) bool { return c.Name == name })
	if i < 0 {
		return nil, Refuse("parameter_invalid_string", "card", "There is no test card named %q.", name)
	}
	test := all[i]
	return &Card{
		ID: NewID("pm_"), Customer: customer, Name: name, Brand: test.Brand, Last4: test.Last4,
		Month: 12, Year: time.Unix(tx.at, 0).UTC().Year() + 3, Created: tx.at,
	}, nil
}

// Expire makes a card run out with the month before this one.
func (tx *Tx) Expire(c *Card) {
	before := time.Unix(tx.at, 0).UTC().AddDate(0, -1, -time.Unix(tx.at, 0).UTC().Day()+1)
	c.Month, c.Year = int(before.Month()), before.Year()
}

func (tx *Tx) expired(c *Card) bool {
	return !c.debit() && tx.at >= time.Date(c.Year, time.Month(c.Month)+1, 1, 0, 0, 0, 0, time.UTC).Unix()
}

const (
	declineNoCard  = ""
	declineGeneric = "generic_decline"
	declineExpired = "expired_card"
	// declineAsks is no refusal: the payer has to confirm the payment with their bank (3-D Secure).
	declineAsks = "authentication_required"
)

// charge says why a card does not pay; ok when it does.
func (tx *Tx) charge(c *Card) (decline string, ok bool) {
	switch {
	case c == nil:
		return declineNoCard, false
	case tx.expired(c):
		return declineExpired, false
	case c.Name == CardFailsLater || c.Name == CardDeclined:
		return declineGeneric, false
	}
	return "", true
}

func declineCode(reason string) string {
	switch reason {
	case declineNoCard:
		return "missing"
	case declineExpired:
		return "expired_card"
	case declineAsks:
		return "invoice_payment_intent_requires_action"
	}
	return "card_declined"
}

func declineReason(reason string) string {
	if reason == declineGeneric {
		return reason
	}
	return ""
}

func declineText(reason string) string {
	switch reason {
	case declineNoCard:
		return "This customer has no attached payment source or default payment method."
	case declineExpired:
		return "Your card has expired."
	case declineAsks:
		return "This payment requires additional user action before it can be completed successfully."
	}
	return "Your card was declined."
}

// EncodeCard returns the API object.
func (tx *Tx) EncodeCard(c *Card) Object {
	details := c.details()
	if c.debit() {
		maps.Copy(details, Object{
			"financial_connections_account": nil, "networks": Object{"preferred": "ach", "supported": []string{"ach"}}, "status_details": nil,
		})
		delete(details, "payment_reference")
	} else {
		maps.Copy(details, Object{
			"display_brand": c.Brand, "generated_from": nil, "networks": Object{"available": []string{c.Brand}, "preferred": nil},
			"three_d_secure_usage": Object{"supported": true}, "regulated_status": "unregulated",
		})
	}
	return Object{
		"id": c.ID, "object": "payment_method", "type": c.kind(), "created": c.Created, "customer": text(c.Customer),
		"allow_redisplay": "limited", "billing_details": tx.billingDetails(c.Customer), c.kind(): details,
		"livemode": false, "metadata": tags(nil),
	}
}

// kind is Stripe's word for the type of payment method.
func (c *Card) kind() string {
	if c.debit() {
		return "us_bank_account"
	}
	return "card"
}

func (c *Card) details() Object {
	if c.debit() {
		return Object{
			"account_holder_type": "individual", "account_type": "checking", "bank_name": "STRIPE TEST BANK", "fingerprint": "local" + c.Last4,
			"last4": c.Last4, "routing_number": "110000000", "payment_reference": nil,
		}
	}
	return Object{
		"brand": c.Brand, "last4": c.Last4, "exp_month": c.Month, "exp_year": c.Year, "country": "US", "funding": "credit",
		"fingerprint": "local" + c.Last4, "wallet": nil,
		"checks": Object{"address_line1_check": nil, "address_postal_code_check": nil, "cvc_check": "pass"},
	}
}

func (tx *Tx) billingDetails(customer string) Object {
	details := Object{
		"name": nil, "email": nil, "phone": nil, "tax_id": nil,
		"address": Object{"city": nil, "country": nil, "line1": nil, "line2": nil, "postal_code": nil, "state": nil},
	}
	if c := tx.Customers.Get(customer); c != nil {
		details["name"], details["email"] = text(c.Name), text(c.Email)
	}
	return details
}

// PayWith makes a card the one that pays for a customer, now and from now on.
func (tx *Tx) PayWith(customer string, card *Card) error {
	c, err := tx.Customer(customer, "customer")
	if err != nil {
		return err
	}
	c.Card = card.ID
	for _, s := range tx.Subscriptions.All(func(s *Subscription) bool { return s.Customer == customer && !s.Ended() }) {
		tx.Annotate(s, nil, &card.ID, nil, nil)
	}
	return nil
}

// PayingCard is the card that pays for what a customer has; nil when there is none.
func (tx *Tx) PayingCard(customer string) *Card {
	for _, s := range tx.Subscriptions.Newest(func(s *Subscription) bool { return s.Customer == customer && !s.Ended() }) {
		if card := tx.payer(s, ""); card != nil {
			return card
		}
	}
	return tx.Cards.Get(tx.Customers.Get(customer).Card)
}
