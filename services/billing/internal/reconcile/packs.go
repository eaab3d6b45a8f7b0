package reconcile

import (
	"context"
	"errors"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
)

// packs repairs the packs that were paid and have given nothing, and looks again at those whose money
// was on its way, however long ago they were ordered.
func (r *Reconciler) packs(ctx context.Context, result *Result) error {
	waiting, err := r.q.PacksOnTheirWay(ctx, r.pool)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, id := range waiting {
		seen[id] = true
	}
	list := waiting
	err = r.stripe.EachPack(ctx, r.clock.Now().Add(-lookBack), func(sold stripe.Checkout) error {
		result.Packs++
		if seen[sold.ID] {
			return nil
		}
		if list = append(list, sold.ID); len(list) < page {
			return nil
		}
		err := r.given(ctx, list, result)
		list = nil
		return err
	})
	return errors.Join(err, r.given(ctx, list, result))
}

// given applies those checkouts that have given nothing, and those of erased accounts, which may have paid too late.
func (r *Reconciler) given(ctx context.Context, checkouts []string, result *Result) error {
	facts := make([]string, len(checkouts))
	for i, id := range checkouts {
		facts[i] = subscription.PackFact(id)
	}
	granted, err := r.q.GrantedFacts(ctx, r.pool, facts)
	if err != nil {
		return err
	}
	erased := map[string]bool{} // by the facts that were granted
	for _, row := range granted {
		erased[row.Fact] = row.Erased
	}
	for i, id := range checkouts {
		gone, was := erased[facts[i]]
		if was && !gone {
			continue
		}
		applied, err := r.applied(ctx, r.subs.SyncPack(ctx, id), "", id, result)
		if err != nil {
			return err
		}
		if !applied || was {
			continue
		}
		known, err := r.q.KnownFacts(ctx, r.pool, []string{facts[i]})
		if err != nil {
			return err
		}
		if len(known) > 0 {
			result.Repaired++
			r.metrics.repairs.WithLabelValues("pack").Inc()
			r.log.InfoContext(ctx, "a pack that was paid has been given", "checkout", id)
		}
	}
	return nil
}
