package api_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/fault"
)

func signed(signature string) option { return header("Stripe-Signature", signature) }

// TestTheWebhookPassesEveryByteOn: what Stripe signed must not be changed on the
// way, whatever it is.
func TestTheWebhookPassesEveryByteOn(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	signature := "t=1700000000,v1=" + strings.Repeat("0f", 32) + ",v0=x"
	for name, body := range map[string]string{
		"spaces and order": " {\r\n\t\"b\" : 1.0,\"a\":1e2}\n\n", "invalid UTF-8": "{\"a\":\"\xff\xfe\"}", "NUL": "{\x00}", "names twice": `{"a":1,"a":2}`,
		"escapes": `{"a":"\u00e9é\/"}`, "not JSON": "\x1f\x8b\x08", "nothing": "", "a mark": "\xef\xbb\xbf{}", "1 MiB": strings.Repeat("\x80", 1<<20),
	} {
		// Neither cookies nor a bearer nor the page's origin count.
		g.post(webhookPath, body, signed(signature), cookie("fledge_session=s1"), bearer(token), header("Origin", "https://evil.com")).is(http.StatusOK, `{"received":true}`)
		got, caller := g.billing.last()
		r := got.(*billingv1.ReceiveStripeEventRequest)
		if !bytes.Equal(r.GetPayload(), []byte(body)) || r.GetSignature() != signature || caller.UserID != "" {
			t.Errorf("%s: billing got %d bytes, %q, as %q", name, len(r.GetPayload()), r.GetSignature(), caller.UserID)
		}
	}
}

func TestTheWebhookRefuses(t *testing.T) {
	g := ready(t)
	const body = `{"id":"evt_1"}`
	twice := func(r *http.Request) { r.Header["Stripe-Signature"] = []string{"t=1,v1=00", "t=1,v1=00"} }
	for name, o := range map[string]option{
		"none": func(*http.Request) {}, "an empty one": signed(""), "two": twice, "a long one": signed(strings.Repeat("v", 8<<10+1)), "not ASCII": signed("t=1,v1=\xff"),
	} {
		if a := g.post(webhookPath, body, o); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	good := signed("t=1,v1=00")
	big := strings.Repeat("x", 1<<20+1)
	g.post(webhookPath, big, good).fails(http.StatusRequestEntityTooLarge, "body_too_large")
	chunked := func(r *http.Request) { r.ContentLength = -1 }
	g.do(http.MethodPost, webhookPath, good, jsonBody(big), chunked).fails(http.StatusRequestEntityTooLarge, "body_too_large")
	for _, contentType := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"} {
		g.post(webhookPath, body, good, header("Content-Type", contentType)).fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	g.post(webhookPath, body, good, header("Content-Encoding", "gzip")).fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	g.post(webhookPath+"?x=1", body, good).fails(http.StatusBadRequest, "unknown_parameter")
	g.get(webhookPath, good).fails(http.StatusMethodNotAllowed, "method_not_allowed")
	if g.billing.count() != 0 {
		t.Error("a refused request reached billing")
	}
	g.post(webhookPath, body, signed(strings.Repeat("v", 8<<10))).is(http.StatusOK)
	g.do(http.MethodPost, webhookPath, good, jsonBody(body), chunked).is(http.StatusOK)
	g.billing.fail(fault.New(fault.Invalid, "invalid_signature", "The signature is not valid."))
	g.post(webhookPath, body, good).fails(http.StatusBadRequest, "invalid_signature")
}

// TestStripeAndPeopleDoNotCrowdEachOtherOut: deliveries have a cap of their own
// and no rate, and leave the people's alone.
func TestStripeAndPeopleDoNotCrowdEachOtherOut(t *testing.T) {
	g := start(t, func(c *api.Config) {
		c.General, c.MaxInFlight, c.MaxWebhooks = limits.Rate{PerMinute: 0.001, Burst: 2}, 1, 1
	})
	good := signed("t=1,v1=00")
	for range 10 {
		g.post(webhookPath, `{}`, good).is(http.StatusOK)
	}
	g.billing.hold = make(chan struct{})
	done := make(chan answer)
	go func() { done <- g.post(webhookPath, `{}`, good) }()
	<-g.billing.came
	a := g.post(webhookPath, `{}`, good).fails(http.StatusServiceUnavailable, "overloaded")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	g.get("/api/get-plans").is(http.StatusOK)
	g.get(webhookPath).fails(http.StatusMethodNotAllowed, "method_not_allowed")
	g.get(webhookPath).fails(http.StatusTooManyRequests, "rate_limited") // only a delivery is left out
	close(g.billing.hold)
	(<-done).is(http.StatusOK)
}

func TestStripesPagesAreScarce(t *testing.T) {
	g := start(t, func(c *api.Config) { c.Checkout = limits.Rate{PerMinute: 0.001, Burst: 30} })
	g.billing.portal, g.billing.checkout = portalLink(), checkoutLink()
	_, token := g.issuer.User("user@example.com")
	for range 15 {
		g.post(portalPath, portalBody, bearer(token)).is(http.StatusOK)
		g.post(checkoutPath, checkoutBody, bearer(token)).is(http.StatusOK)
	}
	for path, body := range map[string]string{portalPath: portalBody, checkoutPath: checkoutBody} {
		if a := g.post(path, body, bearer(token)).fails(http.StatusTooManyRequests, "rate_limited"); a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if g.billing.count() != 30 {
		t.Errorf("%d calls reached billing", g.billing.count())
	}
	g.get("/api/get-subscription", bearer(token)).is(http.StatusOK)
	g.post(portalPath, portalBody, bearer(token), from("203.0.113.2")).is(http.StatusOK)
}

// TestAskingAboutACheckoutIsScarce for an account, wherever it asks from, and for nobody
// else at the same place.
func TestAskingAboutACheckoutIsScarce(t *testing.T) {
	g := start(t, func(c *api.Config) { c.CheckoutSync = limits.Rate{PerMinute: 0.001, Burst: 15} })
	_, token := g.issuer.User("user@example.com")
	_, other := g.issuer.User("other@example.com")
	sync := func(token, ip string) answer {
		return g.post("/api/sync-checkout-session", `{"sessionId":"cs_1"}`, bearer(token), from(ip))
	}
	for range 15 {
		sync(token, "203.0.113.1").is(http.StatusOK)
	}
	for _, ip := range []string{"203.0.113.1", "203.0.113.2"} {
		if a := sync(token, ip).fails(http.StatusTooManyRequests, "rate_limited"); a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	if g.billing.count() != 15 {
		t.Errorf("%d calls reached billing", g.billing.count())
	}
	sync(other, "203.0.113.1").is(http.StatusOK)
	sync("forged", "203.0.113.1").is(http.StatusUnauthorized)
}
