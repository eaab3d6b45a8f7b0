package billing_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func TestFinances(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Billing.Finances = &billingv1.GetFinancesResponse{}
	g.Get("/api/get-finances", apitest.Bearer(admin)).Is(http.StatusOK, `{"subscriptions":[],"monthlyRevenue":[],"had":0,"lost":0,
		"credits":{"granted":0,"spent":0,"expired":0,"withdrawn":0,"adjusted":0},"outstanding":0,"owed":0,"owing":[],"differences":[]}`)
	g.Billing.Finances = &billingv1.GetFinancesResponse{
		Subscriptions: []*billingv1.SubscriptionGroup{
			{Plan: "Pro", PriceId: "price_1", Status: "active", Monthly: &billingv1.Money{Amount: 2500, Currency: "usd"}, Subscriptions: 3},
			{Plan: "Pro", PriceId: "price_0", Status: "past_due", Subscriptions: 1},
		},
		MonthlyRevenue: []*billingv1.Money{{Amount: 7500, Currency: "usd"}}, Had: 4, Lost: 1,
		Credits:     &billingv1.CreditMoves{Granted: 15_000, Spent: 1234, Expired: 500, Withdrawn: 100, Adjusted: -50},
		Outstanding: 13_116, Owed: 25, Owing: []*billingv1.OwingAccount{{UserId: apitest.AnyID, Owed: 25, Disputes: 2}}, Differences: []string{"The webhook endpoint is disabled."},
	}
	g.Get("/api/get-finances", apitest.Bearer(admin)).Is(http.StatusOK, `{"subscriptions":[
		{"plan":"Pro","priceId":"price_1","status":"active","monthly":{"amount":25,"currency":"usd"},"subscriptions":3},
		{"plan":"Pro","priceId":"price_0","status":"past_due","monthly":null,"subscriptions":1}],
		"monthlyRevenue":[{"amount":75,"currency":"usd"}],"had":4,"lost":1,
		"credits":{"granted":150,"spent":12.34,"expired":5,"withdrawn":1,"adjusted":-0.5},"outstanding":131.16,"owed":0.25,
		"owing":[{"userId":"`+apitest.AnyID+`","owed":0.25,"disputes":2}],
		"differences":["The webhook endpoint is disabled."]}`)
}

func TestBillingCases(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Billing.Cases = &billingv1.ListCasesResponse{Total: 2, Cases: []*billingv1.Case{
		{Object: "in_1", Reason: "odd_invoice", UserId: apitest.AnyID, Since: timestamppb.New(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)), Events: 3, StripeUrl: "https://dashboard.stripe.com/invoices/in_1", Grantable: true},
		{Object: "cs_1", Reason: "no_subscription", Since: timestamppb.New(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))},
	}}
	g.Get("/api/get-billing-cases", apitest.Bearer(admin)).Is(http.StatusOK, `{"total":2,"data":[
		{"object":"in_1","reason":"odd_invoice","userId":"`+apitest.AnyID+`","since":"2026-11-21T09:30:00Z","events":3,"stripeUrl":"https://dashboard.stripe.com/invoices/in_1","grantable":true},
		{"object":"cs_1","reason":"no_subscription","userId":null,"since":"2026-11-21T09:30:00Z","events":0,"stripeUrl":null,"grantable":false}]}`)
}

// TestBillingOfAccountsThatMayNotBeUsed: the lists say so, and are not withheld because identity does not answer.
func TestBillingOfAccountsThatMayNotBeUsed(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	off, leaving, fine := uuid.NewString(), uuid.NewString(), uuid.NewString()
	ids := []string{off, leaving, fine}
	g.Billing.Finances, g.Billing.Cases = &billingv1.GetFinancesResponse{}, &billingv1.ListCasesResponse{Cases: []*billingv1.Case{{Object: "cs_1"}}}
	for _, id := range ids {
		g.Billing.Finances.Owing = append(g.Billing.Finances.Owing, &billingv1.OwingAccount{UserId: id})
		g.Billing.Cases.Cases = append(g.Billing.Cases.Cases, &billingv1.Case{Object: "in_1", UserId: id})
	}
	g.Identity.States = &identityv1.ListUserStatesResponse{Accounts: []*identityv1.AccountState{
		{UserId: off, State: identityv1.UserState_USER_STATE_DISABLED}, {UserId: leaving, State: identityv1.UserState_USER_STATE_DELETING},
	}}
	states := func(path string) (states []string) {
		type row struct {
			State string `json:"userState"`
		}
		var page struct{ Owing, Data []row }
		if a := g.Get(path, apitest.Bearer(admin)); a.Status != http.StatusOK || json.Unmarshal(a.Body, &page) != nil {
			t.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}
		for _, r := range append(page.Owing, page.Data...) {
			states = append(states, r.State)
		}
		return states
	}
	for path, want := range map[string][]string{"/api/get-finances": {"disabled", "deleting", ""}, "/api/get-billing-cases": {"", "disabled", "deleting", ""}} {
		g.Identity.Fail(nil)
		if got := states(path); !slices.Equal(got, want) {
			t.Errorf("%s: the accounts are %q", path, got)
		}
		if got, _ := g.Identity.Last(); !proto.Equal(got.(proto.Message), &identityv1.ListUserStatesRequest{UserIds: ids}) {
			t.Errorf("%s: identity was asked %v", path, got)
		}
		g.Identity.Fail(apitest.ErrAway)
		if got := states(path); !slices.Equal(got, make([]string, len(want))) {
			t.Errorf("%s: the accounts are %q", path, got)
		}
	}
}

func TestDecidingABillingCase(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for body, want := range map[string]int64{
		`{"object":"in_1","decision":"grant","amount":2.5,"reason":"paid"}`: 250,
		`{"object":"in_1","decision":"accept","reason":"paid"}`:             0,
		`{"object":"in_1","decision":"grant","amount":0,"reason":"paid"}`:   -1, // not left out: billing says that it is wrong
	} {
		g.Post("/api/decide-billing-case", body, apitest.Bearer(admin)).Is(http.StatusNoContent)
		got, _ := g.Billing.Last()
		if r := got.(*billingv1.DecideCaseRequest); r.GetAmount() != want || r.GetObject() != "in_1" || r.GetReason() != "paid" {
			t.Errorf("%s: billing was asked %v", body, r)
		}
	}
	for body, want := range map[string]*string{
		`{"object":"in_1","decision":"accept","reason":"paid","seenReason":"odd_invoice"}`: new("odd_invoice"),
		`{"object":"in_1","decision":"accept","reason":"paid"}`:                            nil,
	} {
		g.Post("/api/decide-billing-case", body, apitest.Bearer(admin)).Is(http.StatusNoContent)
		got, _ := g.Billing.Last()
		if seen := got.(*billingv1.DecideCaseRequest).SeenReason; (seen == nil) != (want == nil) || seen != nil && *seen != *want {
			t.Errorf("%s: billing was told %v", body, seen)
		}
	}
	g.Billing.Fail(fault.New(fault.Conflict, "case_decided", "This was decided otherwise before, and that decision stays."))
	g.Post("/api/decide-billing-case", `{"object":"in_1","decision":"ignore","reason":"x"}`, apitest.Bearer(admin)).Fails(http.StatusConflict, "case_decided")
}

func TestMonthEnd(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Billing.MonthEnd = &billingv1.GetMonthEndResponse{Rows: []*billingv1.MonthEndRow{
		{What: "invoiced", Plan: "Pro", Currency: "usd", Count: 3, Amount: 7550}, {What: "credits adjusted", Amount: -5},
	}}
	a := g.Get("/api/export-month-end?month=2026-10", apitest.Bearer(admin)).Is(http.StatusOK)
	want := "\ufeffmonth,what,plan,currency,count,amount\r\n2026-10,invoiced,Pro,usd,3,75.50\r\n2026-10,credits adjusted,,,0,-0.05\r\n"
	if string(a.Body) != want || a.Header.Get("Content-Disposition") != `attachment; filename="month-end-2026-10.csv"` {
		t.Errorf("%q as %q", a.Body, a.Header.Get("Content-Disposition"))
	}
	g.Billing.Fail(fault.InvalidField("month", "No."))
	g.Get("/api/export-month-end?month=x", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_month")
}
