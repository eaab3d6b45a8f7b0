package billing_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/waittest"
)

// oneMonth is a Stripe with one customer, who has paid for a month. While it hangs
// it answers nothing.
func oneMonth(t *testing.T, hanging *atomic.Bool, asked chan<- struct{}) (url string) {
	t.Helper()
	start := time.Now().Truncate(time.Second)
	end := start.AddDate(0, 1, 0)
	subscription := fmt.Sprintf(`{"id":"sub_1","object":"subscription","customer":"cus_1","status":"active","livemode":false,"created":%d,
		"items":{"object":"list","data":[{"id":"si_1","quantity":1,"price":{"id":"price_pro"},"current_period_start":%d,"current_period_end":%d}]}}`,
		start.Unix(), start.Unix(), end.Unix())
	invoice := fmt.Sprintf(`{"id":"in_1","object":"invoice","customer":"cus_1","status":"paid","billing_reason":"subscription_create","currency":"usd","created":%d,
		"parent":{"type":"subscription_details","subscription_details":{"subscription":"sub_1"}},
		"lines":{"object":"list","has_more":false,"data":[{"id":"il_1","amount":2500,"quantity":1,"period":{"start":%d,"end":%d},
			"pricing":{"type":"price_details","price_details":{"price":"price_pro"}},
			"parent":{"type":"subscription_item_details","subscription_item_details":{"proration":false}}}]}}`, start.Unix(), start.Unix(), end.Unix())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hanging.Load() {
			if strings.HasPrefix(r.URL.Path, "/v1/subscriptions/sub_") {
				asked <- struct{}{}
			}
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/v1/subscriptions/sub_1":
			_, _ = w.Write([]byte(subscription))
		case r.URL.Path == "/v1/invoices" && r.URL.Query().Get("subscription") == "sub_1":
			_, _ = fmt.Fprintf(w, `{"object":"list","has_more":false,"data":[%s]}`, invoice)
		default: // the reconciliation finds nothing
			_, _ = w.Write([]byte(`{"object":"list","has_more":false,"data":[]}`))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func delivery(id, object string) *billingv1.ReceiveStripeEventRequest {
	body := fmt.Sprintf(`{"id":%q,"object":"event","type":"customer.subscription.updated","livemode":false,"created":1,"data":{"object":{"id":%q}}}`, id, object)
	at := time.Now().Unix()
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at, body)
	return &billingv1.ReceiveStripeEventRequest{Payload: []byte(body), Signature: fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil)))}
}

// TestAnEventThatWasTakenSurvivesAKill: it is stored and answered, all workers wait
// for Stripe, and the process is killed. The next applies it, once.
func TestAnEventThatWasTakenSurvivesAKill(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	hanging, asked := &atomic.Bool{}, make(chan struct{}, 100)
	hanging.Store(true)
	r.environ["STRIPE_API_URL"] = oneMonth(t, hanging, asked)
	s := r.spawn()
	user := uuid.New()
	if _, err := r.pool.Exec(t.Context(), `INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, 'cus_1', now())`, user); err != nil {
		t.Fatal(err)
	}
	const workers, before = 4, 12
	for i := range before {
		if _, err := s.ReceiveStripeEvent(t.Context(), delivery(fmt.Sprint("evt_other_", i), "sub_other")); err != nil {
			t.Fatal(err)
		}
	}
	for range workers {
		<-asked
	}
	if _, err := s.ReceiveStripeEvent(t.Context(), delivery("evt_1", "sub_1")); err != nil {
		t.Fatal(err)
	}
	s.kill()
	if n := r.count(`SELECT count(*) FROM stripe_events WHERE id = 'evt_1' AND state = 'pending' AND attempts = 0`); n != 1 {
		t.Fatalf("%d events wait", n)
	}
	hanging.Store(false)
	again := r.serve()
	waittest.Eventually(t, "the event is applied", func() bool {
		return r.count(`SELECT count(*) FROM stripe_events WHERE id = 'evt_1' AND state = 'applied'`) == 1
	})
	for range 2 {
		if _, err := again.ReceiveStripeEvent(t.Context(), delivery("evt_1", "sub_1")); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.count(`SELECT attempts FROM stripe_events WHERE id = 'evt_1'`); n != 1 {
		t.Errorf("applied %d times", n)
	}
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1 AND amount = 5000`, user); n != 1 {
		t.Errorf("%d grants", n)
	}
	if n := r.count(`SELECT balance FROM credit_accounts WHERE user_id = $1`, user); n != 5000 {
		t.Errorf("balance %d", n)
	}
}
