package stripe_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/fault"
)

// answering is a client of a server that answers everything alike.
func answering(t *testing.T, status int, body string) (*stripe.Client, *atomic.Int64) {
	t.Helper()
	calls := &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Stripe-Should-Retry", "false")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	client, err := stripe.New(stripe.Config{SecretKey: testKey, APIURL: server.URL}, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client, calls
}

func TestOnlyStripesOwnWordMakesAnObjectGone(t *testing.T) {
	t.Parallel()
	for body, gone := range map[string]bool{
		`{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such subscription"}}`: true,
		`{"error":{"type":"invalid_request_error","message":"Unrecognized request URL"}}`:                       false,
		`404 page not found`: false,
		``:                   false,
	} {
		client, _ := answering(t, http.StatusNotFound, body)
		if _, err := client.Subscription(t.Context(), "sub_1"); errors.Is(err, stripe.ErrGone) != gone || !gone && !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestAStripeThatFailsIsSpared(t *testing.T) {
	t.Parallel()
	client, calls := answering(t, http.StatusInternalServerError, `{"error":{"type":"api_error","message":"x"}}`)
	for range 20 {
		if _, err := client.Subscription(t.Context(), "sub_1"); !errors.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	if n := calls.Load(); n != 5 {
		t.Errorf("a Stripe that is down was asked %d times, want 5", n)
	}
}

func TestRefusalsDoNotOpenTheBreaker(t *testing.T) {
	t.Parallel()
	client, calls := answering(t, http.StatusBadRequest, `{"error":{"type":"invalid_request_error","message":"This price is not active"}}`)
	for range 10 {
		if _, err := client.OpenCheckout(t.Context(), stripe.NewCheckout{Key: "k"}); !errors.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	if n := calls.Load(); n != 10 {
		t.Errorf("asked %d times, want 10", n)
	}
}

func TestACheckoutWithoutAnAddressIsNoCheckout(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"id":null,"url":null}`, `{"id":"cs_1","url":""}`, `{"id":"x","url":"https://checkout.example"}`, `[]`} {
		client, _ := answering(t, http.StatusOK, body)
		if c, err := client.OpenCheckout(t.Context(), stripe.NewCheckout{Key: "k"}); !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %+v, %v", body, c, err)
		}
	}
}
