package stacktest

import (
	"context"
	"errors"
	"net/http"

	"fledge.dev/deploy/local/person"
	standin "fledge.dev/deploy/standins/stripe"
)

// Buy buys the cheapest plan, as somebody signed in at a stack's site, from its
// stand-in for Stripe. It returns when the stand-in has the money: the events that
// tell billing are still under way.
func Buy(ctx context.Context, buyer *person.Person, site, stripe string) error {
	var plans struct {
		Data []offer `json:"data"`
	}
	if err := buyer.Call(ctx, http.MethodGet, "/api/get-plans", nil, &plans); err != nil {
		return err
	}
	return pay(ctx, buyer, site, stripe, plans.Data[0], standin.CardWorks)
}

// BuyPackByBank is Buy for the smallest pack, whose money is on its way for some days. It fails as long as billing has not
// asked what a pack costs.
func BuyPackByBank(ctx context.Context, buyer *person.Person, site, stripe string) error {
	var plans struct {
		Packs []offer `json:"packs"`
	}
	if err := buyer.Call(ctx, http.MethodGet, "/api/get-plans", nil, &plans); err != nil {
		return err
	}
	if len(plans.Packs) == 0 {
		return errors.New("no pack is on sale")
	}
	return pay(ctx, buyer, site, stripe, plans.Packs[0], standin.DebitWorks)
}

type offer struct {
	ProductID string `json:"productId"`
	PriceID   string `json:"priceId"`
}

func pay(ctx context.Context, buyer *person.Person, site, stripe string, what offer, card string) error {
	var checkout struct {
		SessionID string `json:"sessionId"`
	}
	err := buyer.Call(ctx, http.MethodPost, "/api/create-checkout-session", map[string]string{
		"productId": what.ProductID, "priceId": what.PriceID, "userId": buyer.ID(),
		"successUrl": site + "/profile?success=true", "cancelUrl": site + "/profile?canceled=true",
	}, &checkout)
	if err != nil {
		return err
	}
	return person.New(stripe).Call(ctx, http.MethodPost, "/control/checkouts/"+checkout.SessionID+"/pay", map[string]string{"card": card}, nil)
}
