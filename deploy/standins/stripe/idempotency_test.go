package stripe_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

func TestAnIdempotencyKeyAnswersTheSameAgain(t *testing.T) {
	r := start(t)
	first, err := r.newCustomer("key", "a@fledge.test")
	r.must(err)
	again, err := r.newCustomer("key", "a@fledge.test")
	r.must(err)
	if again.ID != first.ID || again.LastResponse.Header.Get("Idempotent-Replayed") != "true" || first.LastResponse.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("%s and %s", first.ID, again.ID)
	}
	_, err = r.newCustomer("key", "b@fledge.test")
	if e := refusal(t, err); e.Type != sdk.ErrorTypeIdempotency || e.HTTPStatusCode != http.StatusBadRequest {
		t.Errorf("other parameters: %+v", e)
	}
	other := &sdk.CustomerUpdateParams{Email: sdk.String("a@fledge.test")}
	other.SetIdempotencyKey("key")
	_, err = r.sc.V1Customers.Update(t.Context(), first.ID, other)
	if e := refusal(t, err); e.Type != sdk.ErrorTypeIdempotency {
		t.Errorf("another endpoint: %+v", e)
	}
	for length, want := range map[int]int{255: http.StatusOK, 256: http.StatusBadRequest} {
		status, _ := r.fetch(http.MethodPost, "/v1/customers", url.Values{"email": {"a@fledge.test"}}, func(q *http.Request) {
			q.SetBasicAuth(stripe.SecretKey, "")
			q.Header.Set("Idempotency-Key", strings.Repeat("k", length)) // the SDK would not send 256
		})
		if status != want {
			t.Errorf("a key of %d characters: %d", length, status)
		}
	}
	// A refusal of the parameters does not use a key up.
	_, err = r.newCustomer("second", "no address")
	if refusal(t, err).Code != "email_invalid" {
		t.Errorf("%v", err)
	}
	_, err = r.newCustomer("second", "a@fledge.test")
	r.must(err)
}

func TestFiftyRequestsWithOneKeyMakeOneCheckout(t *testing.T) {
	r := start(t)
	customer := r.customer()
	r.SetFault(stripe.Fault{Route: "POST /v1/checkout", DelayMillis: 20})
	var wg sync.WaitGroup
	var made sync.Map
	for range 50 {
		wg.Go(func() {
			params := &sdk.CheckoutSessionCreateParams{
				Mode: sdk.String("subscription"), Customer: sdk.String(customer), SuccessURL: sdk.String("http://localhost:1/"),
				LineItems: []*sdk.CheckoutSessionCreateLineItemParams{{Price: sdk.String(stripe.ProPrice), Quantity: sdk.Int64(1)}},
			}
			params.SetIdempotencyKey("double click")
			// The SDK leaves it to its caller to try again after a 409.
			var refused *sdk.Error
			session, err := r.sc.V1CheckoutSessions.Create(t.Context(), params)
			for errors.As(err, &refused) && refused.HTTPStatusCode == http.StatusConflict && t.Context().Err() == nil {
				session, err = r.sc.V1CheckoutSessions.Create(t.Context(), params)
			}
			if err != nil {
				t.Error(err)
				return
			}
			made.Store(session.ID, true)
		})
	}
	wg.Wait()
	n := 0
	made.Range(func(any, any) bool { n++; return true })
	conflicts := 0
	for _, call := range r.Calls() {
		if call.Status == http.StatusConflict {
			conflicts++
		}
	}
	if n != 1 || conflicts == 0 {
		t.Errorf("%d checkouts, %d conflicts", n, conflicts)
	}
}

func TestALostAnswerIsFoundAgainByItsKey(t *testing.T) {
	r := start(t)
	r.SetFault(stripe.Fault{Lost: true, Times: 1})
	if _, err := r.newCustomer("key", "a@fledge.test"); err == nil {
		t.Fatal("the answer was not lost")
	}
	found, err := r.newCustomer("key", "a@fledge.test")
	r.must(err)
	if found.LastResponse.Header.Get("Idempotent-Replayed") != "true" || r.CountCalls("POST /v1/customers") != 2 {
		t.Errorf("%+v", r.Calls())
	}

	// Stripe remembers a failure of its own too.
	r.SetFault(stripe.Fault{Status: 500, Remembered: true, Times: 1})
	for range 2 {
		_, err = r.newCustomer("unlucky", "a@fledge.test")
		if refusal(t, err).HTTPStatusCode != 500 {
			t.Errorf("%v", err)
		}
	}
}
