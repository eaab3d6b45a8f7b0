package subscription

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/stripe"
)

// withdrawal is money that went back to the customer.
type withdrawal struct {
	fact, description string
	amount            int64
	// void says that it did not get there: it is ours again.
	void bool
	// reversible says that this is not for good, either way.
	reversible bool
}

// Refunded takes back the credits of what was refunded of a charge, refund by
// refund and in proportion. A refund may fail after it had succeeded, and then for
// good: its credits are given back.
func (svc *Service) Refunded(ctx context.Context, chargeID string) error {
	charge, err := svc.stripe.Charge(ctx, chargeID)
	if err != nil {
		return gone(err, chargeID)
	}
	list := refunds(charge)
	if len(list) == 0 {
		return nil
	}
	_, err = svc.withdraw(ctx, charge, func(context.Context) ([]withdrawal, error) { return list, nil })
	return unlessErased(err)
}

// refunds are what was given back of a charge, or not after all.
func refunds(charge stripe.Charge) (list []withdrawal) {
	for _, r := range charge.Refunds {
		switch r.Status {
		case "succeeded":
			list = append(list, withdrawal{fact: "refund/" + r.ID, description: "Refund", amount: r.Amount})
		case "failed", "canceled":
			list = append(list, withdrawal{fact: "refund/" + r.ID, description: "Refund that failed", void: true})
		}
	}
	return list
}

// Disputed makes the credits of a charge follow its dispute: what is left of them is taken back
// when it begins, since the bank has taken the money, and given back when it is won. Banks turn round
// what was closed, in both directions. So the dispute is asked for again with the
// subscription, and what Stripe says last counts. One that is lost ends the subscription for good:
// what it would charge next would be disputed, too.
func (svc *Service) Disputed(ctx context.Context, disputeID string) error {
	list, dispute, err := svc.disputed(ctx, disputeID)
	if err != nil || len(list) == 0 {
		return err
	}
	charge, err := svc.stripe.Charge(ctx, dispute.ChargeID)
	if err != nil {
		return gone(err, dispute.ChargeID)
	}
	id, err := svc.withdraw(ctx, charge, func(ctx context.Context) (list []withdrawal, err error) {
		list, dispute, err = svc.disputed(ctx, disputeID)
		return list, err
	})
	unfit, odd := errors.AsType[*Unfit](err)
	if err != nil && (!odd || !unfit.applied()) || id == "" || dispute.Status != "lost" {
		return unlessErased(err)
	}
	told := err
	if err := svc.stripe.CancelSubscription(ctx, id); err != nil {
		if errors.Is(err, stripe.ErrGone) {
			return told // it has ended
		}
		return fmt.Errorf("subscription: %s: %w", id, err)
	}
	svc.log.WarnContext(ctx, "a lost dispute has ended a subscription", "subscription", id, "dispute", disputeID)
	err = unlessErased(svc.SyncFor(ctx, id, ""))
	if _, still := errors.AsType[*Unfit](err); odd && (err == nil || still) {
		return told
	}
	return err
}

// unlessErased drops the word that somebody has paid who was gone already: money that goes back ends
// that, and the events of the payment have told of it.
func unlessErased(err error) error {
	if unfit, ok := errors.AsType[*Unfit](err); ok && unfit.Reason == ErasedAccount {
		return nil
	}
	return err
}

// disputed reads a dispute.
func (svc *Service) disputed(ctx context.Context, id string) ([]withdrawal, stripe.Dispute, error) {
	d, err := svc.stripe.Dispute(ctx, id)
	if err != nil {
		return nil, d, gone(err, id)
	}
	return moved(d), d, nil
}

// moved is what a dispute withdraws: nothing if it is only an inquiry, for which no money has moved. One that was blocked is void,
// as one that is won.
func moved(d stripe.Dispute) []withdrawal {
	w := withdrawal{fact: "dispute/" + d.ID, description: "Disputed payment", amount: d.Amount, reversible: true}
	switch {
	case d.Settled(), slices.Contains([]string{"needs_response", "under_review", "lost"}, d.Status):
	case d.Won(), d.Status == "prevented":
		w.description, w.void = "Dispute that was won", true
	default:
		return nil
	}
	return []withdrawal{w}
}

// withdraw applies the subscription or the pack first, so that the credits are there whichever
// event came first. It returns the subscription's id, if it is one's.
func (svc *Service) withdraw(ctx context.Context, charge stripe.Charge, ask func(context.Context) ([]withdrawal, error)) (id string, err error) {
	if charge.Amount <= 0 {
		return "", nil
	}
	if charge.IntentID == "" {
		return "", ErrForeign
	}
	sold, ok, err := svc.stripe.CheckoutOfPayment(ctx, charge.IntentID)
	switch {
	case err != nil:
		return "", gone(err, charge.IntentID)
	case ok && sold.Credits > 0:
		return "", svc.syncPack(ctx, sold.ID, ask)
	}
	invoices, err := svc.stripe.InvoicesOfPayment(ctx, charge.IntentID)
	if err != nil {
		return "", gone(err, charge.IntentID)
	}
	switch {
	case len(invoices) == 0, len(invoices) == 1 && invoices[0].SubscriptionID == "":
		return "", ErrForeign // it has paid for no subscription: nothing was granted
	case len(invoices) > 1:
		return "", &Unfit{Reason: NoSubscription, Object: charge.ID}
	}
	paid := invoices[0]
	return paid.SubscriptionID, svc.sync(ctx, paid.SubscriptionID, paid.ID, func(ctx context.Context) (more, error) {
		list, err := ask(ctx)
		return func(ctx context.Context, tx pgx.Tx, read reading) error {
			return svc.takeBack(ctx, tx, read, returned{paid, charge, list})
		}, err
	})
}

// CaseFact is what the grant stands for that staff have decided to give for something of Stripe's.
func CaseFact(object string) string { return "case/" + object }

// take applies a withdrawal of a part of what the invoice of a grant, by its fact, came to. Nothing is taken of what was
// not granted: to an account that was gone when it paid, or for a change in a period that was over. Nor is it of what another
// invoice than the one that was paid has granted, unless that is "": the same change gives once, however often it is bought.
func (svc *Service) take(ctx context.Context, tx pgx.Tx, w withdrawal, grant, invoice string, whole int64) error {
	given, reference, err := svc.ledger.Given(ctx, tx, grant)
	if errors.Is(err, ledger.ErrNoGrant) {
		return nil
	}
	if by, _, _ := strings.Cut(reference, "/"); err == nil && !w.void && invoice != "" && by != invoice {
		return nil
	}
	clawback := ledger.Clawback{Fact: w.fact, Grant: grant, Amount: share(given, w.amount, whole), Description: w.description}
	switch {
	case err != nil:
	case w.reversible:
		err = svc.ledger.Turn(ctx, tx, clawback, !w.void)
	case w.void:
		_, err = svc.ledger.Restore(ctx, tx, ledger.Restoration{Fact: w.fact, Grant: grant, Description: w.description})
	default:
		_, err = svc.ledger.Clawback(ctx, tx, clawback)
	}
	return err
}

// share is credits × part / whole, rounded up and at least one: what is refunded in
// pieces comes to no less than what is refunded at once. The ledger takes no more than
// it gave.
func share(credits, part, whole int64) int64 {
	return max((credits*min(part, whole)+whole-1)/whole, 1)
}
