package stripe_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/stripe"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
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
	errtest.None(t, err)
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

// TestAmountsOfAnotherCurrencyAreNotTakenForTheSubscriptions: a price names the amount in its own, whatever
// else it has amounts in.
func TestAmountsOfAnotherCurrencyAreNotTakenForTheSubscriptions(t *testing.T) {
	t.Parallel()
	for currency, want := range map[string]int64{"usd": 2500, "eur": 0} {
		client, _ := answering(t, http.StatusOK, fmt.Sprintf(`{"id":"sub_1","currency":%q,"items":{"data":[{"id":"si_1","quantity":1,"price":
			{"id":"price_1","currency":"usd","unit_amount":2500,"recurring":{"interval":"month","interval_count":1}}}]}}`, currency))
		s, err := client.Subscription(t.Context(), "sub_1")
		if err != nil || s.Currency != currency || s.Monthly != want || s.PeriodAmount != want {
			t.Errorf("%s: %d a month, %d each time, in %s, %v", currency, s.Monthly, s.PeriodAmount, s.Currency, err)
		}
	}
	client, _ := answering(t, http.StatusOK, `{"id":"price_1","currency":"usd","currency_options":{"gbp":{},"usd":{},"eur":{}}}`)
	if price, err := client.Price(t.Context(), "price_1"); err != nil || !slices.Equal(price.Others, []string{"eur", "gbp"}) {
		t.Errorf("further currencies: %v, %v", price.Others, err)
	}
}

// TestWhatADisputeHasMoved is without fees, which stay even where the money comes back.
func TestWhatADisputeHasMoved(t *testing.T) {
	t.Parallel()
	const taken, back = `{"amount":-2500,"fee":1500,"net":-4000}`, `{"amount":2500,"fee":0,"net":2500}`
	for transactions, want := range map[string]int64{"": 0, taken: -2500, taken + "," + back: 0} {
		client, _ := answering(t, http.StatusOK, `{"id":"du_1","status":"prevented","balance_transactions":[`+transactions+`]}`)
		got, err := client.Dispute(t.Context(), "du_1")
		if err != nil || got.Moved != want || got.Settled() != (want < 0) || got.Unmoved() == got.Settled() || got.Won() {
			t.Errorf("[%s]: %+v, %v", transactions, got, err)
		}
	}
}

// TestAnInvoiceThatIsSentSaysUntilWhenItIsToBePaid, and one that is charged at once does not.
func TestAnInvoiceThatIsSentSaysUntilWhenItIsToBePaid(t *testing.T) {
	t.Parallel()
	client, _ := answering(t, http.StatusOK, `{"object":"list","data":[{"id":"in_2","created":1772323200,"due_date":1777507200},{"id":"in_1","created":1772323200,"due_date":null}]}`)
	list, err := client.OpenInvoices(t.Context(), "sub_1")
	if err != nil || len(list) != 2 || !list[0].DueAt.Equal(list[0].Created.AddDate(0, 0, 60)) || !list[1].DueAt.IsZero() {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestAPortalIsMadeWithoutThePageThatStripeRefuses: people change plans and cards in it.
func TestAPortalIsMadeWithoutThePageThatStripeRefuses(t *testing.T) {
	t.Parallel()
	refused := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		key := r.Header.Get("Idempotency-Key")
		switch {
		case r.Method == http.MethodGet:
			_, _ = w.Write([]byte(`{"object":"list","data":[]}`))
		case r.FormValue("login_page[enabled]") == "true" || key == refused:
			refused = key
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error","param":"login_page","message":"no"}}`))
		default:
			_, _ = w.Write([]byte(`{"id":"bpc_1","active":true}`))
		}
	}))
	t.Cleanup(server.Close)
	client, err := stripe.New(stripe.Config{SecretKey: testKey, APIURL: server.URL}, prometheus.NewRegistry())
	errtest.None(t, err)
	t.Cleanup(client.Close)
	if portal, err := client.Portal(t.Context(), stripe.PortalSettings{}, time.Now()); err != nil || portal.ID != "bpc_1" || portal.SignIn != "" {
		t.Errorf("made %+v, %v", portal, err)
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
		if _, err := client.OpenCheckout(t.Context(), stripe.NewCheckout{Key: "k"}); !errors.Is(err, stripe.ErrRefused) || errors.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	if n := calls.Load(); n != 10 {
		t.Errorf("asked %d times, want 10", n)
	}
}

// TestWhatWasReleasedMeanwhileIsReleased: Stripe refuses to do it twice. Another refusal is one.
func TestWhatWasReleasedMeanwhileIsReleased(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status       int
		code, now    string
		refused, bad bool
	}{
		"by a second click": {http.StatusBadRequest, "", `null`, false, false},
		"and has a new one": {http.StatusBadRequest, "", `{"id":"sub_sched_2"}`, false, false},
		"or is gone":        {http.StatusNotFound, "resource_missing", `null`, false, false},
		"not at all":        {http.StatusBadRequest, "", `{"id":"sub_sched_1"}`, true, true},
		"not, and is away":  {http.StatusBadRequest, "", ``, false, true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Stripe-Should-Retry", "false")
			switch {
			case r.Method == http.MethodPost:
				w.WriteHeader(tc.status)
				_, _ = fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","code":%q,"message":"You cannot release it"}}`, tc.code)
			case tc.now == "":
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				_, _ = fmt.Fprintf(w, `{"id":"sub_1","schedule":%s}`, tc.now)
			}
		}))
		client, err := stripe.New(stripe.Config{SecretKey: testKey, APIURL: server.URL}, prometheus.NewRegistry())
		errtest.None(t, err)
		err = client.Release(t.Context(), stripe.Subscription{ID: "sub_1", ScheduleID: "sub_sched_1"})
		if (err != nil) != tc.bad || errors.Is(err, stripe.ErrRefused) != tc.refused {
			t.Errorf("it was released %s: %v", name, err)
		}
		client.Close()
		server.Close()
	}
}

// TestAStripeThatLimitsUsIsNotDown: what reads in the background may not close the shop.
func TestAStripeThatLimitsUsIsNotDown(t *testing.T) {
	t.Parallel()
	client, calls := answering(t, http.StatusTooManyRequests, `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"x"}}`)
	for range 10 {
		if _, err := client.Subscription(t.Context(), "sub_1"); !errors.Is(err, fault.Unavailable) || errors.Is(err, stripe.ErrRefused) {
			t.Fatal(err)
		}
	}
	if n := calls.Load(); n != 10 {
		t.Errorf("asked %d times, want 10", n)
	}
}

// scripted is a client of a server that does as the script says for each call,
// which counts from 1.
func scripted(t *testing.T, script func(n int64, w http.ResponseWriter, r *http.Request)) *stripe.Client {
	t.Helper()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		script(calls.Add(1), w, r)
	}))
	t.Cleanup(server.Close)
	client, err := stripe.New(stripe.Config{SecretKey: testKey, APIURL: server.URL}, prometheus.NewRegistry())
	errtest.None(t, err)
	t.Cleanup(client.Close)
	return client
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":{"type":"invalid_request_error","code":%q,"message":"x"}}`, code)
}

// TestTheSameRequestOfAnotherReplicaIsWaitedFor: Stripe refuses a key that is in
// use, and later gives it the answer that the other got.
func TestTheSameRequestOfAnotherReplicaIsWaitedFor(t *testing.T) {
	t.Parallel()
	var keys sync.Map
	client := scripted(t, func(n int64, w http.ResponseWriter, r *http.Request) {
		keys.Store(r.Header.Get("Idempotency-Key"), true)
		switch n {
		case 1, 2:
			refuse(w, http.StatusConflict, "idempotency_key_in_use")
		case 3:
			refuse(w, http.StatusTooManyRequests, "lock_timeout")
		default:
			_, _ = w.Write([]byte(`{"id":"cs_1","url":"https://checkout.example/1","status":"open"}`))
		}
	})
	if c, err := client.OpenCheckout(t.Context(), stripe.NewCheckout{Key: "k"}); err != nil || c.ID != "cs_1" {
		t.Errorf("got %+v, %v", c, err)
	}
	keys.Range(func(key, _ any) bool {
		if key != "k" {
			t.Errorf("it was asked with the key %q", key)
		}
		return true
	})
}

func TestARequestThatStaysUnderWayEndsWithItsTime(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	client := scripted(t, func(n int64, w http.ResponseWriter, _ *http.Request) {
		calls.Store(n)
		refuse(w, http.StatusConflict, "idempotency_key_in_use")
	})
	for range 6 { // none of which is a failure of Stripe's
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err := client.OpenCheckout(ctx, stripe.NewCheckout{Key: "k"})
		cancel()
		if !errors.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	if n := calls.Load(); n < 6 {
		t.Errorf("asked %d times", n)
	}
}

// TestOneCallTriesWhetherStripeIsBack: not everybody who waits hangs with it, and
// somebody who leaves meanwhile does not count as its being well.
func TestOneCallTriesWhetherStripeIsBack(t *testing.T) {
	t.Parallel()
	arrived, well := make(chan struct{}, 10), atomic.Bool{}
	client := scripted(t, func(n int64, w http.ResponseWriter, r *http.Request) {
		switch {
		case n <= 5:
			w.Header().Set("Stripe-Should-Retry", "false")
			refuse(w, http.StatusInternalServerError, "x")
		case well.Load():
			_, _ = w.Write([]byte(`{"id":"sub_1"}`))
		default:
			arrived <- struct{}{}
			<-r.Context().Done()
		}
	})
	for range 5 {
		_, _ = client.Subscription(t.Context(), "sub_1")
	}
	ask := func(ctx context.Context) error {
		_, err := client.Subscription(ctx, "sub_1")
		return err
	}
	trial, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		var err error
		for deadline := time.Now().Add(time.Minute); trial.Err() == nil && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			err = ask(trial)
		}
		left <- err
	}()
	<-arrived
	for range 20 {
		if err := ask(t.Context()); !errors.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	gone := time.Now()
	leave()
	if err := <-left; !errors.Is(err, fault.Unavailable) {
		t.Errorf("who left got %v", err)
	}
	soon := time.Since(gone) < time.Second // later, another may try
	if err := ask(t.Context()); !errors.Is(err, fault.Unavailable) || soon && len(arrived) != 0 {
		t.Errorf("%d calls hang after the one that tried, and %v", len(arrived), err)
	}
	well.Store(true)
	waittest.Eventually(t, "somebody tries again", func() bool { return ask(t.Context()) == nil })
}

// TestAVoucherIsOnItsWayUntilItIsPaid, as a debit is; what the person has yet to confirm is not.
func TestAVoucherIsOnItsWayUntilItIsPaid(t *testing.T) {
	t.Parallel()
	for intent, want := range map[string]bool{
		`{"id":"pi_1","status":"processing"}`:                                                                  true,
		`{"id":"pi_1","status":"requires_action","next_action":{"type":"boleto_display_details"}}`:             true,
		`{"id":"pi_1","status":"requires_action","next_action":{"type":"use_stripe_sdk"}}`:                     false,
		`{"id":"pi_1","status":"requires_action","next_action":{"type":"display_bank_transfer_instructions"}}`: false,
		`{"id":"pi_1","status":"requires_payment_method"}`:                                                     false,
		`null`: false,
	} {
		client, _ := answering(t, http.StatusOK, `{"id":"cs_1","payment_intent":`+intent+`,"data":[{"id":"inpay_1","payment":{"payment_intent":`+intent+`}}]}`)
		ofInvoice, err := client.PaymentProcessing(t.Context(), "in_1")
		if err != nil || ofInvoice != want {
			t.Errorf("an invoice's %s: %t, %v", intent, ofInvoice, err)
		}
		if c, err := client.Checkout(t.Context(), "cs_1"); err != nil || c.Processing != want {
			t.Errorf("a checkout's %s: %t, %v", intent, c.Processing, err)
		}
	}
}

// TestACheckoutIsPaidInTheCurrencyThatWasOrdered, whatever else the price has amounts in.
func TestACheckoutIsPaidInTheCurrencyThatWasOrdered(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.FormValue("currency")
		_, _ = w.Write([]byte(`{"id":"cs_1","url":"https://checkout.example/1"}`))
	}))
	t.Cleanup(server.Close)
	client, err := stripe.New(stripe.Config{SecretKey: testKey, APIURL: server.URL}, prometheus.NewRegistry())
	errtest.None(t, err)
	t.Cleanup(client.Close)
	if _, err := client.OpenCheckout(t.Context(), stripe.NewCheckout{Key: "k", Currency: "usd"}); err != nil {
		t.Fatal(err)
	}
	if currency := <-asked; currency != "usd" {
		t.Errorf("asked for a page in %q", currency)
	}
}

func TestACheckoutWithoutAnAddressIsNoCheckout(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"id":null,"url":null}`, `{"id":"cs_1","url":""}`, `{"id":"x","url":"https://checkout.example"}`, `[]`,
		`{"id":"cs_1","url":"javascript:alert(1)"}`, `{"id":"cs_1","url":"//evil.example"}`, `{"id":"cs_1","url":"/c/pay/1"}`} {
		client, _ := answering(t, http.StatusOK, body)
		if c, err := client.OpenCheckout(t.Context(), stripe.NewCheckout{Key: "k"}); !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %+v, %v", body, c, err)
		}
	}
}
