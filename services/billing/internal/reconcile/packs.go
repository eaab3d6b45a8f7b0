package reconcile

import (
	"context"
	"errors"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/billing/internal/subscription"
)

// packs repairs the packs that were paid and have given nothing, and looks again at those whose money
// was on its way: nothing else tells that it will not come.
func (r *Reconciler) packs(ctx context.Context, result *Result) error {
	waiting, err := r.q.PacksOnTheirWay(ctx, r.pool)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		if _, err := r.applied(ctx, r.subs.SyncPack(ctx, id), "", id, result); err != nil {
			return err
		}
	}
	var paid []string
	err = r.stripe.EachPack(ctx, r.clock.Now().Add(-lookBack), func(sold stripe.Checkout) error {
		result.Packs++
		if paid = append(paid, sold.ID); len(paid) < page {
			return nil
		}
		err := r.given(ctx, paid, result)
		paid = nil
		return err
	})
	return errors.Join(err, r.given(ctx, paid, result))
}

// given applies those checkouts that have given nothing.
func (r *Reconciler) given(ctx context.Context, checkouts []string, result *Result) error {
	facts := make([]string, len(checkouts))
	for i, id := range checkouts {
		facts[i] = subscription.PackFact(id)
	}
	known, err := r.q.KnownFacts(ctx, r.pool, facts)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, fact := range known {
		done[fact] = true
	}
	for i, id := range checkouts {
		if done[facts[i]] {
			continue
		}
		applied, err := r.applied(ctx, r.subs.SyncPack(ctx, id), "", id, result)
		if err != nil {
			return err
		}
		if !applied {
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
