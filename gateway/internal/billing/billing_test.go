package billing_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

func TestPlans(t *testing.T) {
	g := apitest.Ready(t)
	g.Billing.Plans = []*billingv1.Plan{
		{Id: "pro", Name: "Pro", Description: "For one.", MonthlyCredits: 5000, PriceMonthly: 2550, ProductId: "prod_1", PriceId: "price_1",
			Features: []*billingv1.Feature{{Text: "50 credits", Info: "Each month"}, {Text: "Mail"}}},
		{Id: "enterprise", Name: "Enterprise", ContactSales: true},
	}
	g.Get("/api/get-plans").Is(http.StatusOK, `{"data":[
		{"id":"pro","name":"Pro","description":"For one.","monthly_credits":50,"price_monthly":25.5,"productId":"prod_1","priceId":"price_1",
		 "features":[{"text":"50 credits","info":"Each month"},{"text":"Mail"}],"contactSales":false},
		{"id":"enterprise","name":"Enterprise","description":"","monthly_credits":0,"price_monthly":0,"productId":null,"priceId":null,
		 "features":[],"contactSales":true}]}`)
	g.Billing.Plans, g.Billing.Packs = nil, []*billingv1.Pack{{ProductId: "prod_2", PriceId: "price_2", Credits: 2050, Price: &billingv1.Money{Amount: 1199, Currency: "eur"}}}
	g.Get("/api/get-plans").Is(http.StatusOK, `{"data":[],"packs":[{"productId":"prod_2","priceId":"price_2","credits":20.5,"price":{"amount":11.99,"currency":"eur"}}]}`)
}

func TestATrialIsTold(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Billing.TrialDays = 7
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, `{"data":null,"trialDays":7}`)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g.Billing.HasPortal = true
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, `{"data":null,"trialDays":7,"hasPortal":true}`)
	g.Billing.HasPortal = false
	g.Billing.TrialDays, g.Billing.Subscription = 0, &billingv1.Subscription{
		Status: "active", CreatedAt: timestamppb.New(at), Plan: &billingv1.Plan{Name: "Pro", MonthlyCredits: 5000, PriceMonthly: 2500},
		AfterTrial: &billingv1.Money{Amount: 2550, Currency: "eur"},
	}
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, `{"data":{"user_id":"`+id+`","status":"active","current_period_end":null,
		"created_at":"2026-01-02T03:04:05Z","plan":{"name":"Pro","monthly_credits":50,"price_monthly":25},"afterTrial":{"amount":25.5,"currency":"eur"}}}`)
}

func TestSubscription(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, `{"data":null}`)
	g.Post("/api/sync-checkout-session", `{"sessionId":"cs_1"}`, apitest.Bearer(token)).Is(http.StatusOK, `{"data":null}`)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g.Billing.Subscription = &billingv1.Subscription{
		Status: "cancelled", CreatedAt: timestamppb.New(at), Plan: &billingv1.Plan{Name: "Pro", MonthlyCredits: 5000, PriceMonthly: 2500},
	}
	want := `{"data":{"user_id":"` + id + `","status":"cancelled","current_period_end":null,"created_at":"2026-01-02T03:04:05Z",
		"plan":{"name":"Pro","monthly_credits":50,"price_monthly":25}}}`
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, want)
	g.Billing.Subscription.Interval, g.Billing.Subscription.IntervalCount = "month", 1
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, want)
	g.Billing.Subscription.CurrentPeriodEnd = timestamppb.New(at.Add(time.Hour))
	want = strings.Replace(want, "null", `"2026-01-02T04:04:05Z"`, 1)
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, want)
	g.Post("/api/sync-checkout-session", `{"sessionId":"cs_1"}`, apitest.Bearer(token)).Is(http.StatusOK, want)
	got, caller := g.Billing.Last()
	if got.(*billingv1.SyncCheckoutSessionRequest).GetSessionId() != "cs_1" || caller.UserID != id {
		t.Errorf("billing was asked %v as %v", got, caller)
	}
	g.Billing.Pack = "on_its_way"
	g.Post("/api/sync-checkout-session", `{"sessionId":"cs_1"}`, apitest.Bearer(token)).Is(http.StatusOK, strings.TrimSuffix(want, "}")+`,"pack":"on_its_way"}`)
}

func TestWhatIsPaidByTheQuarterSaysSo(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g.Billing.Subscription = &billingv1.Subscription{
		Status: "active", CreatedAt: timestamppb.New(at), Plan: &billingv1.Plan{Name: "Pro", MonthlyCredits: 5000, PriceMonthly: 2500},
		Interval: "month", IntervalCount: 3, PeriodCredits: 8050, LaterPriceIds: []string{"price_1"},
	}
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, `{"data":{"user_id":"`+id+`","status":"active","current_period_end":null,
		"created_at":"2026-01-02T03:04:05Z","plan":{"name":"Pro","monthly_credits":50,"price_monthly":25},
		"intervalCount":3,"periodCredits":80.5,"laterPriceIds":["price_1"]}}`)
}

func TestWhatIsPaidByTheYearSaysSo(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g.Billing.Subscription = &billingv1.Subscription{
		Status: "active", CreatedAt: timestamppb.New(at), Plan: &billingv1.Plan{Name: "Pro", MonthlyCredits: 5000, PriceMonthly: 2500}, Interval: "year",
		Change: &billingv1.PlanChange{Plan: "Pro", At: timestamppb.New(at), Interval: "month"},
		Due:    &billingv1.PaymentDue{Amount: 25000, Currency: "usd", Since: timestamppb.New(at), Processing: true},
	}
	want := `{"data":{"user_id":"` + id + `","status":"active","current_period_end":null,"created_at":"2026-01-02T03:04:05Z","interval":"year",
		"plan":{"name":"Pro","monthly_credits":50,"price_monthly":25},"change":{"plan":"Pro","at":"2026-01-02T03:04:05Z","interval":"month"},
		"due":{"amount":250,"currency":"usd","since":"2026-01-02T03:04:05Z","processing":true}}}`
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, want)
	g.Billing.Subscription.Change.Interval = "year"
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, strings.Replace(want, `,"interval":"month"`, "", 1))
	// A quarter that changes to a month is paid otherwise, too.
	g.Billing.Subscription.Interval, g.Billing.Subscription.IntervalCount, g.Billing.Subscription.Change.Interval = "month", 3, "month"
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK, strings.Replace(want, `"interval":"year"`, `"intervalCount":3`, 1))
}

func TestCheckout(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Billing.Checkout = apitest.CheckoutLink()
	g.Post(apitest.CheckoutPath, apitest.CheckoutBody, apitest.Bearer(token)).Is(http.StatusOK, `{"sessionId":"cs_1","url":"https://checkout.stripe.com/c/1"}`)
	got, caller := g.Billing.Last()
	r := got.(*billingv1.CreateCheckoutSessionRequest)
	if r.GetProductId() != "prod_1" || r.GetPriceId() != "price_1" || r.GetCancelUrl() != apitest.Profile+"?canceled=true" ||
		r.GetSuccessUrl() != apitest.Profile+"?success=true&session_id={CHECKOUT_SESSION_ID}" || caller.UserID != id {
		t.Errorf("billing was asked %v as %v", r, caller)
	}
	g.Billing.Fail(fault.InvalidField("success_url", "No."))
	if a := g.Post(apitest.CheckoutPath, apitest.CheckoutBody, apitest.Bearer(token)).Fails(http.StatusBadRequest, "invalid_success_url"); !strings.Contains(string(a.Body), `"successUrl"`) {
		t.Errorf("%s", a.Body)
	}
	g.Billing.Fail(fault.New(fault.Conflict, "already_subscribed", "You already have this plan."))
	g.Post(apitest.CheckoutPath, apitest.CheckoutBody, apitest.Bearer(token)).Fails(http.StatusConflict, "already_subscribed")
}

func TestPortal(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Post(apitest.PortalPath, apitest.PortalBody, apitest.Bearer(token)).Is(http.StatusOK, `{"url":"https://billing.stripe.com/p/1"}`)
	if strings.Contains(g.Log.String(), "billing.stripe.com") {
		t.Error("the log holds the portal's address")
	}
	g.Billing.Fail(fault.New(fault.Conflict, "nothing_bought", "You have not bought anything yet."))
	g.Post(apitest.PortalPath, apitest.PortalBody, apitest.Bearer(token)).Fails(http.StatusConflict, "nothing_bought")
}

// TestAnAnswerThatLeadsNowhereIsNone: the page would wait for ever.
func TestAnAnswerThatLeadsNowhereIsNone(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	for name, answer := range map[string]*billingv1.CreatePortalSessionResponse{
		"neither": {}, "an empty address": {Answer: &billingv1.CreatePortalSessionResponse_Url{}}, "an empty message": {Answer: &billingv1.CreatePortalSessionResponse_Message{}},
	} {
		g.Billing.Portal = answer
		t.Log(name)
		g.Post(apitest.PortalPath, apitest.PortalBody, apitest.Bearer(token)).Fails(http.StatusServiceUnavailable, "stripe_unavailable")
	}
	g.Billing.Checkout = &billingv1.CreateCheckoutSessionResponse{SessionId: "cs_1"}
	g.Post(apitest.CheckoutPath, apitest.CheckoutBody, apitest.Bearer(token)).Fails(http.StatusServiceUnavailable, "stripe_unavailable")
	if !strings.Contains(g.Log.String(), "billing named no page") {
		t.Error("the log does not tell")
	}
}

// TestADemoSaysSo: what billing answers without any key of Stripe's.
func TestADemoSaysSo(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	g.Billing.Portal.Answer = &billingv1.CreatePortalSessionResponse_Message{Message: "This is a demo."}
	g.Post(apitest.PortalPath, apitest.PortalBody, apitest.Bearer(token)).Is(http.StatusOK, `{"message":"This is a demo."}`)
	g.Billing.Fail(fault.New(fault.Unavailable, "billing_not_configured", "This is a demo: nothing can be bought here."))
	g.Post(apitest.CheckoutPath, apitest.CheckoutBody, apitest.Bearer(token)).Fails(http.StatusServiceUnavailable, "billing_not_configured")
}

// TestNobodyActsForAnother: the account in the body is the bearer's, or the
// request goes nowhere and the log tells.
func TestNobodyActsForAnother(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	other, _ := g.Issuer.User("other@example.com")
	for path, body := range map[string]string{apitest.CheckoutPath: apitest.CheckoutBody, apitest.PortalPath: apitest.PortalBody} {
		g.Post(path, strings.ReplaceAll(body, apitest.Me, other), apitest.Bearer(token)).Fails(http.StatusForbidden, "forbidden")
		for raw, code := range map[string]string{
			`["` + other + `"]`: "invalid_type", `{"$ne":1}`: "invalid_type", `7`: "invalid_type", `null`: "invalid_user_id", `""`: "invalid_user_id",
			`"*"`: "invalid_user_id", `"{` + other + `}"`: "invalid_user_id",
		} {
			g.Post(path, strings.ReplaceAll(body, `"`+apitest.Me+`"`, raw), apitest.Bearer(token)).Fails(http.StatusBadRequest, code)
		}
	}
	if g.Billing.Count() != 0 {
		t.Error("a refused request reached billing")
	}
	if n := strings.Count(g.Log.String(), "security: a request for another account"); n != 2 {
		t.Errorf("the log tells of %d tries", n)
	}
	g.Post(apitest.PortalPath, `{"userId":"`+strings.ToUpper(subjectOf(token))+`","returnUrl":"`+apitest.Profile+`"}`, apitest.Bearer(token)).Is(http.StatusOK)
}

func subjectOf(token string) string {
	return apitest.Subject(&http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}})
}

func TestBuyingRefuses(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	for _, name := range []string{"successUrl", "cancelUrl", "userId"} {
		for _, raw := range []json.RawMessage{nil, json.RawMessage(`null`), json.RawMessage(`""`)} {
			var body map[string]json.RawMessage
			errtest.None(t, json.Unmarshal([]byte(apitest.CheckoutBody), &body))
			delete(body, name)
			if raw != nil {
				body[name] = raw
			}
			a := g.Post(apitest.CheckoutPath, apitest.Encode(t, body), apitest.Bearer(token)).Is(http.StatusBadRequest)
			if !strings.Contains(string(a.Body), `"`+name+`"`) {
				t.Errorf("%s %s: %s", name, raw, a.Body)
			}
		}
	}
	for _, evil := range []string{
		"https://evil.com", "//evil.com", "javascript:alert(1)", "https://localhost:8080@evil.com/profile", "http://localhost:8080.evil.com/profile",
		"https://localhost:8080/profile", "http://localhost:444/profile", apitest.Profile + "\\r\\nX: y", "http://localhost:8080/auth/callback?callback=evil", "/profile",
		apitest.Profile + "?success=1&success=2", apitest.Profile + "?next=https://evil.com",
	} {
		g.Post(apitest.CheckoutPath, strings.Replace(apitest.CheckoutBody, apitest.Profile+"?canceled=true", evil, 1), apitest.Bearer(token)).Fails(http.StatusBadRequest, "invalid_cancel_url")
		g.Post(apitest.CheckoutPath, strings.Replace(apitest.CheckoutBody, apitest.Profile+"?success=true&session_id={CHECKOUT_SESSION_ID}", evil, 1), apitest.Bearer(token)).Fails(http.StatusBadRequest, "invalid_success_url")
		g.Post(apitest.PortalPath, strings.Replace(apitest.PortalBody, apitest.Profile, evil, 1), apitest.Bearer(token)).Fails(http.StatusBadRequest, "invalid_return_url")
	}
	if g.Billing.Count() != 0 {
		t.Error("a refused request reached billing")
	}
}
