package subscription

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fledge.dev/services/billing/internal/stripe"
)

// partial is an invoice that people pay in parts, some of which go back, before the last has come or after it.
type partial struct {
	*rapid.T
	shop    *shop
	invoice stripe.Invoice
	charges []stripe.Charge
	serial  int
	// late are the parts of which is told only in the end that something went back.
	late []int
	// want is what of the credits goes, by the life and not by what is read of it.
	want int64
}

type partialStripe struct {
	*scripted
	life *partial
}

// InvoicesOfPayment are the one that is paid in parts, whatever has become of it.
func (s partialStripe) InvoicesOfPayment(context.Context, string) ([]stripe.Invoice, error) {
	return []stripe.Invoice{s.life.invoice}, nil
}

// refunds gives back a share of one of the parts, unless nothing is left of it. A refund may fail, and then it takes nothing.
func (p *partial) refunds() {
	n := rapid.IntRange(0, len(p.charges)-1).Draw(p.T, "part")
	left := p.charges[n].Amount
	for _, r := range p.charges[n].Refunds {
		left -= r.Amount
	}
	if left == 0 {
		return
	}
	p.serial++
	r := stripe.Refund{ID: fmt.Sprintf("re_%s_%d", p.invoice.ID, p.serial), Amount: rapid.Int64Range(1, left).Draw(p.T, "refund"), Status: "succeeded"}
	if rapid.IntRange(1, 4).Draw(p.T, "fails") == 1 {
		r.Status = "failed"
	} else {
		p.want += (5000*r.Amount + p.invoice.Total - 1) / p.invoice.Total
	}
	p.charges[n].Refunds = append(slices.Clone(p.charges[n].Refunds), r)
	p.shop.api.parts[p.invoice.ID] = p.charges
	if rapid.Bool().Draw(p.T, "told at once") {
		p.told(n)
	} else {
		p.late = append(p.late, n)
	}
}

func (p *partial) told(n int) {
	if err := p.shop.Refunded(p.shop.Context(), p.charges[n].ID); err != nil {
		p.Fatal(err)
	}
}

// TestOfPartsOnlyWhatIsStillPaidIsGranted, whenever a part went back, and in whatever order that is told.
func TestOfPartsOnlyWhatIsStillPaidIsGranted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.api.parts = map[string][]stripe.Charge{}
	months := 0
	rapid.Check(t, func(rt *rapid.T) {
		months++
		start := first.AddDate(0, months, 0)
		p := &partial{T: rt, shop: s}
		p.invoice = bill(fmt.Sprint("in_", months), "subscription_cycle", start, month("price_pro", start, start.AddDate(0, 1, 0)))
		p.invoice.SubscriptionID, p.invoice.Total, p.invoice.Status = "sub_1", rapid.Int64Range(100, 5000).Draw(rt, "total"), "open"
		s.stripe = partialStripe{s.api, p}
		left := p.invoice.Total
		if rapid.IntRange(1, 3).Draw(rt, "a balance") == 1 {
			left -= left / 3 // pays the rest, at last
		}
		for last := false; !last; {
			amount := rapid.Int64Range(1, left).Draw(rt, "amount")
			if last = len(p.charges) == 3 || amount == left; last {
				amount = left
			}
			left -= amount
			p.invoice.Paid += amount
			p.charges = append(p.charges, stripe.Charge{ID: fmt.Sprintf("ch_%d_%d", months, len(p.charges)), IntentID: "pi_1", Amount: amount})
			s.api.parts[p.invoice.ID] = p.charges
			if amount == p.invoice.Total {
				break // what has paid all is no part, and its refund tells of itself
			}
			if rapid.Bool().Draw(rt, "a part goes back") {
				p.refunds()
			}
		}
		p.invoice.Status, p.invoice.PaidAt = "paid", start.Add(time.Hour)
		s.api.paid = []stripe.Invoice{p.invoice}
		s.apply()
		if rapid.Bool().Draw(rt, "a part goes back later") {
			p.refunds()
		}
		for _, n := range p.late {
			p.told(n)
		}
		var gone int64
		if err := s.pool.QueryRow(t.Context(), "SELECT withdrawn + owed FROM credit_grants WHERE fact = $1", fmt.Sprintf("sub_1/%d/base", start.Unix())).Scan(&gone); err != nil {
			rt.Fatal(err)
		}
		if gone != min(p.want, 5000) {
			rt.Fatalf("%d credits of 5000 went, want %d: %+v of %d", gone, p.want, p.charges, p.invoice.Total)
		}
		s.api.paid = nil
	})
}
