package checkout

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
)

// pages is a Stripe with checkouts of one customer, the newest first.
type pages struct {
	Stripe
	list   []stripe.Checkout
	orders []stripe.NewCheckout
}

func (p *pages) Checkouts(context.Context, string) ([]stripe.Checkout, error) {
	return slices.Clone(p.list), nil
}

func (p *pages) OpenCheckout(_ context.Context, n stripe.NewCheckout) (stripe.Checkout, error) {
	p.orders = append(p.orders, n)
	opened := stripe.Checkout{ID: "cs_" + n.Key, Status: "open", URL: "https://checkout.example/" + n.Key, Purchase: n.Purchase, ExpiresAt: time.Now().Add(24 * time.Hour)}
	p.list = append([]stripe.Checkout{opened}, p.list...)
	return opened, nil
}

func (p *pages) CloseCheckout(_ context.Context, id string) error {
	p.list[slices.IndexFunc(p.list, func(c stripe.Checkout) bool { return c.ID == id })].Status = "expired"
	return nil
}

// TestACheckoutThatIsAboutToExpireIsNotOfferedAgain, and nobody can pay both.
func TestACheckoutThatIsAboutToExpireIsNotOfferedAgain(t *testing.T) {
	t.Parallel()
	for left, again := range map[time.Duration]bool{23 * time.Hour: true, 31 * time.Minute: true, 29 * time.Minute: false, time.Second: false} {
		at := &pages{}
		svc := New(at, nil, nil, Config{}, nil, nil, clock.System(), slog.New(slog.DiscardHandler))
		order := Order{UserID: uuid.New(), PriceID: "price_1", currency: "usd"}
		first, err := svc.checkout(t.Context(), order, "cus_1", 0)
		errtest.None(t, err)
		at.list[0].ExpiresAt = time.Now().Add(left)
		second, err := svc.checkout(t.Context(), order, "cus_1", 0)
		if err != nil || (second == first) != again {
			t.Errorf("%s before its end: %v after %v, %v", left, second, first, err)
		}
		open := 0
		for _, c := range at.list {
			if c.Status == "open" {
				open++
			}
		}
		if open != 1 || at.orders[0].Currency != "usd" {
			t.Errorf("%s before its end: %d can be paid, ordered %+v", left, open, at.orders)
		}
	}
}
