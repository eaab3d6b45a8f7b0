package chaos

import (
	"context"
	"fmt"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// perform does an act at Stripe. It skips acts that make no sense for the subscription's
// current state.
func (s *storm) perform(ctx context.Context, c *customer, act Act) error {
	now, err := s.dashboard.V1Subscriptions.Retrieve(ctx, c.subscription, nil)
	if err != nil {
		return err
	}
	item := now.Items.Data[0]
	active := now.Status == sdk.SubscriptionStatusActive
	switch {
	case act == RefundPart || act == RefundAll || act == DisputeLost || act == DisputeWon:
		err = s.moneyBack(ctx, c, act)
	case !active:
	case act == Upgrade && item.Price.ID == stripe.ProPrice:
		err = s.change(ctx, c, item.ID, stripe.BusinessPrice)
	case act == Downgrade && item.Price.ID == stripe.BusinessPrice:
		err = s.change(ctx, c, item.ID, stripe.ProPrice)
	case act == UpAndDown && item.Price.ID == stripe.ProPrice:
		if err = s.change(ctx, c, item.ID, stripe.BusinessPrice); err == nil {
			err = s.change(ctx, c, item.ID, stripe.ProPrice)
		}
	case act == CancelLater:
		_, err = s.dashboard.V1Subscriptions.Update(ctx, c.subscription, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	case act == CancelNow:
		_, err = s.dashboard.V1Subscriptions.Cancel(ctx, c.subscription, nil)
	case act == FailOnce:
		err = s.stripe.FailPayments(ctx, c.subscription, 1)
	case act == FailAll:
		err = s.stripe.FailPayments(ctx, c.subscription, -1)
	case act == Pause:
		if err = s.stripe.Pause(ctx, c.subscription); err == nil {
			err = s.stripe.Resume(ctx, c.subscription)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", c.subscription, act, err)
	}
	return nil
}

func (s *storm) change(ctx context.Context, c *customer, item, price string) error {
	_, err := s.dashboard.V1Subscriptions.Update(ctx, c.subscription, &sdk.SubscriptionUpdateParams{
		Items:             []*sdk.SubscriptionUpdateItemParams{{ID: sdk.String(item), Price: sdk.String(price)}},
		ProrationBehavior: sdk.String("always_invoice"),
	})
	return err
}

// moneyBack is about the newest charge that still allows it.
func (s *storm) moneyBack(ctx context.Context, c *customer, act Act) error {
	for charge, err := range s.dashboard.V1Charges.List(ctx, &sdk.ChargeListParams{Customer: sdk.String(c.customerID)}).All(ctx) {
		switch {
		case err != nil:
			return err
		case charge.Status != sdk.ChargeStatusSucceeded || charge.Disputed || charge.AmountRefunded > 0:
			continue
		case act == RefundPart || act == RefundAll:
			params := &sdk.RefundCreateParams{Charge: sdk.String(charge.ID)}
			if act == RefundPart {
				params.Amount = sdk.Int64(charge.Amount / 3)
			}
			_, err = s.dashboard.V1Refunds.Create(ctx, params)
			return err
		}
		dispute, err := s.stripe.Dispute(ctx, charge.ID)
		if err == nil {
			err = s.stripe.CloseDispute(ctx, dispute, act == DisputeWon)
		}
		return err
	}
	return nil
}
