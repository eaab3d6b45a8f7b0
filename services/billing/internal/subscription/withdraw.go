package subscription

import (
	"context"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/stripe"
)

// withdrawal is money that went back to the customer.
type withdrawal struct {
	fact, description string
	amount            int64
}

// Refunded takes back the credits of what was refunded of a charge, refund by
// refund and in proportion.
func (k *Keeper) Refunded(ctx context.Context, chargeID string) error {
	charge, err := k.stripe.Charge(ctx, chargeID)
	if err != nil {
		return gone(err, chargeID)
	}
	var list []withdrawal
	for _, r := range charge.Refunds {
		if r.Status == "succeeded" {
			list = append(list, withdrawal{"refund/" + r.ID, "Refund", r.Amount})
		}
	}
	return k.withdraw(ctx, charge, list)
}

// Disputed takes back the credits of a charge whose dispute was lost. Any other
// outcome changes nothing.
func (k *Keeper) Disputed(ctx context.Context, disputeID string) error {
	dispute, err := k.stripe.Dispute(ctx, disputeID)
	if err != nil {
		return gone(err, disputeID)
	}
	if dispute.Status != "lost" {
		return nil
	}
	charge, err := k.stripe.Charge(ctx, dispute.ChargeID)
	if err != nil {
		return gone(err, dispute.ChargeID)
	}
	return k.withdraw(ctx, charge, []withdrawal{{"dispute/" + dispute.ID, "Disputed payment", dispute.Amount}})
}

// withdraw applies the subscription first, so that the credits are there whichever
// event came first.
func (k *Keeper) withdraw(ctx context.Context, charge stripe.Charge, list []withdrawal) error {
	if len(list) == 0 || charge.Amount <= 0 {
		return nil
	}
	if charge.IntentID == "" {
		return &Unfit{Reason: NoSubscription, Object: charge.ID}
	}
	invoices, err := k.stripe.InvoicesOfPayment(ctx, charge.IntentID)
	if err != nil {
		return gone(err, charge.IntentID)
	}
	if len(invoices) != 1 || invoices[0].SubscriptionID == "" {
		return &Unfit{Reason: NoSubscription, Object: charge.ID}
	}
	paid := invoices[0]
	return k.sync(ctx, paid.SubscriptionID, func(ctx context.Context, tx pgx.Tx, read reading) error {
		for _, e := range read.entitlements {
			if e.invoice != paid.ID {
				continue
			}
			for _, w := range list {
				if _, err := k.ledger.Clawback(ctx, tx, ledger.Clawback{
					Fact: w.fact, Grant: e.grant.Fact, Amount: share(e.grant.Amount, w.amount, charge.Amount), Description: w.description,
				}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// share is credits × part / whole, rounded up and at least one: what is refunded in
// pieces comes to no less than what is refunded at once. The ledger takes no more than
// it gave.
func share(credits, part, whole int64) int64 {
	return max((credits*min(part, whole)+whole-1)/whole, 1)
}
