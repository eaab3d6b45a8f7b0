package signin

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// counted is the sum of a metric's series that have all these labels' values; of a histogram, of what it observed.
func counted(t *testing.T, metrics prometheus.Gatherer, name string, labels ...string) (sum float64) {
	t.Helper()
	families, err := metrics.Gather()
	errtest.None(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var values []string
			for _, l := range m.GetLabel() {
				values = append(values, l.GetValue())
			}
			if family.GetName() == name && !slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(values, l) }) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetHistogram().GetSampleSum()
			}
		}
	}
	return sum
}

// withoutCode is what the answer of a provider holds, and Kratos does not do without.
var withoutCode = regexp.MustCompile(`code=[^&]*&`)

// refusing: a provider that takes no code, or whose answer is not taken, differs from a person who declines.
func refusing(t *testing.T, w *world) {
	for _, provider := range []string{"google", "apple"} {
		ended := func(outcome string) float64 {
			return counted(t, w.gateway.Metrics, "gateway_sign_in_callbacks_total", provider, outcome)
		}
		refused, declined := ended("refused"), ended("declined")
		b := w.browser(t)
		b.roams = []string{"192.0.2.1"} // no other is refused in this network, which counts once
		if p := b.choose(b.start(provider, profile), url.Values{"email": {"nobody@example.test"}, "refused": {"yes"}}); p.url.Path != "/auth/error" {
			t.Errorf("%s: ended at %s", provider, p.url)
		}
		b.signedOut()
		b.roams = []string{"192.0.3.1"}
		answer := b.answer(b.start(provider, profile), url.Values{"email": {"nobody@example.test"}})
		answer.url, answer.body = withoutCode.ReplaceAllString(answer.url, ""), withoutCode.ReplaceAllString(answer.body, "")
		if p := b.follow(b.send(answer)); p.url.Path != "/signin" {
			t.Errorf("%s: without a code ended at %s", provider, p.url)
		}
		b.signedOut()
		b.choose(b.start(provider, profile), url.Values{"cancel": {"yes"}})
		if ended("refused") != refused+2 || ended("declined") != declined+1 {
			t.Errorf("%s: %v refused, %v declined", provider, ended("refused")-refused, ended("declined")-declined)
		}
		waittest.Eventually(t, provider+" accepts the site's credentials", func() bool {
			return counted(t, w.identity.Metrics, "identity_provider_accepted", provider) == 1
		})
	}
}

// notify has Apple report what somebody did there, at a moment.
func notify(t *testing.T, w *world, kind, email string, at time.Time) {
	t.Helper()
	form := url.Values{"type": {kind}, "email": {email}, "at": {strconv.FormatInt(at.Unix(), 10)}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.oidc+"/apple/notifications", strings.NewReader(form.Encode()))
	errtest.None(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := (&http.Client{Timeout: waittest.Timeout}).Do(r)
	errtest.None(t, err)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %d", kind, resp.StatusCode)
	}
}

// appleReports: what a person did at Apple is followed here.
func appleReports(t *testing.T, w *world) {
	const email, relay = "leaver@example.test", "leaver-relay@example.test"
	b := w.browser(t)
	b.signIn("google", email)
	s := b.session()
	b.choose(b.start("apple?link=true", linkBody(s.User.ID)), url.Values{"email": {relay}})
	waittest.Eventually(t, "Apple is listed", func() bool { return slices.Equal(b.providers(s), []string{"apple", "google"}) })

	// Two ways in: Apple's goes, and who signed in before is signed out.
	notify(t, w, "consent-revoked", relay, time.Now().Add(time.Second))
	b.signedOut()
	again := w.browser(t)
	notify(t, w, "consent-revoked", relay, time.Now().Add(-time.Minute))
	again.signIn("google", email)
	if got := again.providers(again.session()); !slices.Equal(got, []string{"google"}) {
		t.Errorf("left are %v", got)
	}
	// The only way in stays: consenting again leads to the same account.
	only := w.browser(t)
	only.signIn("apple", "only-apple@example.test")
	id := only.session().User.ID
	notify(t, w, "account-delete", "only-apple@example.test", time.Now().Add(time.Second))
	only.signedOut()
	notify(t, w, "email-disabled", "only-apple@example.test", time.Now())
	admin := w.browser(t)
	admin.signIn("google", "admin@fledge.test")
	var person struct {
		ID       string     `json:"id"`
		EmailOff *time.Time `json:"email_off_since"`
	}
	admin.decode(admin.api(http.MethodGet, "/api/get-person?person=only-apple%40example.test", "", bearer(admin.session())...), http.StatusOK, &person)
	if person.ID != id || person.EmailOff == nil {
		t.Errorf("staff see %+v", person)
	}
	for _, body := range []string{`{"payload":"a.b.c"}`, `{}`, `x`} {
		if p := admin.api(http.MethodPost, "/api/auth/apple-notification", body); p.status != http.StatusBadRequest {
			t.Errorf("%s: %d", body, p.status)
		}
	}
}
