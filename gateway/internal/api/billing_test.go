package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/fault"
)

// me stands in a sample's body for the account of whoever sends it.
const me = "{{me}}"

const (
	checkoutPath = "/api/create-checkout-session"
	portalPath   = "/api/create-portal-session"
	profile      = "http://localhost:8080/profile"
	checkoutBody = `{"productId":"prod_1","priceId":"price_1","successUrl":"` + profile + `?success=true&session_id={CHECKOUT_SESSION_ID}","cancelUrl":"` + profile + `?canceled=true","userId":"` + me + `"}`
	portalBody   = `{"userId":"` + me + `","returnUrl":"` + profile + `"}`
)

// fillIn puts the bearer's account where a sample says me.
func (g *gateway) fillIn(r *http.Request) {
	g.t.Helper()
	if r.Body == nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	filled := bytes.ReplaceAll(body, []byte(me), []byte(subject(r)))
	r.Body = io.NopCloser(bytes.NewReader(filled))
	if r.ContentLength > 0 {
		r.ContentLength = int64(len(filled))
	}
}

func subject(r *http.Request) string {
	claims := struct{ Sub string }{anyID}
	if parts := strings.Split(r.Header.Get("Authorization"), "."); len(parts) == 3 {
		if raw, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil {
			_ = json.Unmarshal(raw, &claims)
		}
	}
	return claims.Sub
}

func portalLink() *billingv1.CreatePortalSessionResponse {
	return &billingv1.CreatePortalSessionResponse{Answer: &billingv1.CreatePortalSessionResponse_Url{Url: "https://billing.stripe.com/p/1"}}
}

func checkoutLink() *billingv1.CreateCheckoutSessionResponse {
	return &billingv1.CreateCheckoutSessionResponse{SessionId: "cs_1", Url: "https://checkout.stripe.com/c/1"}
}

func TestPlans(t *testing.T) {
	g := ready(t)
	g.billing.plans = []*billingv1.Plan{
		{Id: "pro", Name: "Pro", Description: "For one.", MonthlyCredits: 5000, PriceMonthly: 2550, ProductId: "prod_1", PriceId: "price_1",
			Features: []*billingv1.Feature{{Text: "50 credits", Info: "Each month"}, {Text: "Mail"}}},
		{Id: "enterprise", Name: "Enterprise", ContactSales: true},
	}
	g.get("/api/get-plans").is(http.StatusOK, `{"data":[
		{"id":"pro","name":"Pro","description":"For one.","monthly_credits":50,"price_monthly":25.5,"productId":"prod_1","priceId":"price_1",
		 "features":[{"text":"50 credits","info":"Each month"},{"text":"Mail"}],"contactSales":false},
		{"id":"enterprise","name":"Enterprise","description":"","monthly_credits":0,"price_monthly":0,"productId":null,"priceId":null,
		 "features":[],"contactSales":true}]}`)
}

func TestSubscription(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	g.get("/api/get-subscription", bearer(token)).is(http.StatusOK, `{"data":null}`)
	g.post("/api/sync-checkout-session", `{"sessionId":"cs_1"}`, bearer(token)).is(http.StatusOK, `{"data":null}`)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	g.billing.subscription = &billingv1.Subscription{
		Status: "cancelled", CreatedAt: timestamppb.New(at), Plan: &billingv1.Plan{Name: "Pro", MonthlyCredits: 5000, PriceMonthly: 2500},
	}
	want := `{"data":{"user_id":"` + id + `","status":"cancelled","current_period_end":null,"created_at":"2026-01-02T03:04:05Z",
		"plan":{"name":"Pro","monthly_credits":50,"price_monthly":25}}}`
	g.get("/api/get-subscription", bearer(token)).is(http.StatusOK, want)
	g.billing.subscription.CurrentPeriodEnd = timestamppb.New(at.Add(time.Hour))
	want = strings.Replace(want, "null", `"2026-01-02T04:04:05Z"`, 1)
	g.get("/api/get-subscription", bearer(token)).is(http.StatusOK, want)
	g.post("/api/sync-checkout-session", `{"sessionId":"cs_1"}`, bearer(token)).is(http.StatusOK, want)
	got, caller := g.billing.last()
	if got.(*billingv1.SyncCheckoutSessionRequest).GetSessionId() != "cs_1" || caller.UserID != id {
		t.Errorf("billing was asked %v as %v", got, caller)
	}
}

func TestCheckout(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	g.billing.checkout = checkoutLink()
	g.post(checkoutPath, checkoutBody, bearer(token)).is(http.StatusOK, `{"sessionId":"cs_1","url":"https://checkout.stripe.com/c/1"}`)
	got, caller := g.billing.last()
	r := got.(*billingv1.CreateCheckoutSessionRequest)
	if r.GetProductId() != "prod_1" || r.GetPriceId() != "price_1" || r.GetCancelUrl() != profile+"?canceled=true" ||
		r.GetSuccessUrl() != profile+"?success=true&session_id={CHECKOUT_SESSION_ID}" || caller.UserID != id {
		t.Errorf("billing was asked %v as %v", r, caller)
	}
	g.billing.fail(fault.New(fault.Conflict, "already_subscribed", "You already have this plan."))
	g.post(checkoutPath, checkoutBody, bearer(token)).fails(http.StatusConflict, "already_subscribed")
}

func TestPortal(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	g.post(portalPath, portalBody, bearer(token)).is(http.StatusOK, `{"url":"https://billing.stripe.com/p/1"}`)
	if strings.Contains(g.log.String(), "billing.stripe.com") {
		t.Error("the log holds the portal's address")
	}
	g.billing.portal.Answer = &billingv1.CreatePortalSessionResponse_Message{Message: "There is no subscription yet."}
	g.post(portalPath, portalBody, bearer(token)).is(http.StatusOK, `{"message":"There is no subscription yet."}`)
}

// TestAnAnswerThatLeadsNowhereIsNone: the page would wait for ever.
func TestAnAnswerThatLeadsNowhereIsNone(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	for name, answer := range map[string]*billingv1.CreatePortalSessionResponse{
		"neither": {}, "an empty address": {Answer: &billingv1.CreatePortalSessionResponse_Url{}}, "an empty message": {Answer: &billingv1.CreatePortalSessionResponse_Message{}},
	} {
		g.billing.portal = answer
		t.Log(name)
		g.post(portalPath, portalBody, bearer(token)).fails(http.StatusServiceUnavailable, "stripe_unavailable")
	}
	g.billing.checkout = &billingv1.CreateCheckoutSessionResponse{SessionId: "cs_1"}
	g.post(checkoutPath, checkoutBody, bearer(token)).fails(http.StatusServiceUnavailable, "stripe_unavailable")
	if !strings.Contains(g.log.String(), "billing named no page") {
		t.Error("the log does not tell")
	}
}

// TestADemoSaysSo: what billing answers without any key of Stripe's.
func TestADemoSaysSo(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	g.billing.portal.Answer = &billingv1.CreatePortalSessionResponse_Message{Message: "This is a demo."}
	g.post(portalPath, portalBody, bearer(token)).is(http.StatusOK, `{"message":"This is a demo."}`)
	g.billing.fail(fault.New(fault.Unavailable, "billing_not_configured", "This is a demo: nothing can be bought here."))
	g.post(checkoutPath, checkoutBody, bearer(token)).fails(http.StatusServiceUnavailable, "billing_not_configured")
}

// TestNobodyActsForAnother: the account in the body is the bearer's, or the
// request goes nowhere and the log tells.
func TestNobodyActsForAnother(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	other, _ := g.issuer.User("other@example.com")
	for path, body := range map[string]string{checkoutPath: checkoutBody, portalPath: portalBody} {
		g.post(path, strings.ReplaceAll(body, me, other), bearer(token)).fails(http.StatusForbidden, "forbidden")
		for raw, code := range map[string]string{
			`["` + other + `"]`: "invalid_type", `{"$ne":1}`: "invalid_type", `7`: "invalid_type", `null`: "invalid_user_id", `""`: "invalid_user_id",
			`"*"`: "invalid_user_id", `"{` + other + `}"`: "invalid_user_id",
		} {
			g.post(path, strings.ReplaceAll(body, `"`+me+`"`, raw), bearer(token)).fails(http.StatusBadRequest, code)
		}
	}
	if g.billing.count() != 0 {
		t.Error("a refused request reached billing")
	}
	if n := strings.Count(g.log.String(), "security: a request for another account"); n != 2 {
		t.Errorf("the log tells of %d tries", n)
	}
	g.post(portalPath, `{"userId":"`+strings.ToUpper(subjectOf(token))+`","returnUrl":"`+profile+`"}`, bearer(token)).is(http.StatusOK)
}

func subjectOf(token string) string {
	return subject(&http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}})
}

func TestBuyingRefuses(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	for _, name := range []string{"productId", "priceId", "successUrl", "cancelUrl", "userId"} {
		for _, raw := range []json.RawMessage{nil, json.RawMessage(`null`), json.RawMessage(`""`)} {
			var body map[string]json.RawMessage
			if err := json.Unmarshal([]byte(checkoutBody), &body); err != nil {
				t.Fatal(err)
			}
			delete(body, name)
			if raw != nil {
				body[name] = raw
			}
			a := g.post(checkoutPath, encode(t, body), bearer(token)).is(http.StatusBadRequest)
			if !strings.Contains(string(a.body), `"`+name+`"`) {
				t.Errorf("%s %s: %s", name, raw, a.body)
			}
		}
	}
	for _, evil := range []string{
		"https://evil.com", "//evil.com", "javascript:alert(1)", "https://localhost:8080@evil.com/profile", "http://localhost:8080.evil.com/profile",
		"https://localhost:8080/profile", "http://localhost:444/profile", profile + "\\r\\nX: y", "http://localhost:8080/auth/callback?callback=evil", "/profile",
		profile + "?success=1&success=2", profile + "?next=https://evil.com",
	} {
		g.post(checkoutPath, strings.Replace(checkoutBody, profile+"?canceled=true", evil, 1), bearer(token)).fails(http.StatusBadRequest, "invalid_cancel_url")
		g.post(checkoutPath, strings.Replace(checkoutBody, profile+"?success=true&session_id={CHECKOUT_SESSION_ID}", evil, 1), bearer(token)).fails(http.StatusBadRequest, "invalid_success_url")
		g.post(portalPath, strings.Replace(portalBody, profile, evil, 1), bearer(token)).fails(http.StatusBadRequest, "invalid_return_url")
	}
	if g.billing.count() != 0 {
		t.Error("a refused request reached billing")
	}
}
