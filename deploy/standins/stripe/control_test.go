package stripe_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"fledge.dev/deploy/standins/stripe"
)

// control sends JSON to a control and returns what it answered.
func (r *rig) control(method, path, body string, want int) (out map[string]any) {
	r.Helper()
	status, answer := r.fetch(method, "/control/"+path, nil, func(q *http.Request) {
		q.Body, q.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	})
	if status != want {
		r.Fatalf("%s %s: %d, want %d: %s", method, path, status, want, answer)
	}
	if status == http.StatusOK {
		r.must(json.Unmarshal([]byte(answer), &out))
	}
	return out
}

func TestControlsOverHTTP(t *testing.T) {
	r := start(t)
	customer := r.customer()
	now, err := time.Parse(time.RFC3339, r.control("GET", "clock", "", 200)["now"].(string))
	r.must(err)

	id, err := r.Subscribe(t.Context(), customer, stripe.ProPrice, 1, stripe.CardWorks)
	r.must(err)
	r.must(r.FailPayments(t.Context(), id, 1))
	later, err := time.Parse(time.RFC3339, r.control("POST", "clock", `{"months":1,"seconds":7200}`, 200)["now"].(string))
	r.must(err)
	if later.Sub(now) < 28*24*time.Hour {
		t.Errorf("from %s to %s", now, later)
	}
	if s := r.subscription(customer); s.Status != sdk.SubscriptionStatusPastDue {
		t.Errorf("%s", s.Status)
	}

	session := r.checkout(r.customer(), stripe.ProPrice)
	r.control("POST", "checkouts/"+session.ID+"/pay", `{"card":"declined"}`, 402)
	r.control("POST", "checkouts/"+session.ID+"/pay", `{"card":"works"}`, 204)
	if calls := r.control("GET", "calls", "", 200)["calls"].([]any); len(calls) < 3 {
		t.Errorf("%d calls", len(calls))
	}
	r.control("DELETE", "calls", "", 204)
	r.control("PUT", "fault", `{"status":503}`, 204)
	if _, err := r.sc.V1Customers.Retrieve(t.Context(), customer, nil); refusal(t, err).HTTPStatusCode != 503 {
		t.Errorf("%v", err)
	}
	if n := r.CountCalls(""); n != 1 {
		t.Errorf("%d calls", n)
	}
	r.control("PUT", "fault", `{}`, 204)
	r.control("PUT", "delivery", `{"held":true,"sign":"both"}`, 204)
	if pending := r.control("GET", "delivery", "", 200)["pending"].(float64); pending == 0 {
		t.Error("nothing is waiting")
	}
	for path, body := range map[string]string{"PUT fault": `{"what":1}`, "PUT delivery": `{"sign":"else"}`, "POST clock": `{"months":-1}`} {
		method, path, _ := strings.Cut(path, " ")
		r.control(method, path, body, 400)
	}
}
