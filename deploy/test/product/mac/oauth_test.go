package mac

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"fledge.dev/deploy/local/person"
	"fledge.dev/services/platform/errtest"
)

// TestAnOAuthLibraryAtASiteThatRuns is for the form that ships: `make shipped`.
func TestAnOAuthLibraryAtASiteThatRuns(t *testing.T) {
	site := os.Getenv("FLEDGE_SITE_URL")
	if site == "" {
		t.Skip("FLEDGE_SITE_URL names no site")
	}
	product{site: site, recorder: newRecorder()}.library(t)
}

// metadata is what a library reads of RFC 8414.
type metadata struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Revocation    string `json:"revocation_endpoint"`
}

// library is a life with golang.org/x/oauth2, from what the metadata says.
func (p product) library(t *testing.T) {
	browser := p.browser(t, "library@fledge.test")
	var found metadata
	if err := json.Unmarshal(p.read(t, &http.Client{Transport: p.recorder}, p.site+"/.well-known/oauth-authorization-server"), &found); err != nil || found.Issuer != p.site {
		t.Fatalf("%+v, %v", found, err)
	}
	ctx := context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: p.recorder})
	config := oauth2.Config{
		ClientID: "any", RedirectURL: "http://127.0.0.1:49152/auth/callback", Scopes: []string{"all"},
		Endpoint: oauth2.Endpoint{AuthURL: found.Authorization, TokenURL: found.Token, AuthStyle: oauth2.AuthStyleInParams},
	}
	verifier := oauth2.GenerateVerifier()
	page, err := url.Parse(config.AuthCodeURL("a state", oauth2.S256ChallengeOption(verifier)))
	errtest.None(t, err)
	code := p.agree(t, browser, page)

	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil || token.Type() != "Bearer" || time.Until(token.Expiry) < 9*time.Minute {
		t.Fatalf("%v, %v", token, err)
	}
	if _, err := config.Exchange(ctx, "another", oauth2.VerifierOption(verifier)); !refusedAs(err, "invalid_grant") {
		t.Errorf("a code that is not good: %v", err)
	}
	token.Expiry = time.Now().Add(-time.Minute)
	next, err := config.TokenSource(ctx, token).Token()
	if err != nil || next.RefreshToken == token.RefreshToken {
		t.Fatalf("refreshed: %v", err)
	}
	if who := p.read(t, config.Client(ctx, next), p.site+"/api/auth/user"); !strings.Contains(string(who), "library@fledge.test") {
		t.Errorf("it is %s", who)
	}
	revoked, err := (&http.Client{Transport: p.recorder}).PostForm(found.Revocation, url.Values{"token": {next.RefreshToken}})
	if err != nil || revoked.StatusCode != http.StatusOK {
		t.Fatalf("revoking: %v, %v", revoked, err)
	}
	_ = revoked.Body.Close()
	next.Expiry = token.Expiry
	if _, err := config.TokenSource(ctx, next).Token(); !refusedAs(err, "invalid_grant") {
		t.Errorf("revoked: %v", err)
	}
}

// server is a server's life with golang.org/x/oauth2/clientcredentials: it spends what maker has bought.
func (p product) server(t *testing.T, secret string) {
	browser := p.browser(t, "maker@fledge.test")
	config := clientcredentials.Config{ClientID: "builder", ClientSecret: secret, TokenURL: p.site + "/api/auth/token", Scopes: []string{"credits:spend"}}
	ctx := context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: p.recorder})
	spend := func(path, body string) (status int, answer string) {
		t.Helper()
		resp, err := config.Client(ctx).Post(p.site+path, "application/json", strings.NewReader(body))
		errtest.None(t, err)
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		errtest.None(t, err)
		return resp.StatusCode, string(raw)
	}
	if status, answer := spend("/api/consume-credits", `{"userId":"`+browser.ID()+`","amount":0.42,"description":"Generated screen","idempotencyKey":"job-1"}`); status != http.StatusOK || !strings.Contains(answer, `"balance":47`) {
		t.Errorf("%d %s", status, answer)
	}
	if status, answer := spend("/api/auth/sign-out", `{}`); status == http.StatusOK {
		t.Errorf("a server signs out: %d %s", status, answer)
	}
	for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
		config := config
		config.AuthStyle = style
		if token, err := config.Token(ctx); err != nil || time.Until(token.Expiry) < 9*time.Minute || token.RefreshToken != "" {
			t.Errorf("style %d: %v, %v", style, token, err)
		}
		config.ClientSecret = "another"
		if _, err := config.Token(ctx); !refusedAs(err, "invalid_client") {
			t.Errorf("style %d, another secret: %v", style, err)
		}
	}
}

// agree does what /auth and /auth/callback do with the library's request, and returns the code.
func (p product) agree(t *testing.T, browser *person.Person, page *url.URL) string {
	t.Helper()
	asked := page.Query()
	if page.Path != "/auth" || asked.Get("response_type") != "code" || asked.Get("state") != "a state" {
		t.Fatalf("the library opens %s", page)
	}
	var answer struct{ Code string }
	err := browser.Call(t.Context(), http.MethodPost, "/api/auth/hand-off", map[string]string{
		"callback": asked.Get("redirect_uri"), "code_challenge": asked.Get("code_challenge"), "code_challenge_method": asked.Get("code_challenge_method"),
	}, &answer)
	errtest.None(t, err)
	p.keep(answer.Code)
	return answer.Code
}

func (p product) read(t *testing.T, client *http.Client, address string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	errtest.None(t, err)
	resp, err := client.Do(req)
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %s, %v", address, resp.Status, err)
	}
	return body
}

func refusedAs(err error, code string) bool {
	var refused *oauth2.RetrieveError
	return errors.As(err, &refused) && refused.ErrorCode == code && refused.ErrorDescription != ""
}
