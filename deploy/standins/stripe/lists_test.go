package stripe_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

func TestListsGoThroughAllPagesNewestFirst(t *testing.T) {
	r := start(t)
	var want []string
	for range 25 {
		want = append([]string{r.customer()}, want...)
	}
	var got []string
	for customer, err := range r.sc.V1Customers.List(t.Context(), &sdk.CustomerListParams{ListParams: sdk.ListParams{Limit: sdk.Int64(10)}}).All(t.Context()) {
		r.must(err)
		got = append(got, customer.ID)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := r.CountCalls("GET /v1/customers"); n != 3 {
		t.Errorf("%d requests for 25 rows", n)
	}
	page := r.sc.V1Customers.List(t.Context(), &sdk.CustomerListParams{ListParams: sdk.ListParams{EndingBefore: sdk.String(want[20]), Limit: sdk.Int64(5)}})
	for customer, err := range page.All(t.Context()) {
		r.must(err)
		if customer.ID != want[15] && customer.ID != want[19] { // the SDK turns such a page around
			t.Errorf("the first before %s is %s", want[20], customer.ID)
		}
		break
	}
}

func TestListsOfSubscriptionsLeaveTheEndedOutUnlessAsked(t *testing.T) {
	r := start(t)
	customer := r.customer()
	var ids []string
	for range 2 {
		id, err := r.Subscribe(t.Context(), customer, stripe.ProPrice, 1, stripe.CardWorks)
		r.must(err)
		ids = append(ids, id)
	}
	_, err := r.sc.V1Subscriptions.Cancel(t.Context(), ids[0], nil)
	r.must(err)
	for status, want := range map[string]int{"": 1, "all": 2, "active": 1, "canceled": 1, "ended": 1, "past_due": 0} {
		params := &sdk.SubscriptionListParams{Customer: sdk.String(customer)}
		if status != "" {
			params.Status = sdk.String(status)
		}
		n := 0
		for _, err := range r.sc.V1Subscriptions.List(t.Context(), params).All(t.Context()) {
			r.must(err)
			n++
		}
		if n != want {
			t.Errorf("status %q: %d, want %d", status, n, want)
		}
	}
	_, err = r.sc.V1Subscriptions.Cancel(t.Context(), ids[0], nil)
	if refusal(t, err).HTTPStatusCode != http.StatusNotFound {
		t.Errorf("a second cancellation: %v", err)
	}
}
