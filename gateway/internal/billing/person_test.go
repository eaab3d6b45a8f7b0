package billing_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
)

func TestPersonBilling(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	path := "/api/get-person-billing?userId=" + apitest.AnyID
	g.Get(path, apitest.Bearer(admin)).Is(http.StatusOK, `{"subscription":null,"credits":null,"entries":[],"nextCursor":null,"stripeUrl":null,"owed":0,"disputes":0,"disabled":false,"renews":false}`)
	at := timestamppb.New(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))
	g.Billing.Account = &billingv1.GetAccountResponse{
		Subscription: &billingv1.Subscription{Status: "active", Plan: &billingv1.Plan{Name: "Pro", MonthlyCredits: 5000, PriceMonthly: 2400}, CreatedAt: at},
		Credits:      &billingv1.Credits{Balance: 1250, Granted: 1500, Used: 250},
		Entries:      []*billingv1.CreditEntry{{Id: "2", Time: at, Kind: "adjust", Amount: -250, BalanceAfter: 1250, Description: "x"}},
		NextCursor:   "c", StripeUrl: "https://dashboard.stripe.com/customers/cus_1", Owed: 325, Disputes: 1, Disabled: true, Renews: true,
	}
	g.Get(path+"&cursor=b&limit=1", apitest.Bearer(admin)).Is(http.StatusOK, `{
		"subscription":{"user_id":"`+apitest.AnyID+`","status":"active","current_period_end":null,"created_at":"2026-11-21T09:30:00Z","plan":{"name":"Pro","monthly_credits":50,"price_monthly":24}},
		"credits":{"granted":15,"used":2.5,"held":0,"balance":12.5,"period_end":null},
		"entries":[{"id":"2","time":"2026-11-21T09:30:00Z","kind":"adjust","amount":-2.5,"balance_after":12.5,"description":"x"}],
		"nextCursor":"c","stripeUrl":"https://dashboard.stripe.com/customers/cus_1","owed":3.25,"disputes":1,"disabled":true,"renews":true}`)
	want := &billingv1.GetAccountRequest{UserId: apitest.AnyID, Cursor: "b", Limit: 1}
	if got, _ := g.Billing.Last(); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("billing was asked %v, want %v", got, want)
	}
	g.Get("/api/get-person-billing?userId=u", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_user_id")
}

func TestAdjustCredits(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Billing.Credits = &billingv1.Credits{Balance: 1250}
	body := func(amount string) string {
		return `{"userId":"` + apitest.AnyID + `","amount":` + amount + `,"reason":"because","idempotencyKey":"k"}`
	}
	g.Post("/api/adjust-credits", body("-2.5"), apitest.Bearer(admin)).
		Is(http.StatusOK, `{"credits":{"granted":0,"used":0,"held":0,"balance":12.5,"period_end":null}}`)
	want := &billingv1.AdjustCreditsRequest{UserId: apitest.AnyID, Amount: -250, Reason: "because", IdempotencyKey: "k"}
	if got, _ := g.Billing.Last(); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("billing was asked %v, want %v", got, want)
	}
	g.Post("/api/adjust-credits", body("0.001"), apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_number")
}

func TestPersonRenewal(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	body := func(renews string) string {
		return `{"userId":"` + apitest.AnyID + `","renews":` + renews + `,"reason":"because"}`
	}
	for _, renews := range []bool{true, false} {
		g.Post("/api/set-person-renewal", body(strconv.FormatBool(renews)), apitest.Bearer(admin)).Is(http.StatusNoContent)
		want := &billingv1.SetRenewalRequest{UserId: apitest.AnyID, Renews: renews, Reason: "because"}
		if got, _ := g.Billing.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("billing was asked %v, want %v", got, want)
		}
	}
	g.Post("/api/set-person-renewal", body("null"), apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_renews")
}
