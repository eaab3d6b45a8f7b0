package account

import (
	"fmt"
	"strconv"
	"time"
)

// Line is one row of an invoice.
type Line struct {
	ID, Price, Description string
	Amount, Quantity       int64
	From, To               int64 // the period that it is for
	Proration              bool
	// OneOff was added to the invoice by somebody: a credit or a fee. It has no price.
	OneOff bool
}

// AddItem has the subscription's next invoice charge an amount more, or less.
func (tx *Tx) AddItem(s *Subscription, amount int64, description string) {
	s.Pending = append(s.Pending, Line{
		ID: NewID("il_"), Quantity: 1, Amount: amount, Description: description, From: tx.at, To: tx.at, OneOff: true,
	})
}

// cycleLines are the whole current period of all that a subscription charges for.
func (tx *Tx) cycleLines(s *Subscription) []Line {
	lines := []Line{tx.cycleLine(s)}
	for _, price := range s.Beside {
		other := *s
		other.Price, other.Quantity = price, 1
		lines = append(lines, tx.cycleLine(&other))
	}
	return lines
}

// cycleLine is the whole current period.
func (tx *Tx) cycleLine(s *Subscription) Line {
	price := tx.Prices.Get(s.Price)
	if s.Status == StatusTrialing {
		return Line{
			ID: NewID("il_"), Price: s.Price, Quantity: s.Quantity, Description: "Trial period for " + tx.PriceName(s.Price),
			From: s.PeriodStart, To: s.PeriodEnd,
		}
	}
	return Line{
		ID: NewID("il_"), Price: s.Price, Quantity: s.Quantity, Amount: price.Amount * s.Quantity,
		Description: fmt.Sprintf("%d × %s (at $%d.%02d / %s)", s.Quantity, tx.PriceName(s.Price), price.Amount/100, price.Amount%100, price.Interval),
		From:        s.PeriodStart, To: s.PeriodEnd,
	}
}

// prorations give back what is left of the old plan and charge the new one until its period ends, to the second.
func (tx *Tx) prorations(s *Subscription, to Change) []Line {
	today := time.Unix(tx.at, 0).UTC().Format("2 Jan 2006")
	line := func(id string, quantity, sign int64, what string) Line {
		price := tx.Prices.Get(id)
		n, end := tx.until(s, id, tx.at)
		amount := int64(0)
		if s.Status != StatusTrialing {
			amount = sign * portion(price.Amount*quantity, end-tx.at, end-price.end(s.Anchor, n-1))
		}
		return Line{
			ID: NewID("il_"), Price: id, Quantity: quantity, Proration: true, From: tx.at, To: end, Amount: amount,
			Description: fmt.Sprintf("%s time on %s after %s", what, tx.PriceName(id), today),
		}
	}
	return []Line{line(s.Price, s.Quantity, -1, "Unused"), line(to.Price, to.Quantity, 1, "Remaining")}
}

// until is the period after a moment that a subscription would be in at a price: which it is since the anchor, and its end. In
// flexible billing mode a price for another interval keeps the day of the renewals
// (https://docs.stripe.com/billing/subscriptions/billing-mode/compare), and so does one in a trial its end.
func (tx *Tx) until(s *Subscription, price string, after int64) (n int, end int64) {
	if s.Status == StatusTrialing {
		return s.Periods, s.PeriodEnd
	}
	for n = 1; ; n++ {
		if end = tx.Prices.Get(price).end(s.Anchor, n); end > after {
			return n, end
		}
	}
}

// portion is whole × part / of, rounded.
func portion(whole, part, of int64) int64 { return (2*whole*part + of) / (2 * of) }

// EncodeLine returns the API object.
func (tx *Tx) EncodeLine(i *Invoice, l Line) Object {
	discounted, net := []Object{}, l.Amount
	if i.Discount != "" && !l.Proration {
		off := portion(l.Amount, i.PercentOff, 100)
		discounted = append(discounted, Object{"amount": off, "discount": i.Discount})
		net -= off
	}
	taxed := int64(0)
	if i.Taxed {
		taxed = tax(net)
	}
	return Object{
		"id": l.ID, "object": "line_item", "amount": l.Amount, "currency": i.Currency, "description": l.Description,
		"discount_amounts": discounted, "discountable": !l.Proration, "discounts": []string{}, "invoice": i.ID,
		"livemode": false, "metadata": tags(i.SubscriptionMetadata),
		"parent": i.parent(l), "period": Object{"start": l.From, "end": l.To}, "pretax_credit_amounts": []any{},
		"pricing": tx.pricing(l), "quantity": l.Quantity, "quantity_decimal": strconv.FormatInt(l.Quantity, 10),
		"subtotal": l.Amount, "subscription": text(i.Subscription), "taxes": taxes(taxed, net),
	}
}

// parent says what put a line on an invoice.
func (i *Invoice) parent(l Line) Object {
	details := Object{"proration": l.Proration, "proration_details": Object{"credited_items": nil}, "subscription": text(i.Subscription)}
	if l.OneOff || i.Subscription == "" {
		details["invoice_item"] = "ii_" + l.ID[len("il_"):]
		return Object{"type": "invoice_item_details", "invoice_item_details": details, "subscription_item_details": nil}
	}
	details["invoice_item"], details["subscription_item"] = nil, i.Item
	return Object{"type": "subscription_item_details", "invoice_item_details": nil, "subscription_item_details": details}
}

// pricing is none of a line that was added with an amount.
func (tx *Tx) pricing(l Line) any {
	if l.OneOff {
		return nil
	}
	price := tx.Prices.Get(l.Price)
	return Object{
		"type": "price_details", "unit_amount_decimal": strconv.FormatInt(price.Amount, 10),
		"price_details": Object{"price": l.Price, "product": price.Product},
	}
}
