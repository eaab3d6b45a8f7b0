package kratos_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
)

// TestSignInsAreCountedByHowTheyEnd: a provider that refuses everybody differs from people who
// change their mind, though Kratos answers all of them by a redirect to the site.
func TestSignInsAreCountedByHowTheyEnd(t *testing.T) {
	var location, failure string
	flows := map[string]string{
		"/self-service/login/flows refused":      `{"ui":{"messages":[{"id":4000001,"text":"failed to verify signature"}]}}`,
		"/self-service/login/flows link":         `{"ui":{"messages":[{"id":1010016}]}}`,
		"/self-service/login/flows wrong":        `{"ui":{"nodes":[{"messages":[]}],"messages":[{"id":4010009}]}}`,
		"/self-service/login/flows page":         `<html>`,
		"/self-service/registration/flows guard": `{"ui":{"nodes":[{"messages":[{"id":900100}]}]}}`,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/self-service/methods/oidc/callback/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusSeeOther)
	})
	mux.HandleFunc("/self-service/errors", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(failure)) })
	mux.HandleFunc("/self-service/{kind}/flows", func(w http.ResponseWriter, r *http.Request) {
		flow, ok := flows[r.URL.Path+" "+r.URL.Query().Get("id")]
		if !ok || r.Header.Get("Cookie") == "" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(flow))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client, metrics := counted(t, server.URL)
	const site = "https://fledge.example"
	for i, c := range []struct{ query, location, failure, want string }{
		{"", site + "/auth/callback?redirect=%2Fprofile", "", "ok"},
		{"", site + "/", "", "ok"},
		{"", site + "/signin?flow=link&no_org_ui=true", "", "asks"},
		{"", site + "/signin?flow=wrong", "", "asks"},
		{"", site + "/signin?flow=another-browsers", "", "asks"},
		{"", site + "/signin?flow=page", "", "asks"},
		// The ID token cannot be verified, which Kratos tells the page alone.
		{"", site + "/signin?flow=refused", "", "refused"},
		{"", site + "/signin?kind=registration&flow=guard", "", "barred"},
		{"", site + "/profile?linking=failed&flow=f1", "", "asks"},
		{"&error=access_denied", site + "/signin?flow=f1", "", "declined"},
		{"&error=user_cancelled_authorize", site + "/signin?flow=f1", "", "declined"},
		{"&error=access_denied", site + "/profile?linking=failed", "", "declined"},
		{"&error=unauthorized_client", site + "/signin?flow=f1", "", "refused"},
		{"&error=server_error", site + "/profile?linking=failed", "", "refused"},
		// The code was not taken: Kratos' cause is of oauth2, with code 500.
		{"", site + "/auth/error?id=e1", `{"error":{"code":500,"message":"oauth2: cannot fetch token"}}`, "refused"},
		{"", site + "/auth/error?id=e1", `{"error":{"code":500,"message":"email_not_verified at person.jsonnet"}}`, "barred"},
		{"", site + "/auth/error?id=e1", `{"error":{"code":401}}`, "barred"},
		{"", site + "/auth/error?id=e1", `{"error":{"code":401,"id":"session_inactive"}}`, "interrupted"},
		{"", site + "/auth/error?id=e1", `{"error":{"code":410}}`, "expired"},
		{"&error=server_error", site + "/auth/error?id=e1", `{"error":{"code":400,"reason":"the state does not match"}}`, "interrupted"},
		{"", site + "/auth/error?id=e1", `<html>`, "failed"},
		{"", "https://elsewhere.example/", "", "failed"},
		{"", site + kratos.Prefix + "/self-service/login/browser?refresh=true", "", "expired"},
	} {
		location, failure = c.location, c.failure
		before := callbacks(t, metrics)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, kratos.Prefix+"/self-service/methods/oidc/callback/apple?state=s"+c.query, nil)
		visitor := kratos.Visitor{Cookies: begun.Cookies, IP: fmt.Sprintf("10.0.%d.1", i)} // each from a network of its own
		client.Navigate(httptest.NewRecorder(), r, visitor, "apple", nil, func(string) {}, func(error) {})
		if got, want := callbacks(t, metrics), sorted(append(before, "apple "+c.want)); !slices.Equal(got, want) {
			t.Errorf("%q to %s (%s): counted %q, want %q", c.query, c.location, c.failure, got, want)
		}
	}
}

// TestKratosOwnSignInIsNoPage: where a sign-in is too old to add a provider, Kratos leads to its own, with the answer of
// the provider. From Apple's form it leads to the navigation that counts.
func TestKratosOwnSignInIsNoPage(t *testing.T) {
	const site = "https://fledge.example"
	var location string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusSeeOther)
		_, _ = fmt.Fprintf(w, "<a href=%q>See Other</a>", location)
	}))
	t.Cleanup(server.Close)
	client, metrics := counted(t, server.URL)
	const callback = kratos.Prefix + "/self-service/methods/oidc/callback/apple"
	comeBack := func(method, query, form string) string {
		w := httptest.NewRecorder()
		client.Navigate(w, httptest.NewRequestWithContext(t.Context(), method, callback+query, nil), begun, "apple", []byte(form), func(string) {}, func(error) {})
		if method == http.MethodGet && w.Body.Len() > 0 {
			t.Errorf("the visitor reads %s", w.Body)
		}
		return w.Header().Get("Location")
	}
	location = site + callback + "?state=s&code=c"
	if got := comeBack(http.MethodPost, "", "state=s&code=c"); got != location {
		t.Errorf("Apple's form leads to %s", got)
	}
	if got := callbacks(t, metrics); len(got) != 0 {
		t.Errorf("Apple's form counts: %q", got)
	}
	for _, location = range []string{
		site + kratos.Prefix + "/self-service/login/browser?refresh=true&return_to=" + url.QueryEscape(site+callback+"?state=s&code=c"),
		site + kratos.Prefix + "/self-service/login/browser",
	} {
		if got := comeBack(http.MethodGet, "?state=s&code=c", ""); got != site+"/profile?linking=failed" {
			t.Errorf("%s leads to %s", location, got)
		}
	}
	if got := callbacks(t, metrics); !slices.Equal(got, []string{"apple expired", "apple expired"}) {
		t.Errorf("counted %q", got)
	}
}

// TestOneNetworkIsRefusedOnce in a quarter of an hour, by each provider: nobody makes it look as if the provider refused
// everybody by coming back with errors of their own.
func TestOneNetworkIsRefusedOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://fledge.example/signin?flow=f1")
		w.WriteHeader(http.StatusSeeOther)
	}))
	t.Cleanup(server.Close)
	now := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	client, metrics := countedBy(t, server.URL, now)
	comeBack := func(provider, ip string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, kratos.Prefix+"/self-service/methods/oidc/callback/"+provider+"?state=s&error=server_error", nil)
		client.Navigate(httptest.NewRecorder(), r, kratos.Visitor{Cookies: begun.Cookies, IP: ip}, provider, nil, func(string) {}, func(error) {})
	}
	var want []string
	expect := func(what string, more ...string) {
		t.Helper()
		want = sorted(append(want, more...))
		if got := callbacks(t, metrics); !slices.Equal(got, want) {
			t.Errorf("%s: counted %q, want %q", what, got, want)
		}
	}
	for range 20 {
		comeBack("google", "203.0.113.7")
	}
	expect("20 from one address", append(slices.Repeat([]string{"google interrupted"}, 19), "google refused")...)
	comeBack("google", "203.0.113.250")
	comeBack("google", "::ffff:203.0.113.9")
	expect("two from its network", "google interrupted", "google interrupted")
	comeBack("apple", "203.0.113.7")
	expect("one by the other provider", "apple refused")
	for _, ip := range []string{"203.0.112.7", "198.51.100.7", "2001:db8:1::7", "2001:db8:2::7"} {
		comeBack("google", ip)
	}
	expect("four from other networks", slices.Repeat([]string{"google refused"}, 4)...)
	comeBack("google", "2001:db8:1:ff::1")
	expect("one from another /64 of the same /48", "google interrupted")
	now.Advance(15 * time.Minute)
	comeBack("google", "203.0.113.7")
	expect("one after a quarter of an hour", "google refused")
}

func TestStartsAreCountedByProvider(t *testing.T) {
	status := http.StatusUnprocessableEntity
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(status)
		}
		_, _ = w.Write([]byte(`{"id":"f1","redirect_browser_to":"https://appleid.apple.com/"}`))
	}))
	t.Cleanup(server.Close)
	client, metrics := counted(t, server.URL)
	// A flow that is over says nothing about the provider.
	for _, status = range []int{http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusGone} {
		_, _ = client.SignIn(t.Context(), kratos.Visitor{}, "apple", "/profile", false)
	}
	status = http.StatusUnprocessableEntity
	if _, err := client.Link(t.Context(), kratos.Visitor{}, "google", "/profile"); err != nil {
		t.Error(err)
	}
	want := []string{"apple failed", "apple ok", "google ok"}
	if got := series(t, metrics, "gateway_sign_in_starts_total"); !slices.Equal(got, want) {
		t.Errorf("counted %q, want %q", got, want)
	}
}

func callbacks(t *testing.T, metrics *prometheus.Registry) []string {
	t.Helper()
	return series(t, metrics, "gateway_sign_in_callbacks_total")
}

// series returns provider and outcome of a counter, once for each time it was increased.
func series(t *testing.T, metrics *prometheus.Registry, name string) []string {
	t.Helper()
	families, err := metrics.Gather()
	errtest.None(t, err)
	var counts []string
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if label := m.GetLabel(); family.GetName() == name {
				counts = append(counts, slices.Repeat([]string{label[1].GetValue() + " " + label[0].GetValue()}, int(m.GetCounter().GetValue()))...)
			}
		}
	}
	return sorted(counts)
}

func sorted(values []string) []string {
	return slices.Sorted(slices.Values(values))
}
