package billing

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fledge.dev/deploy/standins/stripe"
)

// post posts a form of a page of the stand-in's.
func (r *rig) post(address string, form url.Values) (resp *http.Response, page string) {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	r.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err = (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	r.must(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	r.must(err)
	return resp, string(body)
}

// press posts a form and returns where it leads.
func (r *rig) press(address string, form url.Values) string {
	r.Helper()
	resp, page := r.post(address, form)
	if resp.StatusCode != http.StatusSeeOther {
		r.Fatalf("%s: %d: %s", address, resp.StatusCode, page)
	}
	return resp.Header.Get("Location")
}

// opens is the address of a person's portal.
func (f *front) opens(p *person) string {
	f.Helper()
	status, answer := f.portal(p)
	if status != http.StatusOK || answer["url"] == nil {
		f.Fatalf("no portal: %d %v", status, answer)
	}
	return answer["url"].(string)
}

// until is the date that the profile shows.
func (f *front) until(p *person) string {
	f.Helper()
	_, answer := f.ask(p, "/api/get-subscription", "")
	data, _ := answer["data"].(map[string]any)
	return fmt.Sprint(data["current_period_end"])
}

// TestAPersonsWayThroughStripesPages: buying, cancelling, resuming, another plan
// and back, all as a browser does it.
func TestAPersonsWayThroughStripesPages(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	r.must(r.stripe.AdvanceToTenth(t.Context()))
	f, p := r.front(r.serving[0]), r.person()
	_, bought := f.checkout(p)
	if to := r.press(bought["url"].(string), url.Values{"card": {stripe.CardWorks}}); to != profile+"?success=true" {
		t.Errorf("paying leads to %q", to)
	}
	p.is("active", "pro", 5000)
	renewal := f.until(p)
	mine := url.Values{"subscription": {r.text(`SELECT id FROM subscriptions WHERE user_id = $1`, p.id)}}

	r.press(f.opens(p)+"/cancel", mine)
	p.is("cancelled", "pro", 5000)
	if end := f.until(p); end != renewal {
		t.Errorf("it ends on %s, and was to renew on %s", end, renewal)
	}
	r.press(f.opens(p)+"/keep", mine)
	p.is("active", "pro", 5000)

	r.press(f.opens(p)+"/cancel", mine)
	p.is("cancelled", "pro", 5000)
	before := r.stripe.CountCalls("POST /v1/billing_portal/sessions")
	if _, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); reason(err) != "subscription_ending" {
		t.Errorf("another plan while this one ends: %v", err)
	}
	if n := r.stripe.CountCalls("POST /v1/billing_portal/sessions") - before; n != 0 {
		t.Errorf("%d pages were opened on which an upgrade that ends could be paid", n)
	}
	if status, resumed := f.checkout(p); status != http.StatusOK || resumed["url"] != profile || resumed["sessionId"] != "" {
		t.Errorf("buying the same plan again: %d %v", status, resumed)
	}
	p.is("active", "pro", 5000)

	page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	if shown := r.page(page.GetUrl()); !strings.Contains(shown, "Confirm your new plan") {
		t.Fatalf("another plan leads to %s", shown)
	}
	dearer := url.Values{"subscription": mine["subscription"], "price": {stripe.BusinessPrice}}
	if to := r.press(page.GetUrl()+"/change", dearer); to != profile+"?success=true" {
		t.Errorf("confirming leads to %q", to)
	}
	p.is("active", "business", 10000)

	cheaper := url.Values{"subscription": mine["subscription"], "price": {stripe.ProPrice}}
	r.press(f.opens(p)+"/change", cheaper)
	r.settled()
	p.is("active", "business", 10000) // until the period ends
	r.month()
	p.is("active", "pro", 5000)

	r.press(f.opens(p)+"/expire", nil)
	r.month()
	p.is("past_due", "pro", 5000)
	portal := f.opens(p)
	open := regexp.MustCompile(`Your last payment has failed(?s:.*?)href="(/i/\w+)"`).FindStringSubmatch(r.page(portal))
	if open == nil {
		t.Fatal("the portal shows no open invoice")
	}
	r.press(r.stripe.URL()+open[1]+"/pay", url.Values{"card": {stripe.CardWorksToo}})
	p.is("active", "pro", 5000)
	r.settled()
	if n := r.count(`SELECT count(*) FROM credit_grants WHERE user_id = $1`, p.id); n != 4 {
		t.Errorf("%d grants, want three months and an upgrade", n)
	}
}

// TestADowngradeThatWaits is announced with its date, welcomed and charged as nothing, and can
// be taken back.
func TestADowngradeThatWaits(t *testing.T) {
	t.Parallel()
	r := start(t, 1)
	f, p := r.front(r.serving[0]), r.person()
	bought, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice)
	r.must(err)
	r.must(r.stripe.PayCheckout(t.Context(), bought.GetSessionId(), stripe.CardWorks))
	p.is("active", "business", 10000)
	id := r.text(`SELECT id FROM subscriptions WHERE user_id = $1`, p.id)
	coming := func() any {
		r.settled()
		_, answer := f.ask(p, "/api/get-subscription", "")
		data, _ := answer["data"].(map[string]any)
		return data["change"]
	}
	downgrade := func() {
		page, err := p.order(stripe.ProProduct, stripe.ProPrice)
		r.must(err)
		if to := r.press(page.GetUrl()+"/change", url.Values{"subscription": {id}, "price": {stripe.ProPrice}}); to != profile {
			t.Errorf("confirming leads to %q", to)
		}
		want := map[string]any{"plan": "Pro", "at": f.until(p)}
		if got := coming(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the profile says %v, want %v", got, want)
		}
	}
	downgrade()
	if _, err := p.order(stripe.ProProduct, stripe.ProPrice); reason(err) != "plan_changing" {
		t.Errorf("the same change again: %v", err)
	}
	if page, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); err != nil || page.GetUrl() != profile {
		t.Errorf("keeping Business leads to %v, %v", page, err)
	}
	if got := coming(); got != nil {
		t.Errorf("after it was taken back: %v", got)
	}
	if _, err := p.order(stripe.BusinessProduct, stripe.BusinessPrice); reason(err) != "already_subscribed" {
		t.Errorf("with nothing to take back: %v", err)
	}
	downgrade()
	r.month()
	p.is("active", "pro", 5000)
	if got := coming(); got != nil {
		t.Errorf("after the change: %v", got)
	}
	r.nothingParked()
}
