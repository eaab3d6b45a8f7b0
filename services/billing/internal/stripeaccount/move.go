package stripeaccount

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/staff"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/audit"
)

// move lets go of an account in one transaction: its subscriptions have ended here, everybody buys as
// a new customer, and its events and agreed prices mean nothing any more. What was paid for
// stays, unless it was with test cards. At Stripe nothing changes.
func (g *Guard) move(ctx context.Context) error {
	account, err := g.stripe.Account(ctx)
	if err != nil && !errors.Is(err, stripe.ErrRefused) {
		return fmt.Errorf("STRIPE_MOVE_FROM: whose key it is cannot be asked: %w", err)
	}
	return pgx.BeginFunc(ctx, g.pool, func(tx pgx.Tx) error {
		row, err := g.q.LockHome(ctx, tx)
		from, to := Account{row.AccountID, row.Livemode}, Account{account.ID, g.cfg.Live}
		switch {
		case err != nil:
			return err
		case from.String() != g.cfg.MoveFrom || from == to:
			return nil // another replica was first, or the key is still the former one
		case from.Live == to.Live && (from.ID == "" || to.ID == ""):
			return errors.New("STRIPE_MOVE_FROM: the key may not read its account, so nobody can tell whether that has changed")
		}
		now := g.clock.Now()
		subscriptions, err := g.q.LeaveSubscriptions(ctx, tx, now)
		if err != nil {
			return err
		}
		customers, err := g.q.LeaveCustomers(ctx, tx, now)
		if err != nil {
			return err
		}
		if _, err := g.q.LeavePrices(ctx, tx); err != nil {
			return err
		}
		if err := g.q.LeavePacksOnTheirWay(ctx, tx); err != nil {
			return err
		}
		if _, err := g.q.LeaveEvents(ctx, tx, now); err != nil {
			return err
		}
		if !from.Live {
			if err := g.takeBack(ctx, tx); err != nil {
				return err
			}
		}
		if err := g.q.MoveHome(ctx, tx, db.MoveHomeParams{AccountID: to.ID, Livemode: to.Live, Now: now}); err != nil {
			return err
		}
		g.log.WarnContext(ctx, "billing has moved to another account at Stripe", "from", from.String(), "to", to.String(),
			"subscriptions", subscriptions, "customers", customers)
		return staff.Record(staff.AsOperator(ctx), tx, audit.Action{
			Name: staff.AccountMoved, Subject: to.String(), Reason: "STRIPE_MOVE_FROM", Before: audit.State{"account": from.String()},
			After: audit.State{"account": to.String(), "subscriptions": subscriptions, "customers": customers},
		})
	})
}

// takeBack ends what was paid for with no money. The accounts come in the order of their ids.
func (g *Guard) takeBack(ctx context.Context, tx pgx.Tx) error {
	left, err := g.q.PaidGrants(ctx, tx)
	if err != nil {
		return err
	}
	for _, grant := range left {
		_, err := g.ledger.Clawback(ctx, tx, ledger.Clawback{
			Fact: "test/" + grant.Fact, Grant: grant.Fact, Amount: grant.Amount, Description: "Bought in a test",
		})
		if err != nil {
			return err
		}
	}
	return nil
}
