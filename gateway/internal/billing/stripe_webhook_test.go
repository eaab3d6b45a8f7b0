package billing_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/route"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/fault"
)

// TestTheWebhookPassesEveryByteOn: what Stripe signed must not be changed on the
// way, whatever it is.
func TestTheWebhookPassesEveryByteOn(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	signature := "t=1700000000,v1=" + strings.Repeat("0f", 32) + ",v0=x"
	for name, body := range map[string]string{
		"spaces and order": " {\r\n\t\"b\" : 1.0,\"a\":1e2}\n\n", "invalid UTF-8": "{\"a\":\"\xff\xfe\"}", "NUL": "{\x00}", "names twice": `{"a":1,"a":2}`,
		"escapes": `{"a":"\u00e9é\/"}`, "not JSON": "\x1f\x8b\x08", "nothing": "", "a mark": "\xef\xbb\xbf{}", "1 MiB": strings.Repeat("\x80", 1<<20),
	} {
		// Neither cookies nor a bearer nor the page's origin count.
		g.Post(apitest.WebhookPath, body, apitest.Signed(signature), apitest.Cookie("fledge_session=s1"), apitest.Bearer(token), apitest.Header("Origin", "https://evil.com")).Is(http.StatusOK, `{"received":true}`)
		got, caller := g.Billing.Last()
		r := got.(*billingv1.ReceiveStripeEventRequest)
		if !bytes.Equal(r.GetPayload(), []byte(body)) || r.GetSignature() != signature || caller.UserID != "" {
			t.Errorf("%s: billing got %d bytes, %q, as %q", name, len(r.GetPayload()), r.GetSignature(), caller.UserID)
		}
	}
}

func TestTheWebhookRefuses(t *testing.T) {
	g := apitest.Ready(t)
	const body = `{"id":"evt_1"}`
	twice := func(r *http.Request) { r.Header["Stripe-Signature"] = []string{"t=1,v1=00", "t=1,v1=00"} }
	for name, o := range map[string]apitest.Option{
		"none": func(*http.Request) {}, "an empty one": apitest.Signed(""), "two": twice, "a long one": apitest.Signed(strings.Repeat("v", 8<<10+1)), "not ASCII": apitest.Signed("t=1,v1=\xff"),
	} {
		if a := g.Post(apitest.WebhookPath, body, o); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.Status, a.Body)
		}
	}
	good := apitest.Signed("t=1,v1=00")
	big := strings.Repeat("x", 1<<20+1)
	g.Post(apitest.WebhookPath, big, good).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	g.Do(http.MethodPost, apitest.WebhookPath, good, apitest.JSONBody(big), chunked).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"} {
		g.Post(apitest.WebhookPath, body, good, apitest.Header("Content-Type", contentType)).Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	g.Post(apitest.WebhookPath, body, good, apitest.Header("Content-Encoding", "gzip")).Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	g.Post(apitest.WebhookPath+"?x=1", body, good).Fails(http.StatusBadRequest, "unknown_parameter")
	g.Get(apitest.WebhookPath, good).Fails(http.StatusMethodNotAllowed, "method_not_allowed")
	if g.Billing.Count() != 0 {
		t.Error("a refused request reached billing")
	}
	g.Post(apitest.WebhookPath, body, apitest.Signed(strings.Repeat("v", 8<<10))).Is(http.StatusOK)
	g.Do(http.MethodPost, apitest.WebhookPath, good, apitest.JSONBody(body), chunked).Is(http.StatusOK)
	g.Billing.Fail(fault.New(fault.Invalid, "invalid_signature", "The signature is not valid."))
	g.Post(apitest.WebhookPath, body, good).Fails(http.StatusBadRequest, "invalid_signature")
}

// TestStripeAndPeopleDoNotCrowdEachOtherOut: deliveries have a cap of their own
// and no rate, and leave the people's alone.
func TestStripeAndPeopleDoNotCrowdEachOtherOut(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) {
		c.Rates[route.General], c.MaxInFlight, c.MaxWebhooks = limits.Rate{PerMinute: 0.001, Burst: 2}, 1, 1
	})
	good := apitest.Signed("t=1,v1=00")
	for range 10 {
		g.Post(apitest.WebhookPath, `{}`, good).Is(http.StatusOK)
	}
	g.Billing.Hold = make(chan struct{})
	done := make(chan apitest.Answer)
	go func() { done <- g.Post(apitest.WebhookPath, `{}`, good) }()
	<-g.Billing.Came
	a := g.Post(apitest.WebhookPath, `{}`, good).Fails(http.StatusServiceUnavailable, "overloaded")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	g.Get("/api/get-plans").Is(http.StatusOK)
	g.Get(apitest.WebhookPath).Fails(http.StatusMethodNotAllowed, "method_not_allowed")
	g.Get(apitest.WebhookPath).Fails(http.StatusTooManyRequests, "rate_limited") // only a delivery is left out
	close(g.Billing.Hold)
	(<-done).Is(http.StatusOK)
}

func TestStripesPagesAreScarce(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.Rates[route.Checkout] = limits.Rate{PerMinute: 0.001, Burst: 30} })
	g.Billing.Portal, g.Billing.Checkout = apitest.PortalLink(), apitest.CheckoutLink()
	_, token := g.Issuer.User("user@example.com")
	for range 15 {
		g.Post(apitest.PortalPath, apitest.PortalBody, apitest.Bearer(token)).Is(http.StatusOK)
		g.Post(apitest.CheckoutPath, apitest.CheckoutBody, apitest.Bearer(token)).Is(http.StatusOK)
	}
	for path, body := range map[string]string{apitest.PortalPath: apitest.PortalBody, apitest.CheckoutPath: apitest.CheckoutBody} {
		if a := g.Post(path, body, apitest.Bearer(token)).Fails(http.StatusTooManyRequests, "rate_limited"); a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if g.Billing.Count() != 30 {
		t.Errorf("%d calls reached billing", g.Billing.Count())
	}
	g.Get("/api/get-subscription", apitest.Bearer(token)).Is(http.StatusOK)
	g.Post(apitest.PortalPath, apitest.PortalBody, apitest.Bearer(token), apitest.From("203.0.113.2")).Is(http.StatusOK)
}

// TestAskingAboutACheckoutIsScarce for an account, wherever it asks from, and for nobody
// else at the same place.
func TestAskingAboutACheckoutIsScarce(t *testing.T) {
	g := apitest.Start(t, func(c *api.Config) { c.Rates[route.CheckoutSync] = limits.Rate{PerMinute: 0.001, Burst: 15} })
	_, token := g.Issuer.User("user@example.com")
	_, other := g.Issuer.User("other@example.com")
	sync := func(token, ip string) apitest.Answer {
		return g.Post("/api/sync-checkout-session", `{"sessionId":"cs_1"}`, apitest.Bearer(token), apitest.From(ip))
	}
	for range 15 {
		sync(token, "203.0.113.1").Is(http.StatusOK)
	}
	for _, ip := range []string{"203.0.113.1", "203.0.113.2"} {
		if a := sync(token, ip).Fails(http.StatusTooManyRequests, "rate_limited"); a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if g.Billing.Count() != 15 {
		t.Errorf("%d calls reached billing", g.Billing.Count())
	}
	sync(other, "203.0.113.1").Is(http.StatusOK)
	sync("forged", "203.0.113.1").Is(http.StatusUnauthorized)
}
