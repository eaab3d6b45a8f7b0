package billing_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/fault"
)

var someCredits = &billingv1.Credits{
	Balance: 1234, Granted: 5000, Used: 3761, Held: 5, PeriodEnd: timestamppb.New(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)),
}

const someCreditsJSON = `{"granted":50,"used":37.61,"held":0.05,"balance":12.34,"period_end":"2026-02-03T04:05:06Z"}`

func TestBalances(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Get("/api/get-credit-balance", apitest.Bearer(token)).Is(http.StatusOK, `{"data":null}`)
	g.Get("/api/get-token-balance", apitest.Bearer(token)).Is(http.StatusOK, `{"data":null}`)
	g.Billing.Credits = someCredits
	g.Get("/api/get-credit-balance", apitest.Bearer(token)).Is(http.StatusOK, `{"data":{"user_id":"`+id+`","credit_balance":12.34,"credit_max":50}}`)
	g.Billing.Endings = []*billingv1.CreditEnding{{At: someCredits.GetPeriodEnd(), Amount: 1034}, {At: timestamppb.New(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)), Amount: 200}}
	g.Get("/api/get-token-balance", apitest.Bearer(token)).Is(http.StatusOK, `{"data":`+strings.TrimSuffix(someCreditsJSON, "}")+
		`,"endings":[{"at":"2026-02-03T04:05:06Z","amount":10.34},{"at":"2027-01-01T00:00:00Z","amount":2}]}}`)
	g.Billing.OnTheirWay = []*billingv1.PackOnItsWay{{Credits: 2050, Since: someCredits.GetPeriodEnd()}}
	g.Billing.Credits, g.Billing.Endings = &billingv1.Credits{}, nil
	g.Get("/api/get-token-balance", apitest.Bearer(token)).Is(http.StatusOK, `{"data":{"granted":0,"used":0,"held":0,"balance":0,"period_end":null,"endings":[],
		"onTheirWay":[{"credits":20.5,"since":"2026-02-03T04:05:06Z"}]}}`)
	g.Billing.OnTheirWay = nil
	g.Get("/api/get-token-balance", apitest.Bearer(token)).Is(http.StatusOK, `{"data":{"granted":0,"used":0,"held":0,"balance":0,"period_end":null,"endings":[]}}`)
}

func TestCreditHistory(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Get("/api/get-credit-history", apitest.Bearer(token)).Is(http.StatusOK, `{"data":[],"nextCursor":null,"days":[]}`)
	g.Billing.History = &billingv1.ListCreditEntriesResponse{
		Entries: []*billingv1.CreditEntry{{
			Id: "7", Time: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Kind: "consume", Amount: -29, BalanceAfter: 4971, Description: "Screen",
		}, {
			Id: "6", Time: timestamppb.New(time.Date(2026, 1, 1, 3, 4, 5, 0, time.UTC)), Kind: "grant", Amount: 5000, BalanceAfter: 5000, Description: "Pro plan",
			Paid: &billingv1.Money{Amount: 2975, Currency: "eur"},
		}},
		NextCursor: "next", Days: []*billingv1.DailySpend{{Day: "2026-01-02", Amount: 29}},
	}
	g.Get("/api/get-credit-history?cursor=c&limit=7", apitest.Bearer(token)).Is(http.StatusOK, `{"data":[{"id":"7","time":"2026-01-02T03:04:05Z",
		"kind":"consume","amount":-0.29,"balance_after":49.71,"description":"Screen"},{"id":"6","time":"2026-01-01T03:04:05Z",
		"kind":"grant","amount":50,"balance_after":50,"description":"Pro plan","paid":{"amount":29.75,"currency":"eur"}}],"nextCursor":"next","days":[{"day":"2026-01-02","amount":0.29}]}`)
	got, _ := g.Billing.Last()
	if r := got.(*billingv1.ListCreditEntriesRequest); r.GetCursor() != "c" || r.GetLimit() != 7 {
		t.Errorf("billing was asked %v", r)
	}
	before := g.Billing.Count()
	for _, query := range []string{"?limit=0", "?limit=x", "?search=x", "?user_id=" + apitest.AnyID, "?limit=1&limit=2"} {
		g.Get("/api/get-credit-history"+query, apitest.Bearer(token)).Is(http.StatusBadRequest)
	}
	if g.Billing.Count() != before {
		t.Error("a refused request reached billing")
	}
}

func TestCreditHistoryAsAFile(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	g.Billing.History = &billingv1.ListCreditEntriesResponse{Entries: []*billingv1.CreditEntry{
		{Id: "2", Time: at, Kind: "consume", Amount: -29, BalanceAfter: 4971, Description: "=HYPERLINK(\"x\")"},
		{Id: "1", Time: at, Kind: "grant", Amount: 5000, BalanceAfter: 5000, Description: "Pro plan", Paid: &billingv1.Money{Amount: 2975, Currency: "eur"}},
	}}
	a := g.Get("/api/export-credit-history", apitest.Bearer(token)).Is(http.StatusOK)
	if a.Header.Get("Content-Type") != csvfile.ContentType || !strings.HasPrefix(a.Header.Get("Content-Disposition"), `attachment; filename="credit-history-20`) {
		t.Errorf("the header is %v", a.Header)
	}
	want := csvfile.ByteOrderMark + "number,time,kind,description,credits,balance_after,paid,currency\r\n" +
		"2,2026-01-02T03:04:05Z,consume,\"'=HYPERLINK(\"\"x\"\")\",-0.29,49.71,,\r\n" +
		"1,2026-01-02T03:04:05Z,grant,Pro plan,50,50,29.75,eur\r\n"
	if got := string(a.Body); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	g.Get("/api/export-credit-history?user_id="+apitest.AnyID, apitest.Bearer(token)).Is(http.StatusBadRequest)
}

func TestSpending(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Billing.Credits = someCredits
	for text, want := range map[string]int64{"0.29": 29, "1.15": 115, "0.01": 1, "1e2": 10_000, "100000": 10_000_000} {
		g.Post("/api/consume-credits", spending(text), apitest.Bearer(token)).Is(http.StatusOK, `{"id":"7","credits":`+someCreditsJSON+`}`)
		got, _ := g.Billing.Last()
		if r := got.(*billingv1.ConsumeCreditsRequest); r.GetAmount() != want || r.GetDescription() != "Screen" || r.GetIdempotencyKey() != "k" {
			t.Errorf("%s: billing was asked %v", text, r)
		}
	}
	g.Billing.Held = &billingv1.HoldCreditsResponse{HoldId: apitest.AnyID, ExpiresAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Credits: someCredits}
	g.Post("/api/hold-credits", spending("2.5"), apitest.Bearer(token)).Is(http.StatusOK, `{"holdId":"`+apitest.AnyID+`","expires_at":"2026-01-02T03:04:05Z","credits":`+someCreditsJSON+`}`)
	got, _ := g.Billing.Last()
	if r := got.(*billingv1.HoldCreditsRequest); r.GetAmount() != 250 || r.GetLifetimeSeconds() != 0 {
		t.Errorf("billing was asked %v", r)
	}
	for text, want := range map[string]int32{"60": 60, "0": -1, "null": 0} {
		g.Post("/api/hold-credits", strings.Replace(spending("2.5"), "{", `{"lifetimeSeconds":`+text+`,`, 1), apitest.Bearer(token)).Is(http.StatusOK)
		got, _ = g.Billing.Last()
		if r := got.(*billingv1.HoldCreditsRequest); r.GetLifetimeSeconds() != want {
			t.Errorf("%s: billing was asked %v", text, r)
		}
	}
	g.Post("/api/settle-credits", `{"holdId":"`+apitest.AnyID+`","amount":0.07}`, apitest.Bearer(token)).Is(http.StatusOK, `{"credits":`+someCreditsJSON+`}`)
	got, _ = g.Billing.Last()
	if r := got.(*billingv1.SettleCreditsRequest); r.GetAmount() != 7 || r.GetHoldId() != apitest.AnyID {
		t.Errorf("billing was asked %v", r)
	}
	g.Billing.Fail(fault.New(fault.Conflict, "insufficient_credits", "There are not enough credits."))
	g.Post("/api/consume-credits", spending("1"), apitest.Bearer(token)).Fails(http.StatusConflict, "insufficient_credits")
}

func spending(amount string) string {
	return `{"amount":` + amount + `,"description":"Screen","idempotencyKey":"k"}`
}

func TestSpendingRefuses(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	for text, code := range map[string]string{
		"0.001": "invalid_number", "1.005": "invalid_number", "99999999999999999999": "invalid_number", `"1"`: "invalid_type", `[1]`: "invalid_type",
	} {
		for _, path := range []string{"/api/consume-credits", "/api/hold-credits"} {
			g.Post(path, spending(text), apitest.Bearer(token)).Fails(http.StatusBadRequest, code)
		}
	}
	for path, bodies := range map[string]map[string]string{
		"/api/consume-credits": {
			`{"amount":1,"description":"a","idempotencyKey":"k","userId":"7"}`:         "invalid_user_id",
			`{"amount":1,"description":"a","idempotencyKey":"k","amount":-5}`:          "invalid_json",
			`{"amount":1,"description":"a","idempotencyKey":"k","lifetimeSeconds":60}`: "unknown_field",
		},
		"/api/hold-credits": {
			strings.Replace(spending("1"), "{", `{"lifetimeSeconds":1e10,`, 1): "invalid_type",
		},
		"/api/settle-credits": {
			`{"holdId":"` + apitest.AnyID + `"}`: "invalid_amount", `{"holdId":"` + apitest.AnyID + `","amount":null}`: "invalid_amount",
		},
	} {
		for body, code := range bodies {
			g.Post(path, body, apitest.Bearer(token)).Fails(http.StatusBadRequest, code)
		}
	}
	for _, of := range []string{`{"amount":1,"description":"a","idempotencyKey":"k",`, `{"amount":1,"holdId":"` + apitest.AnyID + `",`} {
		path := "/api/consume-credits"
		if strings.Contains(of, "holdId") {
			path = "/api/settle-credits"
		}
		g.Post(path, of+`"userId":"`+apitest.AnyID+`"}`, apitest.Bearer(token)).Fails(http.StatusForbidden, "forbidden")
		g.Post(path, strings.TrimSuffix(of, ",")+"}", apitest.Bearer(g.Issuer.Server("builder"))).Fails(http.StatusBadRequest, "invalid_user_id")
	}
	if g.Billing.Count() != 0 {
		t.Error("a refused request reached billing")
	}
}

// TestAServerNamesWhoPays, and people need not.
func TestAServerNamesWhoPays(t *testing.T) {
	g := apitest.Ready(t)
	user, token := g.Issuer.User("user@example.com")
	for bearer, want := range map[string]string{g.Issuer.Server("builder"): user, token: ""} {
		g.Post("/api/consume-credits", `{"amount":1,"description":"a","idempotencyKey":"k","userId":"`+user+`"}`, apitest.Bearer(bearer)).Is(http.StatusOK)
		if got, _ := g.Billing.Last(); got.(*billingv1.ConsumeCreditsRequest).GetUserId() != want {
			t.Errorf("billing was asked %v, want %q", got, want)
		}
	}
}
