package stripe_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// refusal wants Stripe's typed error.
func refusal(t *testing.T, err error) *sdk.Error {
	t.Helper()
	var refused *sdk.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want an error of Stripe's", err)
	}
	if refused.RequestID == "" && refused.HTTPStatusCode != 0 {
		t.Errorf("no request id: %+v", refused)
	}
	return refused
}

func (r *rig) newCustomer(key, email string) (*sdk.Customer, error) {
	params := &sdk.CustomerCreateParams{Email: sdk.String(email)}
	params.SetIdempotencyKey(key)
	return r.sc.V1Customers.Create(r.Context(), params)
}

func TestACustomerWhoWasDeletedCanBeReadAndNothingElse(t *testing.T) {
	r := start(t)
	customer := r.customer()
	open := r.checkout(customer, stripe.ProPrice)
	id, err := r.Subscribe(t.Context(), customer, stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	deleted, err := r.sc.V1Customers.Delete(t.Context(), customer, nil)
	if err != nil || !deleted.Deleted || deleted.ID != customer {
		t.Fatalf("%+v, %v", deleted, err)
	}
	read, err := r.sc.V1Customers.Retrieve(t.Context(), customer, nil)
	if err != nil || !read.Deleted || read.Email != "" {
		t.Errorf("%+v, %v", read, err)
	}
	s, err := r.sc.V1Subscriptions.Retrieve(t.Context(), id, nil)
	if err != nil || s.Status != sdk.SubscriptionStatusCanceled || s.Customer.ID != customer {
		t.Errorf("its subscription: %+v, %v", s, err)
	}
	_, checkout := r.sc.V1CheckoutSessions.Create(t.Context(), &sdk.CheckoutSessionCreateParams{
		Mode: sdk.String("subscription"), Customer: sdk.String(customer), SuccessURL: sdk.String("http://localhost:8080/profile"),
		LineItems: []*sdk.CheckoutSessionCreateLineItemParams{{Price: sdk.String(stripe.ProPrice), Quantity: sdk.Int64(1)}},
	})
	_, portal := r.sc.V1BillingPortalSessions.Create(t.Context(), &sdk.BillingPortalSessionCreateParams{Customer: sdk.String(customer)})
	for what, err := range map[string]error{"a checkout": checkout, "a portal": portal} {
		if e := refusal(t, err); e.HTTPStatusCode != http.StatusBadRequest || e.Code != sdk.ErrorCodeResourceMissing || e.Param != "customer" || e.Msg != "No such customer: '"+customer+"'" {
			t.Errorf("%s: %+v", what, e)
		}
	}
	_, again := r.sc.V1Customers.Delete(t.Context(), customer, nil)
	_, change := r.sc.V1Customers.Update(t.Context(), customer, &sdk.CustomerUpdateParams{Email: sdk.String("a@fledge.test")})
	for what, err := range map[string]error{"to delete it again": again, "a change": change} {
		if e := refusal(t, err); e.HTTPStatusCode != http.StatusNotFound || e.Code != sdk.ErrorCodeResourceMissing {
			t.Errorf("%s: %+v", what, e)
		}
	}
	for c, err := range r.sc.V1Customers.List(t.Context(), nil).All(t.Context()) {
		t.Errorf("the list has %+v, %v", c, err)
	}
	if err := r.PayCheckout(t.Context(), open.ID, stripe.CardWorks); err == nil {
		t.Error("its open checkout can be paid")
	}
}

func TestWhoHasNoKeyGetsNothing(t *testing.T) {
	r := start(t)
	for key, want := range map[string]string{"": "You did not provide an API key", "sk_live_somethingElse1234": "sk_live_*************1234"} {
		_, err := client(r.URL(), key, nil).V1Customers.Retrieve(t.Context(), "cus_1", nil)
		if e := refusal(t, err); e.HTTPStatusCode != http.StatusUnauthorized || !strings.Contains(e.Msg, want) {
			t.Errorf("%q: %+v", key, e)
		}
	}
	for name, request := range map[string]func(*http.Request){
		"basic": func(q *http.Request) { q.SetBasicAuth(stripe.SecretKey, "") },
		"other version": func(q *http.Request) {
			q.SetBasicAuth(stripe.SecretKey, "")
			q.Header.Set("Stripe-Version", "2024-06-20")
		},
		"rebound name": func(q *http.Request) { q.SetBasicAuth(stripe.SecretKey, ""); q.Host = "evil.example:80" },
	} {
		want := map[string]int{"basic": 200, "other version": 400, "rebound name": 421}[name]
		if got, _ := r.fetch(http.MethodGet, "/v1/customers", nil, request); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// fetch sends a form and returns the status and the body.
func (r *rig) fetch(method, path string, form url.Values, change ...func(*http.Request)) (int, string) {
	r.Helper()
	status, _, body := r.exchange(method, path, form, change...)
	return status, body
}

func (r *rig) exchange(method, path string, form url.Values, change ...func(*http.Request)) (int, http.Header, string) {
	r.Helper()
	address := path
	if !strings.HasPrefix(path, "http") {
		address = r.URL() + path
	}
	q, err := http.NewRequestWithContext(r.Context(), method, address, strings.NewReader(form.Encode()))
	r.must(err)
	if form != nil {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, f := range change {
		f(q)
	}
	c := &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true}, Timeout: testTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := c.Do(q)
	r.must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	r.must(err)
	return response.StatusCode, response.Header, string(body)
}

func TestWhatStripeWouldRefuse(t *testing.T) {
	r := start(t)
	o := r.objects()
	key := func(q *http.Request) { q.SetBasicAuth(stripe.SecretKey, "") }
	session := func(name, value string) url.Values {
		v := url.Values{
			"mode": {"subscription"}, "customer": {o.Customer}, "line_items[0][price]": {o.Price}, "line_items[0][quantity]": {"1"},
			"success_url": {"http://localhost:8080/profile"},
		}
		v.Set(name, value)
		return v
	}
	r.must(r.PutPrice(t.Context(), stripe.Price{ID: "price_archived", Product: stripe.ProProduct, Amount: 1, Currency: "usd", Interval: "month", Archived: true}))
	r.must(r.PutPrice(t.Context(), stripe.Price{ID: "price_once", Product: stripe.ProProduct, Amount: 1, Currency: "usd"}))
	for name, tc := range map[string]struct {
		method, path string
		form         url.Values
		status       int
		want         string
	}{
		"unknown object":        {"GET", "/v1/customers/cus_none", nil, 404, "resource_missing"},
		"unknown endpoint":      {"GET", "/v1/coupons", nil, 404, "Unrecognized request URL"},
		"unknown parameter":     {"POST", "/v1/customers", url.Values{"colour": {"red"}}, 400, "parameter_unknown"},
		"unknown filter":        {"GET", "/v1/customers?colour=red", nil, 400, "parameter_unknown"},
		"address":               {"POST", "/v1/customers", url.Values{"email": {"nobody"}}, 400, "email_invalid"},
		"no mode":               {"POST", "/v1/checkout/sessions", session("mode", ""), 400, "parameter_missing"},
		"mode":                  {"POST", "/v1/checkout/sessions", session("mode", "payment"), 400, "mode"},
		"price":                 {"POST", "/v1/checkout/sessions", session("line_items[0][price]", "price_none"), 400, "resource_missing"},
		"archived price":        {"POST", "/v1/checkout/sessions", session("line_items[0][price]", "price_archived"), 400, "inactive"},
		"price that is no plan": {"POST", "/v1/checkout/sessions", session("line_items[0][price]", "price_once"), 400, "one_time"},
		"quantity":              {"POST", "/v1/checkout/sessions", session("line_items[0][quantity]", "0"), 400, "line_items[0][quantity]"},
		"quantity of words":     {"POST", "/v1/checkout/sessions", session("line_items[0][quantity]", "many"), 400, "parameter_invalid_integer"},
		"address to return to":  {"POST", "/v1/checkout/sessions", session("success_url", "/profile"), 400, "url_invalid"},
		"second line":           {"POST", "/v1/checkout/sessions", session("line_items[1][price]", o.Dearer), 400, "one element"},
		"limit":                 {"GET", "/v1/invoices?limit=101", nil, 400, "between 1 and 100"},
		"cursor":                {"GET", "/v1/invoices?starting_after=in_none", nil, 400, "resource_missing"},
		"expansion":             {"GET", "/v1/subscriptions/" + o.Subscription + "?expand[]=status", nil, 400, "cannot be expanded"},
		"deep expansion":        {"GET", "/v1/subscriptions/" + o.Subscription + "?expand[]=a.b.c.d.e", nil, 400, "more than 4 levels"},
		"deep expansion, list":  {"GET", "/v1/subscriptions?expand[]=data.items.data.price.product", nil, 400, "more than 4 levels"},
		"somebody else's item":  {"POST", "/v1/subscriptions/" + o.Subscription, url.Values{"items[0][id]": {"si_none"}, "items[0][price]": {o.Dearer}}, 400, "No such subscription item"},
		"cancellation that was": {"POST", "/v1/subscriptions/" + o.Subscription, url.Values{"cancel_at": {"1"}}, 400, "in the future"},
		"two cancellations":     {"POST", "/v1/subscriptions/" + o.Subscription, url.Values{"cancel_at": {"9999999999"}, "cancel_at_period_end": {"true"}}, 400, "only specify one"},
		"refund of too much":    {"POST", "/v1/refunds", url.Values{"charge": {o.Charge}, "amount": {"2401"}}, 400, "amount_too_large"},
		"refund of a dispute":   {"POST", "/v1/refunds", url.Values{"charge": {o.Disputed}}, 400, "charge_disputed"},
		"portal to no change": {"POST", "/v1/billing_portal/sessions", url.Values{
			"customer": {o.Customer}, "flow_data[type]": {"subscription_update_confirm"},
			"flow_data[subscription_update_confirm][subscription]":    {o.Subscription},
			"flow_data[subscription_update_confirm][items][0][id]":    {o.Item},
			"flow_data[subscription_update_confirm][items][0][price]": {o.Price},
		}, 400, "would not change"},
	} {
		status, body := r.fetch(tc.method, tc.path, tc.form, key)
		if status != tc.status || !strings.Contains(body, tc.want) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

func TestFaults(t *testing.T) {
	r := start(t)
	read := func(ctx context.Context) error {
		for _, err := range r.sc.V1Customers.List(ctx, nil).All(ctx) {
			return err
		}
		return nil
	}
	r.SetFault(stripe.Fault{Status: http.StatusInternalServerError})
	if e := refusal(t, read(t.Context())); e.HTTPStatusCode != 500 || e.Type != sdk.ErrorTypeAPI {
		t.Errorf("%+v", e)
	}
	r.SetFault(stripe.Fault{Status: http.StatusTooManyRequests, Route: "GET /v1/customers", Times: 1})
	if e := refusal(t, read(t.Context())); e.HTTPStatusCode != 429 || e.Code != "rate_limit" {
		t.Errorf("%+v", e)
	}
	r.must(read(t.Context()))
	r.SetFault(stripe.Fault{Hangup: true, Route: "/v1/invoices"})
	r.must(read(t.Context()))
	r.SetFault(stripe.Fault{Hangup: true})
	if err := read(t.Context()); err == nil {
		t.Error("an answer came from a closed connection")
	}
	r.SetFault(stripe.Fault{DelayMillis: 60_000})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := read(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("slow: %v", err)
	}
	r.SetFault(stripe.Fault{})

	customer := r.customer()
	r.SetFault(stripe.Fault{Blank: []string{"url", "id"}})
	if session := r.checkout(customer, stripe.ProPrice); session.URL != "" || session.ID != "" {
		t.Errorf("%s %s", session.ID, session.URL)
	}
}

func TestTheJournalKnowsWhoAskedWhat(t *testing.T) {
	r := start(t)
	id := r.customer()
	_, err := r.sc.V1Customers.Retrieve(t.Context(), id, nil)
	r.must(err)
	got := r.Calls()
	if len(got) != 2 || got[1].Route != "GET /v1/customers/{id}" || got[1].Path != "/v1/customers/"+id || got[1].Status != 200 || got[0].IdempotencyKey == "" {
		t.Errorf("%+v", got)
	}
	if r.CountCalls("") != 2 || r.CountCalls("POST") != 1 {
		t.Errorf("%d, %d", r.CountCalls(""), r.CountCalls("POST"))
	}
	r.ClearCalls()
	if r.CountCalls("") != 0 {
		t.Error("the calls were not forgotten")
	}
}

func TestItMayBeClosedTwice(t *testing.T) {
	r := start(t, func(o *stripe.Options) { o.StateFile = filepath.Join(t.TempDir(), "stripe.json") })
	for range 2 {
		r.must(r.Close(t.Context()))
	}
	if _, err := r.sc.V1Customers.Create(t.Context(), &sdk.CustomerCreateParams{}); err == nil {
		t.Error("it still answers")
	}
}

func TestItStaysOnThisMachine(t *testing.T) {
	for _, opts := range []stripe.Options{
		{Addr: "0.0.0.0:0"}, {Addr: ":0"}, {Addr: "192.168.1.2:0"},
		{Addr: "127.0.0.1:0", WebhookURL: "https://example.com/hook"}, {Addr: "127.0.0.1:0", WebhookURL: "http://10.0.0.1/hook"},
	} {
		if s, err := stripe.Start(t.Context(), opts); err == nil {
			t.Errorf("%+v was accepted", opts)
			_ = s.Close(t.Context())
		}
	}
}
