package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/standins/stripe"
	"fledge.dev/deploy/test/harness/load"
)

// act is something that a person, a bank or Stripe does to a subscription.
type act string

const (
	stay           act = "stay"
	upgrade        act = "upgrade"
	upAndDown      act = "up and down"
	downgrade      act = "downgrade"
	cancelLater    act = "cancel at the period's end"
	cancelNow      act = "cancel now"
	failOnce       act = "fail once"
	failAll        act = "fail until the end"
	refundPart     act = "refund a part"
	refundAll      act = "refund all"
	disputeLost    act = "lose a dispute"
	disputeWon     act = "win a dispute"
	pauseAndResume act = "pause and resume"
)

var allActs = []act{
	stay, upgrade, upAndDown, downgrade, cancelLater, cancelNow, failOnce, failAll, refundPart, refundAll, disputeLost, disputeWon, pauseAndResume,
}

// acts is how many a history has, with a month after each.
const acts = 2

// newHistories returns what happens to each of n subscriptions; the same seed returns the same.
// Every act comes up as soon as there are as many histories as acts.
func newHistories(seed uint64, n int) [][acts]act {
	random := rand.New(rand.NewPCG(seed, 2))
	histories := make([][acts]act, n)
	for i := range histories {
		histories[i] = [acts]act{allActs[i%len(allActs)], allActs[random.IntN(len(allActs))]}
	}
	random.Shuffle(n, func(i, j int) { histories[i], histories[j] = histories[j], histories[i] })
	return histories
}

// customer is somebody who buys a plan and uses credits.
type customer struct {
	*person.Person
	email string
	// customerID and subscription are Stripe's.
	customerID, subscription string
	checkouts                [2]string // as each try was told
}

// post calls until the answer is final: a person tries again what failed because of us.
func (c *customer) post(ctx context.Context, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var final error
	err := until(ctx, path, func() (bool, error) {
		final = c.Call(ctx, http.MethodPost, path, body, answer)
		if load.Final(final) {
			return true, nil
		}
		return false, final
	})
	if err != nil {
		return fmt.Errorf("%s: %w", c.email, err)
	}
	if final != nil {
		return fmt.Errorf("%s: %s: %w", c.email, path, final)
	}
	return nil
}

// buy opens a checkout, twice as an impatient person does, pays for it and returns.
func (m *market) buy(ctx context.Context, c *customer) error {
	order := map[string]string{
		"userId": c.ID(), "productId": stripe.ProProduct, "priceId": stripe.ProPrice, "cancelUrl": m.site + "/profile?canceled=true",
		"successUrl": m.site + "/profile?success=true&session_id={CHECKOUT_SESSION_ID}",
	}
	var page, again struct {
		SessionID string `json:"sessionId"`
	}
	if err := c.post(ctx, "/api/create-checkout-session", order, &page); err != nil {
		return err
	}
	if err := c.post(ctx, "/api/create-checkout-session", order, &again); err != nil {
		return err
	}
	c.checkouts = [2]string{page.SessionID, again.SessionID}
	if err := m.stripe.PayCheckout(ctx, page.SessionID, stripe.CardWorks); err != nil {
		return fmt.Errorf("%s cannot pay: %w", c.email, err)
	}
	paid, err := m.dashboard.V1CheckoutSessions.Retrieve(ctx, page.SessionID, nil)
	if err != nil {
		return err
	}
	c.customerID, c.subscription = paid.Customer.ID, paid.Subscription.ID
	return c.post(ctx, "/api/sync-checkout-session", map[string]string{"sessionId": page.SessionID}, nil)
}

// perform does an act at Stripe. It skips acts that make no sense for the subscription's
// current state.
func (m *market) perform(ctx context.Context, c *customer, what act) error {
	now, err := m.dashboard.V1Subscriptions.Retrieve(ctx, c.subscription, nil)
	if err != nil {
		return err
	}
	item := now.Items.Data[0]
	active := now.Status == sdk.SubscriptionStatusActive
	switch {
	case what == refundPart || what == refundAll || what == disputeLost || what == disputeWon:
		err = m.moneyBack(ctx, c, what)
	case !active:
	case what == upgrade && item.Price.ID == stripe.ProPrice:
		err = m.change(ctx, c, item.ID, stripe.BusinessPrice)
	case what == downgrade && item.Price.ID == stripe.BusinessPrice:
		err = m.change(ctx, c, item.ID, stripe.ProPrice)
	case what == upAndDown && item.Price.ID == stripe.ProPrice:
		if err = m.change(ctx, c, item.ID, stripe.BusinessPrice); err == nil {
			err = m.change(ctx, c, item.ID, stripe.ProPrice)
		}
	case what == cancelLater:
		_, err = m.dashboard.V1Subscriptions.Update(ctx, c.subscription, &sdk.SubscriptionUpdateParams{CancelAtPeriodEnd: sdk.Bool(true)})
	case what == cancelNow:
		_, err = m.dashboard.V1Subscriptions.Cancel(ctx, c.subscription, nil)
	case what == failOnce:
		err = m.stripe.FailPayments(ctx, c.subscription, 1)
	case what == failAll:
		err = m.stripe.FailPayments(ctx, c.subscription, -1)
	case what == pauseAndResume:
		if err = m.stripe.Pause(ctx, c.subscription); err == nil {
			err = m.stripe.Resume(ctx, c.subscription)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", c.subscription, what, err)
	}
	return nil
}

func (m *market) change(ctx context.Context, c *customer, item, price string) error {
	_, err := m.dashboard.V1Subscriptions.Update(ctx, c.subscription, &sdk.SubscriptionUpdateParams{
		Items:             []*sdk.SubscriptionUpdateItemParams{{ID: sdk.String(item), Price: sdk.String(price)}},
		ProrationBehavior: sdk.String("always_invoice"),
	})
	return err
}

// moneyBack is about the newest charge that still allows it.
func (m *market) moneyBack(ctx context.Context, c *customer, what act) error {
	for charge, err := range m.dashboard.V1Charges.List(ctx, &sdk.ChargeListParams{Customer: sdk.String(c.customerID)}).All(ctx) {
		switch {
		case err != nil:
			return err
		case charge.Status != sdk.ChargeStatusSucceeded || charge.Disputed || charge.AmountRefunded > 0:
			continue
		case what == refundPart || what == refundAll:
			params := &sdk.RefundCreateParams{Charge: sdk.String(charge.ID)}
			if what == refundPart {
				params.Amount = sdk.Int64(charge.Amount / 3)
			}
			_, err = m.dashboard.V1Refunds.Create(ctx, params)
			return err
		}
		dispute, err := m.stripe.Dispute(ctx, charge.ID)
		if err == nil {
			err = m.stripe.CloseDispute(ctx, dispute, what == disputeWon)
		}
		return err
	}
	return nil
}
