package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/standins/stripe"
)

// customer is somebody who buys a plan and uses credits.
type customer struct {
	*person.Person
	email string
	// customerID and subscription are Stripe's.
	customerID, subscription string
}

const atOnce = 8

// each works on n things, a few at once, until one fails.
func each(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for i := range next {
				if err := work(ctx, i); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// retryTimeout is how long somebody tries again while the product does not answer.
const retryTimeout = 90 * time.Second

// post calls until the answer is final: a person tries again what failed because
// of us.
func (c *customer) post(ctx context.Context, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, retryTimeout)
	defer cancel()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := c.Call(ctx, http.MethodPost, path, body, answer)
		var refused *person.APIError
		if err == nil || errors.As(err, &refused) && refused.Status < http.StatusInternalServerError {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", path, errors.Join(err, ctx.Err()))
		case <-ticker.C:
		}
	}
}

// buy opens a checkout, twice as an impatient person does, and pays for it.
func (s *storm) buy(ctx context.Context, c *customer) error {
	order := map[string]string{
		"userId": c.ID(), "productId": stripe.ProProduct, "priceId": stripe.ProPrice, "cancelUrl": s.site + "/profile?canceled=true",
		"successUrl": s.site + "/profile?success=true&session_id={CHECKOUT_SESSION_ID}",
	}
	var page, again struct {
		SessionID string `json:"sessionId"`
	}
	if err := c.post(ctx, "/api/create-checkout-session", order, &page); err != nil {
		return fmt.Errorf("%s cannot buy: %w", c.email, err)
	}
	if err := c.post(ctx, "/api/create-checkout-session", order, &again); err != nil {
		return fmt.Errorf("%s cannot buy again: %w", c.email, err)
	}
	if page != again {
		s.note("%s has two checkouts, %s and %s", c.email, page.SessionID, again.SessionID)
	}
	if err := s.stripe.PayCheckout(ctx, page.SessionID, stripe.CardWorks); err != nil {
		return fmt.Errorf("%s cannot pay: %w", c.email, err)
	}
	paid, err := s.dashboard.V1CheckoutSessions.Retrieve(ctx, page.SessionID, nil)
	if err != nil {
		return err
	}
	c.customerID, c.subscription = paid.Customer.ID, paid.Subscription.ID
	err = c.post(ctx, "/api/sync-checkout-session", map[string]string{"sessionId": page.SessionID}, nil)
	if err != nil {
		return fmt.Errorf("%s returns from the checkout: %w", c.email, err)
	}
	return nil
}

// spend uses credits up until ctx ends, a hundredth of a month at a time, and notes
// the keys of what was acknowledged.
func (s *storm) spend(ctx context.Context, c *customer) {
	for n := 0; ctx.Err() == nil; n++ {
		key := fmt.Sprintf("%s/%d", c.email, n)
		body := map[string]any{"amount": 0.5, "description": "Generated screen", "idempotencyKey": key}
		if err := c.post(ctx, "/api/consume-credits", body, nil); err == nil {
			s.spent.Acknowledged(key)
		}
		select {
		case <-ctx.Done():
		case <-time.After(spendEvery):
		}
	}
}

const (
	spenders   = 8
	spendEvery = 100 * time.Millisecond
	spendCost  = 50 // hundredths
)
