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
}

// cycleLine is the whole current period.
func (tx *Tx) cycleLine(s *Subscription) Line {
	price := tx.Prices.Get(s.Price)
	return Line{
		ID: NewID("il_"), Price: s.Price, Quantity: s.Quantity, Amount: price.Amount * s.Quantity,
		Description: fmt.Sprintf("%d × %s (at $%d.%02d / %s)", s.Quantity, tx.PriceName(s.Price), price.Amount/100, price.Amount%100, price.Interval),
		From:        s.PeriodStart, To: s.PeriodEnd,
	}
}

// prorations give back what is left of the old plan and charge the rest of the
// period for the new one, to the second.
func (tx *Tx) prorations(s *Subscription, to Change) []Line {
	today := time.Unix(tx.at, 0).UTC().Format("2 Jan 2006")
	line := func(price string, quantity, sign int64, what string) Line {
		whole := tx.Prices.Get(price).Amount * quantity
		return Line{
			ID: NewID("il_"), Price: price, Quantity: quantity, Proration: true, From: tx.at, To: s.PeriodEnd,
			Amount:      sign * portion(whole, s.PeriodEnd-tx.at, s.PeriodEnd-s.PeriodStart),
			Description: fmt.Sprintf("%s time on %s after %s", what, tx.PriceName(price), today),
		}
	}
	return []Line{
		line(s.Price, s.Quantity, -1, "Unused"),
		line(to.Price, to.Quantity, 1, "Remaining"),
	}
}

// portion is whole × part / of, rounded.
func portion(whole, part, of int64) int64 { return (2*whole*part + of) / (2 * of) }

// EncodeLine returns the API object.
func (tx *Tx) EncodeLine(i *Invoice, l Line) Object {
	price := tx.Prices.Get(l.Price)
	discounted := []Object{}
	if i.Discount != "" && !l.Proration {
		discounted = append(discounted, Object{"amount": portion(l.Amount, i.PercentOff, 100), "discount": i.Discount})
	}
	return Object{
		"id": l.ID, "object": "line_item", "amount": l.Amount, "currency": i.Currency, "description": l.Description,
		"discount_amounts": discounted, "discountable": !l.Proration, "discounts": []string{}, "invoice": i.ID,
		"livemode": false, "metadata": tags(i.SubscriptionMetadata),
		"parent": Object{
			"type": "subscription_item_details", "invoice_item_details": nil,
			"subscription_item_details": Object{
				"invoice_item": nil, "proration": l.Proration, "proration_details": Object{"credited_items": nil},
				"subscription": i.Subscription, "subscription_item": i.Item,
			},
		},
		"period": Object{"start": l.From, "end": l.To}, "pretax_credit_amounts": []any{},
		"pricing": Object{
			"type": "price_details", "unit_amount_decimal": strconv.FormatInt(price.Amount, 10),
			"price_details": Object{"price": l.Price, "product": price.Product},
		},
		"quantity": l.Quantity, "quantity_decimal": strconv.FormatInt(l.Quantity, 10), "subtotal": l.Amount, "subscription": i.Subscription, "taxes": []any{},
	}
}
