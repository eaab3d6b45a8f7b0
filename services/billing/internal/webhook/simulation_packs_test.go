package webhook

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"fledge.dev/services/billing/internal/stripe"
)

// soldPack is a checkout for a pack, with what hangs on it. Its dispute is among those of the
// subscription.
type soldPack struct {
	stripe.Checkout
	intent   string
	charge   stripe.Charge
	disputed bool
}

const (
	packCredits = 2000
	packAmount  = 1200
	trialDays   = 7
)

// try has a subscription begin with a trial, which gives its share of a month.
func (s *simStripe) try(sub *sold) {
	sub.Status, sub.TrialStart, sub.TrialEnd = "trialing", sub.PeriodStart, sub.PeriodStart.AddDate(0, 0, trialDays)
	sub.PeriodEnd = sub.TrialEnd
	s.pay(sub, "subscription_create", stripe.Line{
		ID: "il_1", PriceID: sub.PriceID, ProductID: sub.ProductID, Quantity: 1, Start: sub.PeriodStart, End: sub.PeriodEnd,
	})
	month := 365.25 / 12
	sub.paid(sub.ID, fmt.Sprintf("%s/%d/base", sub.ID, sub.PeriodStart.Unix()), int64(math.Ceil(trialDays*float64(monthly[sub.PriceID])/month)), s.now)
}

// pack has somebody buy a pack, or what was bought before go on: money that was on its way comes or
// does not, and what was paid is refunded or disputed.
func (s *simStripe) pack(sub *sold, act int) {
	if !sub.gone && (len(sub.packs) == 0 || act == 8) {
		s.buyPack(sub)
		return
	}
	if len(sub.packs) == 0 {
		return
	}
	p := sub.packs[s.rng.IntN(len(sub.packs))]
	switch {
	case p.Processing:
		s.arrive(sub, p)
	case !p.Paid:
	case act == 9 && len(p.charge.Refunds) == 0:
		r := stripe.Refund{ID: s.id("re"), Amount: packAmount / 3, Status: "succeeded"}
		p.charge.Refunds = []stripe.Refund{r}
		sub.withdrawals["refund/"+r.ID] = true
		s.note("people", "a refund of a pack")
		s.tell("charge.refunded", p.charge.ID)
	case act == 10 && !p.disputed:
		d := stripe.Dispute{ID: s.id("dp"), ChargeID: p.charge.ID, Amount: packAmount, Status: "needs_response"}
		sub.disputes, p.disputed = append(sub.disputes, d), true
		sub.withdrawals["dispute/"+d.ID] = true
		s.note("people", "a dispute of a pack")
		s.tell("charge.dispute.created", d.ID)
	}
}

// buyPack pays with a card, or from a bank account.
func (s *simStripe) buyPack(sub *sold) {
	id := s.id("cs")
	p := &soldPack{intent: strings.Replace(id, "cs_", "pi_", 1), Checkout: stripe.Checkout{
		ID: id, CustomerID: sub.CustomerID, Status: "complete", Purchase: "p", UserID: sub.user, Credits: packCredits,
		Amount: packAmount, Currency: "usd", Created: sub.PeriodStart,
	}}
	p.charge = stripe.Charge{ID: strings.Replace(id, "cs_", "ch_", 1), IntentID: p.intent, Amount: packAmount}
	sub.packs = append(sub.packs, p)
	if p.Processing = s.rng.IntN(2) == 0; !p.Processing {
		s.pays(sub, p)
	}
	s.note("people", "a pack")
	s.tell("checkout.session.completed", p.ID)
}

func (s *simStripe) arrive(sub *sold, p *soldPack) {
	p.Processing = false
	if s.rng.IntN(3) == 0 {
		s.note("people", "the money of a pack does not come")
		s.tell("checkout.session.async_payment_failed", p.ID)
		return
	}
	s.pays(sub, p)
	s.note("people", "the money of a pack comes")
	s.tell("checkout.session.async_payment_succeeded", p.ID)
}

func (s *simStripe) pays(sub *sold, p *soldPack) {
	p.Paid, p.PaidAt = true, s.now
	sub.paid(p.ID, "pack/"+p.ID, packCredits, s.now)
}

func (c client) Checkout(_ context.Context, id string) (stripe.Checkout, error) {
	return ask(c, "checkout", func(s *sold) (stripe.Checkout, bool) {
		i := slices.IndexFunc(s.packs, func(p *soldPack) bool { return p.ID == id })
		if i < 0 {
			return stripe.Checkout{}, false
		}
		return s.packs[i].Checkout, true
	})
}

func (c client) CheckoutOfPayment(_ context.Context, intent string) (stripe.Checkout, bool, error) {
	type answer struct {
		checkout stripe.Checkout
		ok       bool
	}
	a, err := ask(c, "checkout of a payment", func(s *sold) (answer, bool) {
		for _, p := range s.packs {
			if p.intent == intent {
				return answer{p.Checkout, true}, true
			}
		}
		for _, charge := range s.charges {
			if charge.IntentID == intent {
				return answer{}, true
			}
		}
		return answer{}, false
	})
	return a.checkout, a.ok, err
}

// packsUnsettled says how packs differ from Stripe after all has become quiet.
func (s *simulation) packsUnsettled() error {
	var ids []string
	for _, sub := range s.subs {
		for _, p := range sub.packs {
			if p.Processing && !sub.left {
				ids = append(ids, p.ID)
			}
		}
	}
	var wrong int
	err := s.admin.QueryRow(s.Context(), `SELECT count(*) FROM (
		(SELECT unnest($1::text[]) EXCEPT SELECT checkout_id FROM packs_on_their_way)
		UNION ALL (SELECT checkout_id FROM packs_on_their_way WHERE user_id = ANY($2) EXCEPT SELECT unnest($1::text[]))) differ`, ids, s.users).Scan(&wrong)
	if err == nil && wrong > 0 {
		err = errors.New("packs are not on their way that are, or the other way round")
	}
	return err
}

// packsLast says that a pack does not last for a year.
func (s *simulation) packsLast() error {
	var wrong int
	err := s.admin.QueryRow(s.Context(), `SELECT count(*) FROM credit_grants WHERE user_id = ANY($1) AND starts_with(fact, 'pack/')
		AND (expires_at <> period_end OR period_end - period_start NOT BETWEEN interval '365 days' AND interval '366 days')`, s.users).Scan(&wrong)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d packs do not last for a year", wrong)
	}
	return err
}
