package oidc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"golang.org/x/oauth2"

	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/services/platform/errtest"
)

// signed is a secret as clients of Apple make it.
func signed(t *testing.T, key *ecdsa.PrivateKey, keyID string, claims jwt.Claims) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: keyID}}, nil)
	errtest.None(t, err)
	secret, err := jwt.Signed(signer).Claims(claims).Serialize()
	errtest.None(t, err)
	return secret
}

func TestAppleUnderItsOwnName(t *testing.T) {
	const host, id, team, keyID = "appleid.apple.test", "dev.fledge.web", "TEAM123456", "0123456789"
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errtest.None(t, err)
	s, err := oidc.Start(t.Context(), oidc.Options{
		Addr: "127.0.0.1:0", SiteOrigin: site,
		Apple: oidc.PublicApple{Host: host, ClientID: id, TeamID: team, KeyID: keyID, Key: &key.PublicKey},
	})
	errtest.None(t, err)
	t.Cleanup(func() { _ = s.Close(context.WithoutCancel(t.Context())) })
	inside := &http.Client{Transport: ingress(s.URL()), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

	now := time.Now()
	right := jwt.Claims{Issuer: team, Subject: id, Audience: jwt.Audience{"https://" + host}, Expiry: jwt.NewNumericDate(now.Add(time.Minute))}
	changed := func(change func(*jwt.Claims)) jwt.Claims {
		claims := right
		change(&claims)
		return claims
	}
	for name, test := range map[string]struct {
		secret string
		ok     bool
	}{
		"right":         {signed(t, key, keyID, right), true},
		"another key":   {signed(t, other, keyID, right), false},
		"another id":    {signed(t, key, "9876543210", right), false},
		"another team":  {signed(t, key, keyID, changed(func(c *jwt.Claims) { c.Issuer = "OTHER12345" })), false},
		"another app":   {signed(t, key, keyID, changed(func(c *jwt.Claims) { c.Subject = "dev.other.web" })), false},
		"for others":    {signed(t, key, keyID, changed(func(c *jwt.Claims) { c.Audience = jwt.Audience{"https://example.com"} })), false},
		"expired":       {signed(t, key, keyID, changed(func(c *jwt.Claims) { c.Expiry = jwt.NewNumericDate(now.Add(-time.Hour)) })), false},
		"without end":   {signed(t, key, keyID, changed(func(c *jwt.Claims) { c.Expiry = nil })), false},
		"the usual one": {oidc.AppleClientSecret, false},
	} {
		party, err := rp.NewRelyingPartyOIDC(t.Context(), "https://"+host, id, test.secret, site+oidc.CallbackPath+"apple",
			[]string{"openid", "email"}, rp.WithHTTPClient(inside), rp.WithVerifierOpts(rp.WithSupportedSigningAlgorithms("ES256")))
		errtest.None(t, err)
		p := &relyingParty{party, t, "https://" + host, oauth2.GenerateVerifier(), inside}
		page, _ := p.open()
		_, values := answerOf(t, p.choose(page, url.Values{"email": {"ada@example.test"}}))
		claims, err := p.exchange(values.Get("code"), p.verifier)
		if (err == nil) != test.ok || test.ok && (claims.Email != "ada@example.test" || claims.Issuer != "https://"+host) {
			t.Errorf("%s: %+v, %v", name, claims, err)
		}
	}
	// Where identity finds them, without the discovery.
	at := &relyingParty{t: t, browser: inside}
	if asked := at.get("https://" + host + "/auth/authorize?client_id=" + id + "&response_type=code&scope=openid&redirect_uri=" + url.QueryEscape(site+oidc.CallbackPath+"apple")); asked.StatusCode != http.StatusFound {
		t.Errorf("authorize: %s", asked.Status)
	}
	if keys := read(t, at.get("https://"+host+"/auth/keys")); !strings.Contains(keys, `"kty"`) {
		t.Errorf("keys: %s", keys)
	}
	res, err := inside.PostForm("https://"+host+"/auth/token", url.Values{"client_id": {id}, "client_secret": {signed(t, key, keyID, right)}, "grant_type": {"authorization_code"}, "code": {"none"}})
	errtest.None(t, err)
	defer func() { _ = res.Body.Close() }()
	if answer := read(t, res); !strings.Contains(answer, "invalid_grant") {
		t.Errorf("token: %s, %s", res.Status, answer)
	}
}
