package oidc_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	protocol "github.com/zitadel/oidc/v3/pkg/oidc"

	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/services/platform/errtest"
)

// revoke posts the form, and returns the status and the body.
func (p *relyingParty) revoke(form url.Values) (status int, body string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+"/apple/auth/revoke", strings.NewReader(form.Encode()))
	errtest.None(p.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res := p.do(req)
	return res.StatusCode, read(p.t, res)
}

func TestAppleRevokes(t *testing.T) {
	p := appleParty(t)
	var token string
	for range 2 {
		page, _ := p.open()
		_, values := answerOf(t, p.choose(page, url.Values{"email": {"ann@fledge.test"}}))
		tokens, err := rp.CodeExchange[*protocol.IDTokenClaims](t.Context(), values.Get("code"), p.RelyingParty, rp.WithCodeVerifier(p.verifier))
		errtest.None(t, err)
		if token != "" && tokens.RefreshToken != token {
			t.Error("another consent at the second sign-in")
		}
		token = tokens.RefreshToken
	}
	if token == "" {
		t.Fatal("no refresh token")
	}
	consents := func() string { return read(t, p.get(p.base+"/apple/consents")) }
	form := func(field, value string) url.Values {
		f := url.Values{"client_id": {oidc.AppleClientID}, "client_secret": {oidc.AppleClientSecret}, "token": {token}, "token_type_hint": {"refresh_token"}}
		f.Set(field, value)
		return f
	}
	for _, c := range []struct{ field, value, code string }{
		{"client_secret", "x", "invalid_client"}, {"client_id", "x", "invalid_client"}, {"token", "", "invalid_request"}, {"token_type_hint", "id_token", "invalid_request"},
	} {
		if status, body := p.revoke(form(c.field, c.value)); status != http.StatusBadRequest || strings.TrimSpace(body) != `{"error":"`+c.code+`"}` {
			t.Errorf("%s %q: %d %s", c.field, c.value, status, body)
		}
	}
	if got := consents(); got != "ann@fledge.test\n" {
		t.Errorf("consents %q", got)
	}
	for range 2 {
		if status, body := p.revoke(form("token", token)); status != http.StatusOK || body != "" {
			t.Errorf("%d %q", status, body)
		}
	}
	if got := consents(); got != "" {
		t.Errorf("consents %q after the revocation", got)
	}
}
