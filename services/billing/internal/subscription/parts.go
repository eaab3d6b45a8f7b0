package subscription

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/pg"
)

// returned is what went back of one of the payments of an invoice.
type returned struct {
	invoice stripe.Invoice
	charge  stripe.Charge
	list    []withdrawal
}

// returned is what went back already of the invoices that are granted now: of one that is paid in parts, one part may go
// back before the last arrives, when there is no grant yet to take its share from. Of one that one charge has paid wholly, the
// event of what goes back finds the grant, or makes it.
func (svc *Service) returned(ctx context.Context, read reading) (list []returned, err error) {
	facts := make([]string, len(read.entitlements))
	for i, e := range read.entitlements {
		facts[i] = e.grant.Fact
	}
	known, err := svc.q.KnownFacts(ctx, svc.pool, facts)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	isNew := map[string]bool{}
	for _, e := range read.entitlements {
		if !slices.Contains(known, e.grant.Fact) && !svc.isOver(e) {
			isNew[e.invoice] = true
		}
	}
	for _, i := range read.invoices {
		if !isNew[i.ID] || i.Paid == 0 {
			continue
		}
		charges, err := svc.stripe.ChargesOf(ctx, i.ID)
		if err != nil {
			return nil, gone(err, i.ID)
		}
		if len(charges) == 1 && charges[0].Amount >= i.Total {
			continue
		}
		for _, part := range charges {
			charge, err := svc.stripe.Charge(ctx, part.ID)
			if err != nil {
				return nil, gone(err, part.ID)
			}
			back, err := svc.wentBack(ctx, charge)
			if err != nil {
				return nil, err
			}
			list = append(list, returned{i, charge, back})
		}
	}
	return list, nil
}

// isOver reports whether nothing of what an invoice stands for could be spent any more: it was agreed on after its period.
func (svc *Service) isOver(e entitlement) bool {
	return e.rise && !svc.clock.Now().Before(e.grant.PeriodEnd.Add(ledger.Grace))
}

// takeBack applies what went back of a payment of an invoice to all that the invoice has given.
func (svc *Service) takeBack(ctx context.Context, tx pgx.Tx, read reading, back returned) error {
	// Of an invoice a part may have been paid from the customer's balance, or by another
	// charge: what went back is a share of all that it came to.
	whole := max(back.invoice.Total, back.charge.Amount)
	done := map[string]bool{}
	for _, e := range read.entitlements {
		if e.invoice != back.invoice.ID || done[e.grant.Fact] {
			continue
		}
		for _, w := range back.list {
			if len(done) > 0 { // a fact is one grant's
				w.fact += "/" + e.grant.Fact
			}
			if err := svc.take(ctx, tx, w, e.grant.Fact, e.invoice, whole); err != nil {
				return err
			}
		}
		done[e.grant.Fact] = true
	}
	gift := CaseFact(back.invoice.ID)
	for _, w := range back.list {
		w.fact += "/" + gift
		if err := svc.take(ctx, tx, w, gift, "", whole); err != nil {
			return err
		}
	}
	return nil
}
