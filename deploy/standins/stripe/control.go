package stripe

import (
	"context"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
	"fledge.dev/deploy/standins/stripe/internal/api"
	"fledge.dev/deploy/standins/stripe/internal/webhooks"
)

type (
	// Purchase is what is filled in on the page of a checkout.
	Purchase = account.Purchase
	// Fault is an injected fault of the API; the zero value is a healthy one.
	Fault = api.Fault
	// Call is a request that the API got.
	Call = api.Call
	// Delivery is how events are sent; the zero value sends each once, in order.
	Delivery = webhooks.Policy
	// Deliveries counts what was sent.
	Deliveries = webhooks.Stats
)

// Which secrets sign a delivery.
const (
	SignNew  = webhooks.SignNew
	SignOld  = webhooks.SignOld
	SignBoth = webhooks.SignBoth
)

// SetFault injects a fault from the next request on.
func (s *Server) SetFault(f Fault) { s.api.Faults.Set(f) }

// Calls returns what the API was asked, the oldest first.
func (s *Server) Calls() []Call { return s.api.Calls.All() }

// CountCalls is how many calls begin with a route, such as
// "POST /v1/checkout/sessions", "POST" or "".
func (s *Server) CountCalls(route string) int { return s.api.Calls.Count(route) }

// ClearCalls forgets the calls.
func (s *Server) ClearCalls() { s.api.Calls.Clear() }

// SetDelivery changes how events are sent, also those that wait.
func (s *Server) SetDelivery(d Delivery) error { return s.sender.SetPolicy(d) }

// Deliveries counts what was sent, and what waits.
func (s *Server) Deliveries() Deliveries { return s.sender.Stats() }

// Now is the stand-in's time.
func (s *Server) Now(ctx context.Context) (now time.Time, err error) {
	err = s.account.Read(ctx, func(tx *account.Tx) { now = time.Unix(tx.Now(), 0).UTC() })
	return now, err
}

// Advance moves the clock on by months of the calendar and a duration, and does
// what falls due until then. A renewal is collected an hour after its period began.
func (s *Server) Advance(ctx context.Context, months int, by time.Duration) error {
	return s.account.Advance(ctx, months, by)
}

// AdvanceToTenth moves the clock on to 10:00 UTC on the tenth of the next month. A
// test that steps by months begins there: from the end of a month, a step is shorter
// than a billing period, or the hours between two steps lead into another month.
func (s *Server) AdvanceToTenth(ctx context.Context) error {
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	return s.Advance(ctx, 0, time.Date(now.Year(), now.Month()+1, 10, 10, 0, 0, 0, time.UTC).Sub(now))
}

// PutPrice adds a price to the catalogue, or replaces it.
func (s *Server) PutPrice(ctx context.Context, p Price) error {
	return s.change(ctx, func(tx *account.Tx) error {
		if tx.Products.Get(p.Product) == nil {
			tx.PutProduct(Product{ID: p.Product, Name: p.Product})
		}
		tx.PutPrice(p)
		return nil
	})
}

// DeletePrice takes a price off the catalogue, which Stripe allows while nobody has it.
func (s *Server) DeletePrice(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *account.Tx) error { return tx.DeletePrice(id) })
}

// PutProduct adds a product to the catalogue, or replaces it, as one that is archived.
func (s *Server) PutProduct(ctx context.Context, p Product) error {
	return s.change(ctx, func(tx *account.Tx) error {
		tx.PutProduct(p)
		return nil
	})
}

// DeactivatePortals has no configuration of the portal be used any more.
func (s *Server) DeactivatePortals(ctx context.Context) error {
	return s.change(ctx, func(tx *account.Tx) error {
		for _, c := range tx.Configurations.All(func(*account.Configuration) bool { return true }) {
			c.Inactive = true
		}
		return nil
	})
}

// PayCheckout pays for a checkout as its page does. The terms of service are accepted.
func (s *Server) PayCheckout(ctx context.Context, id, card string) error {
	return s.PayCheckoutWith(ctx, id, Purchase{Card: card, TermsAccepted: true})
}

// PayCheckoutWith does the same with all that can be filled in.
func (s *Server) PayCheckoutWith(ctx context.Context, id string, paid Purchase) error {
	return s.change(ctx, func(tx *account.Tx) error {
		checkout, err := tx.Checkout(id)
		if err != nil {
			return err
		}
		return tx.PayCheckout(checkout, paid)
	})
}

// StallPayment has the payment of an invoice that is on its way fail, and the invoice stay open, as
// in the first day of a subscription.
func (s *Server) StallPayment(ctx context.Context, invoice string) error {
	return s.invoice(ctx, invoice, (*account.Tx).StallPayment)
}

// Subscribe starts a subscription without a checkout and returns its id.
func (s *Server) Subscribe(ctx context.Context, customer, price string, quantity int64, card string) (id string, err error) {
	err = s.change(ctx, func(tx *account.Tx) error {
		if _, err := tx.Customer(customer, "customer"); err != nil {
			return err
		}
		started, err := tx.Subscribe(account.Start{Customer: customer, Price: price, Quantity: quantity, Card: card, AskPayer: card == CardAsks})
		if err == nil {
			id = started.ID
		}
		return err
	})
	return id, err
}

// ScheduleChange gives a subscription another price with its next period, as staff do in the dashboard.
func (s *Server) ScheduleChange(ctx context.Context, subscription, price string) error {
	return s.subscription(ctx, subscription, func(tx *account.Tx, found *account.Subscription) error {
		return tx.ScheduleChange(found, account.Change{Price: price, Quantity: found.Quantity})
	})
}

// FailPayments makes the next payments of a subscription fail whatever the card;
// a negative number means all.
func (s *Server) FailPayments(ctx context.Context, subscription string, times int) error {
	return s.subscription(ctx, subscription, func(_ *account.Tx, found *account.Subscription) error {
		found.FailPayments = times
		return nil
	})
}

// AskPayer makes the next payment of a subscription wait until its payer has confirmed it with their bank, as for 3-D Secure.
func (s *Server) AskPayer(ctx context.Context, subscription string) error {
	return s.subscription(ctx, subscription, func(_ *account.Tx, found *account.Subscription) error {
		found.AskPayer = true
		return nil
	})
}

// Confirm has the payer confirm the payment of an invoice that waits for that.
func (s *Server) Confirm(ctx context.Context, invoice string) error {
	return s.invoice(ctx, invoice, (*account.Tx).Confirm)
}

// Credit has a credit note take an amount off an open invoice, as staff do in the dashboard.
func (s *Server) Credit(ctx context.Context, invoice string, amount int64) error {
	return s.invoice(ctx, invoice, func(tx *account.Tx, found *account.Invoice) error { return tx.Credit(found, amount) })
}

// Discount takes a percentage off a subscription's further invoices.
func (s *Server) Discount(ctx context.Context, subscription string, percent int64) error {
	return s.subscription(ctx, subscription, func(tx *account.Tx, found *account.Subscription) error {
		return tx.SetDiscount(found, percent)
	})
}

// AddItem has a subscription's next invoice charge an amount more, or less, as staff do in the
// dashboard.
func (s *Server) AddItem(ctx context.Context, subscription string, amount int64, description string) error {
	return s.subscription(ctx, subscription, func(tx *account.Tx, found *account.Subscription) error {
		tx.AddItem(found, amount, description)
		return nil
	})
}

// PutBeside has a subscription charge for another product, too, from its next period on, as staff do in the dashboard.
func (s *Server) PutBeside(ctx context.Context, subscription, price string) error {
	return s.subscription(ctx, subscription, func(tx *account.Tx, found *account.Subscription) error { return tx.Put(found, price) })
}

// SendInvoices has the further invoices of a subscription sent, to be paid within days, instead of charged (send_invoice).
func (s *Server) SendInvoices(ctx context.Context, subscription string, days int64) error {
	return s.subscription(ctx, subscription, func(tx *account.Tx, found *account.Subscription) error {
		tx.Send(found, days)
		return nil
	})
}

// Pause pauses a subscription, as Stripe does after a trial without a card.
func (s *Server) Pause(ctx context.Context, subscription string) error {
	return s.subscription(ctx, subscription, (*account.Tx).Pause)
}

// Resume ends a pause.
func (s *Server) Resume(ctx context.Context, subscription string) error {
	return s.subscription(ctx, subscription, (*account.Tx).Resume)
}

// HoldPayments pauses the collection of a subscription's payments (pause_collection), as staff do in the
// dashboard, or has it go on.
func (s *Server) HoldPayments(ctx context.Context, subscription string, held bool) error {
	return s.subscription(ctx, subscription, func(tx *account.Tx, found *account.Subscription) error {
		tx.Hold(found, held)
		return nil
	})
}

// Dispute has the cardholder's bank take a charge back, and returns the dispute.
func (s *Server) Dispute(ctx context.Context, charge string) (id string, err error) {
	err = s.charge(ctx, charge, func(tx *account.Tx, found *account.Charge) error {
		dispute, err := tx.OpenDispute(found)
		if err == nil {
			id = dispute.ID
		}
		return err
	})
	return id, err
}

// PayPart pays a part of an open invoice, and returns the charge. The last part pays the invoice.
func (s *Server) PayPart(ctx context.Context, invoice string, amount int64) (charge string, err error) {
	err = s.invoice(ctx, invoice, func(tx *account.Tx, found *account.Invoice) error {
		c, err := tx.PayPart(found, amount)
		if err == nil {
			charge = c.ID
		}
		return err
	})
	return charge, err
}

// Warn has the issuer of its card suspect a charge, and returns the early fraud warning.
func (s *Server) Warn(ctx context.Context, charge string) (id string, err error) {
	err = s.charge(ctx, charge, func(tx *account.Tx, found *account.Charge) error {
		warning, err := tx.Warn(found)
		if err == nil {
			id = warning.ID
		}
		return err
	})
	return id, err
}

// CloseDispute ends a dispute, won by us or lost, or turns round one that had ended the
// other way.
func (s *Server) CloseDispute(ctx context.Context, id string, won bool) error {
	return s.change(ctx, func(tx *account.Tx) error {
		dispute, err := tx.Dispute(id)
		if err != nil {
			return err
		}
		return tx.CloseDispute(dispute, won)
	})
}

// PendRefund refunds a part of a charge, by a bank that takes its time, and returns
// the refund.
func (s *Server) PendRefund(ctx context.Context, charge string, amount int64) (id string, err error) {
	err = s.charge(ctx, charge, func(tx *account.Tx, found *account.Charge) error {
		refund, err := tx.Refund(found, amount, "", nil)
		if err == nil {
			id, refund.Pending = refund.ID, true
		}
		return err
	})
	return id, err
}

// FinishRefund has a pending refund succeed.
func (s *Server) FinishRefund(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *account.Tx) error {
		refund, err := tx.RefundByID(id)
		if err == nil {
			tx.FinishRefund(refund)
		}
		return err
	})
}

// FailRefund has a refund fail, pending or succeeded: the money comes back.
func (s *Server) FailRefund(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *account.Tx) error {
		refund, err := tx.RefundByID(id)
		if err != nil {
			return err
		}
		return tx.FailRefund(refund)
	})
}

func (s *Server) change(ctx context.Context, work func(*account.Tx) error) error {
	return s.account.Update(ctx, account.Request{}, work)
}

func (s *Server) subscription(ctx context.Context, id string, work func(*account.Tx, *account.Subscription) error) error {
	return s.change(ctx, func(tx *account.Tx) error {
		found, err := tx.Subscription(id, "id")
		if err != nil {
			return err
		}
		return work(tx, found)
	})
}

func (s *Server) invoice(ctx context.Context, id string, work func(*account.Tx, *account.Invoice) error) error {
	return s.change(ctx, func(tx *account.Tx) error {
		found, err := tx.Invoice(id, "id")
		if err != nil {
			return err
		}
		return work(tx, found)
	})
}

func (s *Server) charge(ctx context.Context, id string, work func(*account.Tx, *account.Charge) error) error {
	return s.change(ctx, func(tx *account.Tx) error {
		found, err := tx.Charge(id, "id")
		if err != nil {
			return err
		}
		return work(tx, found)
	})
}
