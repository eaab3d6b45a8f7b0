package rehearsal

import (
	"context"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// StandIn is the account of a stand-in.
type StandIn struct {
	server *stripe.Server
	api    *sdk.Client
}

// NewStandIn is the account of a running server, whose clock it moves on.
func NewStandIn(ctx context.Context, server *stripe.Server) (*StandIn, error) {
	return &StandIn{server, client(stripe.SecretKey, server.URL())}, server.AdvanceToTenth(ctx)
}

// API is the stand-in's.
func (a *StandIn) API() *sdk.Client { return a.api }

// Dearer is the plan Business.
func (a *StandIn) Dearer() string { return stripe.BusinessPrice }

// Subscribe buys Pro.
func (a *StandIn) Subscribe(ctx context.Context) (customer, subscription string, err error) {
	created, err := a.api.V1Customers.Create(ctx, newCustomer())
	if err != nil {
		return "", "", err
	}
	subscription, err = a.server.Subscribe(ctx, created.ID, stripe.ProPrice, 1, stripe.CardWorks)
	return created.ID, subscription, err
}

// Renew advances the stand-in's clock.
func (a *StandIn) Renew(ctx context.Context, customer, subscription string, card Card) error {
	var err error
	switch card {
	case Fails:
		err = a.server.FailPayments(ctx, subscription, 1)
	case Asks:
		err = a.server.AskPayer(ctx, subscription)
	}
	if err != nil {
		return err
	}
	if err := a.server.Advance(ctx, 1, afterRenewal); err != nil || card != Disputed {
		return err
	}
	for charge, err := range a.api.V1Charges.List(ctx, &sdk.ChargeListParams{Customer: sdk.String(customer)}).All(ctx) {
		if err == nil {
			_, err = a.server.Dispute(ctx, charge.ID)
		}
		return err
	}
	return nil
}

// PayWith has nothing to do: only the renewal's own payment failed.
func (a *StandIn) PayWith(context.Context, string) error { return nil }

// Confirm confirms it.
func (a *StandIn) Confirm(ctx context.Context, _, invoice string) error {
	return a.server.Confirm(ctx, invoice)
}

// Settle looks once: what has happened is in the list at once.
func (a *StandIn) Settle(ctx context.Context, events func(context.Context) (int, error)) error {
	_, err := events(ctx)
	return err
}

// afterRenewal is more than the hour for which the invoice of a renewal is a draft.
const afterRenewal = 2 * time.Hour
