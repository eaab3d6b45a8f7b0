package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/bus"
)

var errOutage = errors.New("Stripe does not answer")

// simStripe is the truth: what people bought, and what of it billing has to come to.
type simStripe struct {
	*scheduler
	run  string
	lock sync.Mutex
	subs []*sold
	// events are those that Stripe keeps delivering; acked those that were taken.
	events []*simEvent
	acked  []string
	serial int
	now    time.Time
}

// sold is somebody's subscription with all that hangs on it.
type sold struct {
	stripe.Subscription
	user string
	// grants are the credits that were paid for, withdrawals the money that went back. late is what was paid
	// after its person had left, with the object that tells.
	grants      map[string]int64
	withdrawals map[string]bool
	late        map[string]string
	// leaves is the event of whoever has deleted the account; left says that billing has answered it.
	leaves *bus.Event
	left   bool
	// words are what identity has said of the account, the latest last.
	words []*word
	// closed is the checkout of whoever has bought nothing yet, and gone the customer. unpaid is an invoice.
	closed, gone bool
	unpaid       string

	invoices []stripe.Invoice // all paid
	charges  map[string]*stripe.Charge
	disputes []stripe.Dispute
	warnings []*stripe.FraudWarning
	packs    []*soldPack
	// history is what Stripe has said of it one after the other, the last as it is now;
	// shown the place of what billing was last seen to have.
	history []stripe.Subscription
	shown   int
}

type simEvent struct {
	id, kind, object string
	acked            bool
}

// simDay is after how many seconds of a period people change their plan.
const simDay = 24 * 60 * 60

var monthly = map[string]int64{"price_pro": 5000, earlier: 5000, "price_business": 10000}

// earlier is a price of Pro that is offered no more.
const earlier = "price_pro_2025"

// product is what a price sells.
func product(price string) string {
	if price == earlier {
		price = "price_pro"
	}
	return strings.Replace(price, "price_", "prod_", 1)
}

func (s *simStripe) id(prefix string) string {
	s.serial++
	return fmt.Sprintf("%s_%s_%d", prefix, s.run, s.serial)
}

func (s *simStripe) tell(kind, object string) {
	s.events = append(s.events, &simEvent{id: s.id("evt"), kind: kind, object: object})
}

// live changes something at Stripe, as somebody who bought would.
func (s *simStripe) live(now time.Time) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.now = now
	sub := s.subs[s.rng.IntN(len(s.subs))]
	defer func() { sub.history = append(sub.history, sub.Subscription) }()
	act := s.rng.IntN(14)
	switch {
	case sub.leaves == nil && s.rng.IntN(20) == 0:
		s.leave(sub)
		return
	case sub.ID != "" && act > 10:
		s.warn(sub)
		return
	case sub.ID != "" && act > 7:
		s.pack(sub, act)
		return
	case sub.ID == "" && (sub.closed || sub.gone):
		return
	case sub.ID == "":
		act = 0
		trial := s.rng.IntN(3) == 0
		sub.Subscription = stripe.Subscription{
			ID: s.id("sub"), CustomerID: sub.CustomerID, Status: "active", ItemID: "si_1", PriceID: "price_pro", Quantity: 1, Items: 1,
			PeriodStart: now, PeriodEnd: now.AddDate(0, 1, 0), Created: now,
		}
		if s.rng.IntN(3) == 0 {
			sub.PriceID = earlier
		}
		sub.ProductID = product(sub.PriceID)
		sub.charges = map[string]*stripe.Charge{}
		if trial {
			s.try(sub)
		} else {
			s.bill(sub, "subscription_create")
		}
		s.tell("customer.subscription.created", sub.ID)
	case act == 6:
		s.refund(sub)
		return
	case act == 7:
		s.dispute(sub)
		return
	case sub.Status == "canceled":
		return
	case act < 2:
		sub.PeriodStart, sub.PeriodEnd, sub.Status, sub.unpaid = sub.PeriodEnd, sub.PeriodEnd.AddDate(0, 1, 0), "active", ""
		s.bill(sub, "subscription_cycle")
	case act == 2 && sub.Status == "trialing", act == 3 && sub.Status == "trialing":
		return
	case act == 2:
		s.change(sub)
	case act == 3 && sub.Status == "active":
		sub.Status, sub.unpaid = "past_due", s.id("in")
	case act == 3:
		sub.Status, sub.unpaid = "active", ""
	case act == 4:
		sub.CancelAtPeriodEnd = !sub.CancelAtPeriodEnd
	case s.rng.IntN(4) == 0:
		s.end(sub)
		return
	}
	s.note("people", fmt.Sprint("act ", act))
	s.tell("customer.subscription.updated", sub.ID)
}

// bill has the current period paid.
func (s *simStripe) bill(sub *sold, reason string) {
	lines := []stripe.Line{{
		ID: "il_1", PriceID: sub.PriceID, ProductID: sub.ProductID, Amount: 2500, Quantity: 1, Start: sub.PeriodStart, End: sub.PeriodEnd,
	}}
	if s.rng.IntN(3) == 0 { // somebody has added something
		extra := lines[0]
		extra.ID, extra.OneOff, extra.Amount = "il_2", true, -500
		lines = append(lines, extra)
	}
	s.pay(sub, reason, lines...)
	sub.paid(sub.ID, fmt.Sprintf("%s/%d/base", sub.ID, sub.PeriodStart.Unix()), monthly[sub.PriceID], s.now)
}

func (s *simStripe) pay(sub *sold, reason string, lines ...stripe.Line) {
	i := stripe.Invoice{
		ID: s.id("in"), CustomerID: sub.CustomerID, SubscriptionID: sub.ID, Reason: reason, Status: "paid", Currency: "usd",
		Created: sub.PeriodStart.Add(time.Duration(s.serial) * time.Second), PaidAt: s.now, Lines: lines,
	}
	sub.invoices = append([]stripe.Invoice{i}, sub.invoices...)
	sub.charges[i.ID] = &stripe.Charge{ID: strings.Replace(i.ID, "in_", "ch_", 1), IntentID: strings.Replace(i.ID, "in_", "pi_", 1), Amount: 2500}
	sub.pays(sub.ID, i.ID, s.now)
	s.tell("invoice.paid", i.ID)
}

// change is to the other plan, in the middle of the period.
func (s *simStripe) change(sub *sold) {
	other, back, charged := "price_business", int64(-1600), int64(3200)
	if sub.PriceID == other {
		other, back, charged = "price_pro", -3200, 1600
	} else {
		length := int64(sub.PeriodEnd.Sub(sub.PeriodStart) / time.Second)
		sub.paid(sub.ID, fmt.Sprintf("%s/%d/upgrade:business", sub.ID, sub.PeriodStart.Unix()), (5000*(length-simDay)+length-1)/length, s.now)
	}
	middle := sub.PeriodStart.Add(simDay * time.Second)
	part := func(id, price string, amount int64) stripe.Line {
		return stripe.Line{ID: id, PriceID: price, ProductID: product(price), Amount: amount, Quantity: 1, Start: middle, End: sub.PeriodEnd, Proration: true}
	}
	old := sub.PriceID
	sub.PriceID, sub.ProductID = other, product(other)
	s.pay(sub, "subscription_update", part("il_1", old, back), part("il_2", other, charged))
}

// whole picks an invoice that paid for a period.
func (s *simStripe) whole(sub *sold) (*stripe.Charge, bool) {
	i := sub.invoices[s.rng.IntN(len(sub.invoices))]
	return sub.charges[i.ID], i.Reason != "subscription_update"
}

func (s *simStripe) refund(sub *sold) {
	if charge, ok := s.whole(sub); ok {
		if standing := s.standing(charge); standing >= 0 && s.rng.IntN(2) == 0 {
			s.fail(sub, charge, standing)
			return
		}
		s.refundOf(sub, charge, 800)
	}
}

func (s *simStripe) refundOf(sub *sold, charge *stripe.Charge, amount int64) {
	r := stripe.Refund{ID: s.id("re"), Amount: amount, Status: "succeeded"}
	charge.Refunds = append(slices.Clone(charge.Refunds), r)
	sub.withdrawals["refund/"+r.ID] = true
	s.note("people", "refund")
	s.tell("charge.refunded", charge.ID)
	if refunded(charge) >= charge.Amount {
		s.settle(sub, charge.ID)
	}
}

// standing is the place of a charge's first refund that has succeeded, or -1.
func (s *simStripe) standing(charge *stripe.Charge) int {
	return slices.IndexFunc(charge.Refunds, func(r stripe.Refund) bool { return r.Status == "succeeded" })
}

// fail has a refund's money come back.
func (s *simStripe) fail(sub *sold, charge *stripe.Charge, i int) {
	charge.Refunds = slices.Clone(charge.Refunds)
	charge.Refunds[i].Status = "failed"
	delete(sub.withdrawals, "refund/"+charge.Refunds[i].ID)
	s.note("people", "a refund fails")
	s.tell("refund.updated", charge.Refunds[i].ID)
}

func (s *simStripe) dispute(sub *sold) {
	if len(sub.disputes) > 0 && s.rng.IntN(2) == 0 {
		s.decide(sub, &sub.disputes[s.rng.IntN(len(sub.disputes))])
	} else if charge, ok := s.whole(sub); ok {
		s.disputeOf(sub, charge)
	}
}

func (s *simStripe) disputeOf(sub *sold, charge *stripe.Charge) {
	d := stripe.Dispute{ID: s.id("dp"), ChargeID: charge.ID, Amount: 2500, Status: "needs_response"}
	sub.disputes = append(sub.disputes, d)
	sub.withdrawals["dispute/"+d.ID] = true
	s.note("people", "new dispute")
	s.tell("charge.dispute.created", d.ID)
	s.settle(sub, charge.ID)
}

// decide has an open dispute lost or won, one that was lost won, or one that was won lost.
func (s *simStripe) decide(sub *sold, d *stripe.Dispute) {
	if d.Status == "lost" || d.Status == "needs_response" && s.rng.IntN(2) == 0 {
		d.Status = "won"
		delete(sub.withdrawals, "dispute/"+d.ID)
	} else {
		d.Status = "lost"
		sub.withdrawals["dispute/"+d.ID] = true
	}
	s.note("people", d.Status+" dispute")
	s.tell("charge.dispute.closed", d.ID)
}

// client is Stripe as one process sees it. What it reads is what is so at that moment;
// until it hears of that, it may be no more.
type client struct {
	*simStripe
	*process
}

// ask answers with what find finds.
func ask[T any](c client, question string, find func(*sold) (T, bool)) (answer T, err error) {
	if o := c.point("ask for " + question); o.dead || o.outage {
		return answer, errOutage
	}
	found := false
	c.lock.Lock()
	for _, sub := range c.subs {
		if a, ok := find(sub); ok {
			answer, found = a, true
		}
	}
	c.lock.Unlock()
	if c.point("hear of "+question).dead || !found {
		return answer, errOutage
	}
	return answer, nil
}

func (c client) Subscription(_ context.Context, id string) (stripe.Subscription, error) {
	return ask(c, "subscription", func(s *sold) (stripe.Subscription, bool) { return s.Subscription, s.ID == id })
}

func (c client) PaidInvoices(_ context.Context, subscription string) ([]stripe.Invoice, error) {
	return ask(c, "paid invoices", func(s *sold) ([]stripe.Invoice, bool) { return slices.Clone(s.invoices), s.ID == subscription })
}

func (c client) Invoice(_ context.Context, id string) (stripe.Invoice, error) {
	return ask(c, "invoice", func(s *sold) (stripe.Invoice, bool) {
		i := slices.IndexFunc(s.invoices, func(i stripe.Invoice) bool { return i.ID == id })
		if i < 0 {
			return stripe.Invoice{}, false
		}
		return s.invoices[i], true
	})
}

func (c client) InvoicesOfPayment(_ context.Context, intent string) ([]stripe.Invoice, error) {
	return ask(c, "invoices of a payment", func(s *sold) ([]stripe.Invoice, bool) {
		for _, i := range s.invoices {
			if s.charges[i.ID].IntentID == intent {
				return []stripe.Invoice{i}, true
			}
		}
		return nil, false
	})
}

func (c client) Charge(_ context.Context, id string) (stripe.Charge, error) {
	return ask(c, "charge", func(s *sold) (stripe.Charge, bool) {
		for _, charge := range s.charges {
			if charge.ID == id {
				return *charge, true
			}
		}
		for _, p := range s.packs {
			if p.charge.ID == id {
				return p.charge, true
			}
		}
		return stripe.Charge{}, false
	})
}

func (c client) Dispute(_ context.Context, id string) (stripe.Dispute, error) {
	return ask(c, "dispute", func(s *sold) (stripe.Dispute, bool) {
		i := slices.IndexFunc(s.disputes, func(d stripe.Dispute) bool { return d.ID == id })
		if i < 0 {
			return stripe.Dispute{}, false
		}
		return s.disputes[i], true
	})
}

func (c client) ChargesOf(_ context.Context, invoice string) ([]stripe.Charge, error) {
	return ask(c, "charges of an invoice", func(s *sold) ([]stripe.Charge, bool) {
		charge, ok := s.charges[invoice]
		if !ok {
			return nil, false
		}
		return []stripe.Charge{{ID: charge.ID, Amount: charge.Amount}}, true
	})
}

func (client) PaymentProcessing(context.Context, string) (bool, error) { return false, nil }

func (client) OpenInvoices(context.Context, string) ([]stripe.Invoice, error) { return nil, nil }

func (c client) ChargeOfRefund(_ context.Context, id string) (string, error) {
	return ask(c, "charge of a refund", func(s *sold) (string, bool) {
		for _, p := range s.packs {
			if slices.ContainsFunc(p.charge.Refunds, func(r stripe.Refund) bool { return r.ID == id }) {
				return p.charge.ID, true
			}
		}
		for _, charge := range s.charges {
			if slices.ContainsFunc(charge.Refunds, func(r stripe.Refund) bool { return r.ID == id }) {
				return charge.ID, true
			}
		}
		return "", false
	})
}

// charged reports whether a charge has paid for the subscription; others have paid for packs.
func (s *sold) charged(id string) bool {
	for _, charge := range s.charges {
		if charge.ID == id {
			return true
		}
	}
	return false
}
