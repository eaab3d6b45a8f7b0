package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/fault"
)

var someCredits = &billingv1.Credits{
	Balance: 1234, Granted: 5000, Used: 3761, Held: 5, PeriodEnd: timestamppb.New(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)),
}

const someCreditsJSON = `{"granted":50,"used":37.61,"held":0.05,"balance":12.34,"period_end":"2026-02-03T04:05:06Z"}`

func TestBalances(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	g.get("/api/get-credit-balance", bearer(token)).is(http.StatusOK, `{"data":null}`)
	g.get("/api/get-token-balance", bearer(token)).is(http.StatusOK, `{"data":null}`)
	g.billing.credits = someCredits
	g.get("/api/get-credit-balance", bearer(token)).is(http.StatusOK, `{"data":{"user_id":"`+id+`","credit_balance":12.34,"credit_max":50}}`)
	g.get("/api/get-token-balance", bearer(token)).is(http.StatusOK, `{"data":`+someCreditsJSON+`}`)
	g.billing.credits = &billingv1.Credits{}
	g.get("/api/get-token-balance", bearer(token)).is(http.StatusOK, `{"data":{"granted":0,"used":0,"held":0,"balance":0,"period_end":null}}`)
}

func TestCreditHistory(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	g.get("/api/get-credit-history", bearer(token)).is(http.StatusOK, `{"data":[],"nextCursor":null,"days":[]}`)
	g.billing.history = &billingv1.ListCreditEntriesResponse{
		Entries: []*billingv1.CreditEntry{{
			Id: "7", Time: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Kind: "consume", Amount: -29, BalanceAfter: 4971, Description: "Screen",
		}},
		NextCursor: "next", Days: []*billingv1.DailySpend{{Day: "2026-01-02", Amount: 29}},
	}
	g.get("/api/get-credit-history?cursor=c&limit=7", bearer(token)).is(http.StatusOK, `{"data":[{"id":"7","time":"2026-01-02T03:04:05Z",
		"kind":"consume","amount":-0.29,"balance_after":49.71,"description":"Screen"}],"nextCursor":"next","days":[{"day":"2026-01-02","amount":0.29}]}`)
	got, _ := g.billing.last()
	if r := got.(*billingv1.ListCreditEntriesRequest); r.GetCursor() != "c" || r.GetLimit() != 7 {
		t.Errorf("billing was asked %v", r)
	}
	before := g.billing.count()
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=x", "?cursor=" + strings.Repeat("x", 513), "?search=x", "?user_id=" + anyID, "?limit=1&limit=2"} {
		g.get("/api/get-credit-history"+query, bearer(token)).is(http.StatusBadRequest)
	}
	if g.billing.count() != before {
		t.Error("a refused request reached billing")
	}
}

func TestSpending(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	g.billing.credits = someCredits
	for text, want := range map[string]int64{"0.29": 29, "1.15": 115, "0.01": 1, "1e2": 10_000, "100000": 10_000_000} {
		g.post("/api/consume-credits", spending(text), bearer(token)).is(http.StatusOK, `{"id":"7","credits":`+someCreditsJSON+`}`)
		got, _ := g.billing.last()
		if r := got.(*billingv1.ConsumeCreditsRequest); r.GetAmount() != want || r.GetDescription() != "Screen" || r.GetIdempotencyKey() != "k" {
			t.Errorf("%s: billing was asked %v", text, r)
		}
	}
	g.billing.held = &billingv1.HoldCreditsResponse{HoldId: anyID, ExpiresAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Credits: someCredits}
	g.post("/api/hold-credits", spending("2.5"), bearer(token)).is(http.StatusOK, `{"holdId":"`+anyID+`","expires_at":"2026-01-02T03:04:05Z","credits":`+someCreditsJSON+`}`)
	got, _ := g.billing.last()
	if r := got.(*billingv1.HoldCreditsRequest); r.GetAmount() != 250 || r.GetLifetimeSeconds() != 0 {
		t.Errorf("billing was asked %v", r)
	}
	g.post("/api/hold-credits", strings.Replace(spending("2.5"), "{", `{"lifetimeSeconds":60,`, 1), bearer(token)).is(http.StatusOK)
	got, _ = g.billing.last()
	if r := got.(*billingv1.HoldCreditsRequest); r.GetLifetimeSeconds() != 60 {
		t.Errorf("billing was asked %v", r)
	}
	g.post("/api/settle-credits", `{"holdId":"`+anyID+`","amount":0.07}`, bearer(token)).is(http.StatusOK, `{"credits":`+someCreditsJSON+`}`)
	got, _ = g.billing.last()
	if r := got.(*billingv1.SettleCreditsRequest); r.GetAmount() != 7 || r.GetHoldId() != anyID {
		t.Errorf("billing was asked %v", r)
	}
	g.billing.fail(fault.New(fault.Conflict, "insufficient_credits", "There are not enough credits."))
	g.post("/api/consume-credits", spending("1"), bearer(token)).fails(http.StatusConflict, "insufficient_credits")
}

func spending(amount string) string {
	return `{"amount":` + amount + `,"description":"Screen","idempotencyKey":"k"}`
}

func TestSpendingRefuses(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	for text, code := range map[string]string{
		"0": "invalid_amount", "-1": "invalid_amount", "100000.01": "invalid_amount", "null": "invalid_amount",
		"0.001": "invalid_number", "1.005": "invalid_number", "99999999999999999999": "invalid_number", `"1"`: "invalid_type", `[1]`: "invalid_type",
	} {
		for _, path := range []string{"/api/consume-credits", "/api/hold-credits"} {
			g.post(path, spending(text), bearer(token)).fails(http.StatusBadRequest, code)
		}
	}
	for path, bodies := range map[string]map[string]string{
		"/api/consume-credits": {
			`{}`: "invalid_amount", `{"amount":1}`: "invalid_description", `{"amount":1,"description":" ","idempotencyKey":"k"}`: "invalid_description",
			`{"amount":1,"description":"a\nb","idempotencyKey":"k"}`: "invalid_description", `{"amount":1,"description":"a"}`: "invalid_idempotency_key",
			`{"amount":1,"description":"a","idempotencyKey":"é"}`:                                "invalid_idempotency_key",
			`{"amount":1,"description":"a","idempotencyKey":"` + strings.Repeat("k", 256) + `"}`: "invalid_idempotency_key",
			`{"amount":1,"description":"a","idempotencyKey":"k","userId":"` + anyID + `"}`:       "unknown_field",
			`{"amount":1,"description":"` + strings.Repeat("é", 201) + `","idempotencyKey":"k"}`: "invalid_description",
			`{"amount":1,"description":"a","idempotencyKey":"k","amount":-5}`:                    "invalid_json",
			`{"amount":1,"description":"a","idempotencyKey":"k","lifetimeSeconds":60}`:           "unknown_field",
		},
		"/api/hold-credits": {
			strings.Replace(spending("1"), "{", `{"lifetimeSeconds":0,`, 1):     "invalid_lifetime_seconds",
			strings.Replace(spending("1"), "{", `{"lifetimeSeconds":86401,`, 1): "invalid_lifetime_seconds",
			strings.Replace(spending("1"), "{", `{"lifetimeSeconds":1e10,`, 1):  "invalid_type",
		},
		"/api/settle-credits": {
			`{"amount":1}`: "invalid_hold_id", `{"holdId":"7","amount":1}`: "invalid_hold_id", `{"holdId":"` + anyID + `"}`: "invalid_amount",
			`{"holdId":"` + anyID + `","amount":-0.01}`: "invalid_amount",
		},
	} {
		for body, code := range bodies {
			g.post(path, body, bearer(token)).fails(http.StatusBadRequest, code)
		}
	}
	if g.billing.count() != 0 {
		t.Error("a refused request reached billing")
	}
}
