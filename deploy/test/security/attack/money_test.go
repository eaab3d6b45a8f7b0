package attack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fledge.dev/deploy/standins/stripe"
)

const webhook = "POST /api/stripe-webhook"

// money is what ann tries in order to have some of it.
func (p *product) money() {
	const checkout, portal = "POST /api/create-checkout-session", "POST /api/create-portal-session"
	ann := p.people["ann"].ID()
	order := func(product, price, success, cancel string) string {
		return fmt.Sprintf(`{"productId":%q,"priceId":%q,"successUrl":%q,"cancelUrl":%q,"userId":%q}`, product, price, success, cancel, ann)
	}
	profile := p.site + "/profile"
	var attacks []attack
	for _, address := range []string{
		"https://evil.com", "//evil.com", "javascript:alert(1)", "JaVaScRiPt:alert(1)", p.site + "@evil.com/profile", p.site + ".evil.com/profile", strings.Replace(p.site, "http:", "https:", 1) + "/profile",
		p.site + "0/profile", p.site + "/auth/callback?callback=https://evil.com", p.site + "/profile#x", p.site + "/profile/../admin", p.site + "//evil.com/profile", profile + "?next=//evil.com",
		profile + "?success=true&success=false", profile + "\\@evil.com", profile + "\r\nX: y", profile + "?plan={CHECKOUT_SESSION_ID}", "", "/profile", "data:text/html,x", profile + strings.Repeat("x", 3000),
	} {
		attacks = append(
			attacks,
			attack{"a way on", "ann", checkout, order(stripe.ProProduct, stripe.ProPrice, address, profile), http.StatusBadRequest, "invalid_success_url"},
			attack{"a way back", "ann", checkout, order(stripe.ProProduct, stripe.ProPrice, profile, address), http.StatusBadRequest, "invalid_cancel_url"},
			attack{"a way home", "ann", portal, fmt.Sprintf(`{"userId":%q,"returnUrl":%q}`, ann, address), http.StatusBadRequest, "invalid_return_url"},
		)
	}
	for what, ids := range map[string][2]string{
		"another plan's price": {stripe.ProProduct, stripe.BusinessPrice}, "no such price": {stripe.ProProduct, "price_none"}, "a path": {stripe.ProProduct, "../prices/" + stripe.ProPrice},
		"a space": {stripe.ProProduct, stripe.ProPrice + " "}, "Enterprise": {"enterprise", "enterprise"}, "SQL": {"'", "' OR 1=1--"},
	} {
		attacks = append(attacks, attack{what, "ann", checkout, order(ids[0], ids[1], profile, profile), http.StatusConflict, "unknown_price"})
	}
	attacks = append(attacks, attack{"nothing", "ann", checkout, order("", "", profile, profile), http.StatusBadRequest, "invalid_product_id"})
	for _, extra := range []string{`,"amount":1`, `,"quantity":0`, `,"customer":"cus_1"`, `,"trial_days":999`, `,"discounts":[{"coupon":"all"}]`} {
		attacks = append(attacks, attack{"a say in the price", "ann", checkout, strings.Replace(order(stripe.ProProduct, stripe.ProPrice, profile, profile), "}", extra+"}", 1), http.StatusBadRequest, "unknown_field"})
	}
	for _, amount := range []string{"-1", "0", "-0.01", "0.001", "1e400", "100000.01", "1e999999999", `"1"`, "null", "NaN", "9223372036854775808", "0x10", "1_000"} {
		spend := `{"amount":` + amount + `,"description":"x","idempotencyKey":"k"}`
		attacks = append(attacks, attack{"an amount", "bea", "POST /api/consume-credits", spend, http.StatusBadRequest, ""}, attack{"an amount", "bea", "POST /api/hold-credits", spend, http.StatusBadRequest, ""})
	}
	for _, seconds := range []string{"0", "-1", "86401", "2147483648", "1.5", `"60"`} {
		attacks = append(attacks, attack{"a lifetime", "bea", "POST /api/hold-credits", `{"amount":1,"description":"x","idempotencyKey":"k","lifetimeSeconds":` + seconds + `}`, http.StatusBadRequest, ""})
	}
	attacks = append(attacks, attack{"more than there is", "bea", "POST /api/consume-credits", `{"amount":99999,"description":"x","idempotencyKey":"k2"}`, http.StatusConflict, ""},
		attack{"a key that was used for less", "bea", "POST /api/consume-credits", `{"amount":1,"description":"screen","idempotencyKey":"spend-0"}`, http.StatusConflict, ""})
	p.refuses(attacks...)
	p.forgedEvents()
}

// signed is a request with Stripe's signature over the body, of the given age.
func (p *product) signed(body, secret string, age time.Duration) *http.Request {
	p.Helper()
	at := time.Now().Add(-age).Unix()
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at, body)
	req := p.request("nobody", webhook, body)
	req.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
	return req
}

// forgedEvents tell of payments that nobody made.
func (p *product) forgedEvents() {
	p.Helper()
	event := func(id, kind, object string, live bool) string {
		return fmt.Sprintf(`{"id":%q,"object":"event","type":%q,"livemode":%t,"created":%d,"data":{"object":{"id":%q}}}`, id, kind, live, time.Now().Unix(), object)
	}
	paid := event("evt_forged", "invoice.paid", "in_forged", false)
	tell := func(what string, req *http.Request, status int) {
		p.Helper()
		if a := p.send(req); a.status != status {
			p.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	p.without("events that Stripe did not sign", func() {
		tell("another secret", p.signed(paid, "whsec_guess", 0), http.StatusBadRequest)
		tell("an old one", p.signed(paid, stripe.WebhookSecret, 6*time.Minute), http.StatusBadRequest)
		tell("one of tomorrow", p.signed(paid, stripe.WebhookSecret, -time.Hour), http.StatusBadRequest)
		tell("signed nonsense", p.signed(`{"id":`, stripe.WebhookSecret, 0), http.StatusBadRequest)
		tell("signed, and no event", p.signed(`{"id":"evt_/../x","object":"event"}`, stripe.WebhookSecret, 0), http.StatusBadRequest)
		tell("1 MiB and more", p.signed(`{"x":"`+strings.Repeat("x", 1<<20)+`"}`, stripe.WebhookSecret, 0), http.StatusRequestEntityTooLarge)
		for _, header := range []string{"", "t=,v1=", "v1=00", "t=abc,v1=00", fmt.Sprintf("t=%d,v0=00", time.Now().Unix()), strings.Repeat("x", 8<<10), fmt.Sprintf("t=%d", time.Now().Unix()) + strings.Repeat(",v1=00", 1000)} {
			req := p.request("admin", webhook, paid)
			req.Header["Stripe-Signature"] = []string{header}
			req.Header.Set("Cookie", p.cookies["admin"])
			tell("the signature "+header[:min(len(header), 20)], req, http.StatusBadRequest)
		}
	})
	// With the leaked secret: taken, but Stripe knows nothing of it.
	credits := func() string {
		return p.ask("billing", "SELECT md5(string_agg(r::text, '' ORDER BY r::text)) FROM (SELECT user_id, amount, kind FROM credit_entries) r")
	}
	before := credits()
	tell("a payment that Stripe does not know", p.signed(paid, stripe.WebhookSecret, 0), http.StatusOK)
	for range 5 {
		tell("the same again", p.signed(paid, stripe.WebhookSecret, 0), http.StatusOK)
	}
	tell("real money told to a test", p.signed(event("evt_live", "invoice.paid", "in_1", true), stripe.WebhookSecret, 0), http.StatusOK)
	p.paid("bea") // nothing is pending any more
	if n := p.ask("billing", "SELECT count(*) FROM stripe_events WHERE id IN ('evt_forged', 'evt_live') AND state IN ('parked', 'wrong_mode')"); n != "2" {
		p.Errorf("%s of 2 forged events were seen for what they are", n)
	}
	if after := credits(); after != before {
		p.Error("forged events moved credits")
	}
}
