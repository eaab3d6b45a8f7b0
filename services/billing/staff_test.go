package billing_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/fault"
)

func adjustment(user, key string, amount int64) *billingv1.AdjustCreditsRequest {
	return &billingv1.AdjustCreditsRequest{UserId: user, Amount: amount, Reason: "because", IdempotencyKey: key}
}

func TestStaffAdjustCreditsOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, adminToken := r.issuer.Admin("admin@example.com")
	admin := r.as(adminToken)
	user, _ := r.funded(1000)
	id := user.String()
	for _, step := range []struct {
		key             string
		amount, balance int64
	}{{"gift", 500, 1500}, {"gift", 500, 1500}, {"taken", -250, 1250}, {"taken", -250, 1250}} {
		got, err := s.AdjustCredits(admin, adjustment(id, step.key, step.amount))
		if err != nil || got.GetCredits().GetBalance() != step.balance {
			t.Errorf("%v: %v, %v", step, got, err)
		}
	}
	for key, amount := range map[string]int64{"gift": 499, "taken": 250} {
		if _, err := s.AdjustCredits(admin, adjustment(id, key, amount)); fault.Of(err).Reason != "idempotency_key_reused" {
			t.Errorf("%s with another amount: %v", key, err)
		}
	}
	account, err := s.GetAccount(admin, &billingv1.GetAccountRequest{UserId: id, Limit: 2})
	if err != nil || account.GetCredits().GetBalance() != 1250 || account.GetSubscription() != nil || account.GetStripeUrl() != "" || account.GetNextCursor() == "" {
		t.Fatalf("%v, %v", account, err)
	}
	taken, given := account.GetEntries()[0], account.GetEntries()[1]
	if taken.GetKind() != "adjust" || taken.GetAmount() != -250 || given.GetKind() != "adjust" || given.GetAmount() != 500 || strings.Contains(given.GetDescription(), "because") {
		t.Errorf("the ledger has %v", account.GetEntries())
	}
	next, err := s.GetAccount(admin, &billingv1.GetAccountRequest{UserId: id, Limit: 2, Cursor: account.GetNextCursor()})
	if err != nil || len(next.GetEntries()) != 1 || next.GetEntries()[0].GetKind() != "grant" {
		t.Errorf("the next page: %v, %v", next, err)
	}
	actions := audittest.Actions(t, r.pool)
	if len(actions) != 2 || actions[1].GetReason() != "because" || actions[1].GetSubject() != id || actions[1].GetBefore() != `{"balance":"15.00"}` || actions[1].GetAfter() != `{"balance":"12.50"}` {
		t.Errorf("recorded %v", actions)
	}
	if _, err := r.pool.Exec(t.Context(), "INSERT INTO customers (user_id, customer_id, created_at) VALUES ($1, 'cus_1', now())", id); err != nil {
		t.Fatal(err)
	}
	account, err = s.GetAccount(admin, &billingv1.GetAccountRequest{UserId: id})
	if err != nil || account.GetStripeUrl() != "http://127.0.0.1:1/#cus_1" {
		t.Errorf("%v, %v", account, err)
	}
}

func TestWhatStaffMayNotAdjust(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, adminToken := r.issuer.Admin("admin@example.com")
	user, userCtx := r.funded(1000)
	id := user.String()
	for reason, req := range map[string]*billingv1.AdjustCreditsRequest{
		"invalid_user_id":         adjustment("urn:uuid:"+id, "k", 1),
		"invalid_amount":          adjustment(id, "k", 1_000_001),
		"invalid_idempotency_key": adjustment(id, "", 1),
		"invalid_reason":          {UserId: id, Amount: 1, IdempotencyKey: "k", Reason: strings.Repeat("x", 501)},
		"insufficient_credits":    adjustment(id, "k", -1001),
	} {
		if _, err := s.AdjustCredits(r.as(adminToken), req); err == nil || fault.Of(err).Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
	for _, amount := range []int64{0, -1_000_001} {
		if _, err := s.AdjustCredits(r.as(adminToken), adjustment(id, "k", amount)); fault.Of(err).Reason != "invalid_amount" {
			t.Errorf("%d: %v", amount, err)
		}
	}
	if _, err := s.AdjustCredits(userCtx, adjustment(id, "k", 1)); fault.Of(err).Reason != "forbidden" {
		t.Errorf("a person: %v", err)
	}
	if n := r.count("SELECT count(*) FROM credit_entries WHERE kind = 'adjust'"); n != 0 {
		t.Errorf("%d adjustments", n)
	}
	// Somebody who never had anything can be given some.
	stranger := uuid.NewString()
	if got, err := s.AdjustCredits(r.as(adminToken), adjustment(stranger, "k", 200)); err != nil || got.GetCredits().GetBalance() != 200 {
		t.Errorf("%v, %v", got, err)
	}
}
