package oidc_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"golang.org/x/oauth2"

	"fledge.dev/deploy/standins/loopback"
	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/services/platform/errtest"
)

// ingress leads every address to the server, as one that ends TLS does.
type ingress string

func (at ingress) RoundTrip(req *http.Request) (*http.Response, error) {
	inside := req.Clone(req.Context())
	inside.Host, inside.URL.Scheme, inside.URL.Host = req.URL.Host, "http", strings.TrimPrefix(string(at), "http://")
	return http.DefaultTransport.RoundTrip(inside)
}

func startAs(t *testing.T, host string) (*oidc.Server, error) {
	t.Helper()
	s, err := oidc.Start(t.Context(), oidc.Options{Addr: "127.0.0.1:0", SiteOrigin: site, GoogleHost: host})
	if err == nil {
		t.Cleanup(func() {
			if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
	return s, err
}

func TestGoogleUnderItsOwnName(t *testing.T) {
	const host = "accounts.google.test"
	s, err := startAs(t, host)
	errtest.None(t, err)
	inside := &http.Client{Transport: ingress(s.URL()), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	callback := site + oidc.CallbackPath + "google"
	party, err := rp.NewRelyingPartyOIDC(t.Context(), "https://"+host, oidc.PublicGoogleClientID, oidc.GoogleClientSecret, callback,
		[]string{"openid", "email", "profile"}, rp.WithHTTPClient(inside), rp.WithVerifierOpts(rp.WithSupportedSigningAlgorithms("ES256")))
	errtest.None(t, err)
	p := &relyingParty{party, t, "https://" + host, oauth2.GenerateVerifier(), inside}
	page, _ := p.open()
	if page.Scheme != "https" || page.Host != host {
		t.Errorf("the account page is at %s", page)
	}
	got, values := answerOf(t, p.choose(page, url.Values{"email": {"ada@example.test"}}))
	if got != callback {
		t.Errorf("sent to %s", got)
	}
	claims, err := p.exchange(values.Get("code"), p.verifier)
	errtest.None(t, err)
	if claims.Issuer != "https://"+host || claims.Email != "ada@example.test" {
		t.Errorf("claims %+v", claims)
	}
	if res := p.get("https://" + host + "/assets/style.css"); res.StatusCode != http.StatusOK {
		t.Errorf("a file of the page: %s", res.Status)
	}
	if res := p.get(s.URL() + "/google/.well-known/openid-configuration"); res.StatusCode != http.StatusNotFound {
		t.Errorf("the usual one is there as well: %s", res.Status)
	}
	newRelyingParty(t, s.URL(), "apple", oidc.AppleClientID, oidc.AppleClientSecret)
}

func TestGooglesRealNameNeedsANetworkOfItsOwn(t *testing.T) {
	if _, err := startAs(t, "accounts.google.com"); (err == nil) != loopback.Alone() {
		t.Errorf("started: %v", err)
	}
}
