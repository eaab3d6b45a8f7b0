package oidc_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	protocol "github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"

	"fledge.dev/deploy/standins/oidc"
	"fledge.dev/services/platform/errtest"
)

const site = "http://localhost:8080"

// relyingParty is what Kratos is to the stand-in, plus the person's browser.
type relyingParty struct {
	rp.RelyingParty
	t        *testing.T
	base     string
	verifier string
	browser  *http.Client
}

func start(t *testing.T) *oidc.Server {
	t.Helper()
	s, err := oidc.Start(t.Context(), oidc.Options{Addr: "127.0.0.1:0", SiteOrigin: site})
	errtest.None(t, err)
	t.Cleanup(func() {
		if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newRelyingParty(t *testing.T, base, provider, id, secret string) *relyingParty {
	t.Helper()
	party, err := rp.NewRelyingPartyOIDC(t.Context(), base+"/"+provider, id, secret,
		site+oidc.CallbackPath+provider, []string{"openid", "email", "profile"},
		rp.WithVerifierOpts(rp.WithSupportedSigningAlgorithms("ES256")))
	errtest.None(t, err)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &relyingParty{party, t, base, oauth2.GenerateVerifier(), &http.Client{CheckRedirect: stay}}
}

func googleParty(t *testing.T) *relyingParty {
	return newRelyingParty(t, start(t).URL(), "google", oidc.GoogleClientID, oidc.GoogleClientSecret)
}

func appleParty(t *testing.T) *relyingParty {
	return newRelyingParty(t, start(t).URL(), "apple", oidc.AppleClientID, oidc.AppleClientSecret)
}

// open starts a sign-in and returns the address and the body of the account page.
func (p *relyingParty) open() (page *url.URL, body string) {
	p.t.Helper()
	res := p.get(p.OAuthConfig().AuthCodeURL("the-state", oauth2.S256ChallengeOption(p.verifier)))
	page, err := res.Location()
	if err != nil {
		p.t.Fatalf("authorize answered %s without a location: %v", res.Status, err)
	}
	return page, read(p.t, p.get(page.String()))
}

// choose submits the account page.
func (p *relyingParty) choose(page *url.URL, form url.Values) *http.Response {
	p.t.Helper()
	form.Set("request", page.Query().Get("request"))
	target := *page
	target.RawQuery = ""
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, target.String(), strings.NewReader(form.Encode()))
	errtest.None(p.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.do(req)
}

func (p *relyingParty) get(url string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, url, nil)
	errtest.None(p.t, err)
	return p.do(req)
}

func (p *relyingParty) do(req *http.Request) *http.Response {
	p.t.Helper()
	res, err := p.browser.Do(req)
	errtest.None(p.t, err)
	p.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func (p *relyingParty) exchange(code, verifier string) (*protocol.IDTokenClaims, error) {
	tokens, err := rp.CodeExchange[*protocol.IDTokenClaims](p.t.Context(), code, p.RelyingParty, rp.WithCodeVerifier(verifier))
	if err != nil {
		return nil, err
	}
	return tokens.IDTokenClaims, nil
}

func read(t *testing.T, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	errtest.None(t, err)
	return string(body)
}

// answerOf returns what reaches the callback: from the redirect's query, or
// from the fields of the form that the browser posts.
func answerOf(t *testing.T, res *http.Response) (callback string, values url.Values) {
	t.Helper()
	if u, err := res.Location(); err == nil {
		values = u.Query()
		u.RawQuery = ""
		return u.String(), values
	}
	body, values := read(t, res), url.Values{}
	for _, m := range regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		values.Set(m[1], m[2])
	}
	action := regexp.MustCompile(`method="post" action="([^"]+)"`).FindStringSubmatch(body)
	if action == nil {
		t.Fatalf("neither a redirect nor a form (%s):\n%s", res.Status, body)
	}
	return action[1], values
}

func TestGoogleSignsInByRedirect(t *testing.T) {
	p := googleParty(t)
	page, body := p.open()
	for _, want := range []string{`aria-label="Continue as admin@fledge.test"`, `<label for="email">E-mail</label>`, `>Continue</button>`, `>Cancel</button>`} {
		if !strings.Contains(body, want) {
			t.Errorf("the account page lacks %s", want)
		}
	}
	callback, values := answerOf(t, p.choose(page, url.Values{"email": {"Ada@Example.test"}}))
	if callback != site+oidc.CallbackPath+"google" || values.Get("state") != "the-state" {
		t.Fatalf("sent to %s with %v", callback, values)
	}
	claims, err := p.exchange(values.Get("code"), p.verifier)
	errtest.None(t, err)
	if claims.Email != "Ada@Example.test" || !bool(claims.EmailVerified) || claims.Name != "Ada" {
		t.Errorf("claims %+v", claims)
	}
	if !regexp.MustCompile(`^\d{21}$`).MatchString(claims.Subject) {
		t.Errorf("subject %q", claims.Subject)
	}
}

func TestAppleSignsInByFormPost(t *testing.T) {
	p := appleParty(t)
	page, _ := p.open()
	res := p.choose(page, url.Values{"email": {"ada@example.test"}})
	if res.StatusCode != http.StatusOK {
		t.Fatalf("want a form, got %s", res.Status)
	}
	callback, values := answerOf(t, res)
	if callback != site+oidc.CallbackPath+"apple" || values.Get("state") != "the-state" {
		t.Fatalf("posts to %s with %v", callback, values)
	}
	claims, err := p.exchange(values.Get("code"), p.verifier)
	errtest.None(t, err)
	if claims.Claims["email_verified"] != "true" || claims.Name != "" {
		t.Errorf("Apple writes email_verified as a string and sends no name, got %v", claims.Claims)
	}
}

func TestUnverifiedAddress(t *testing.T) {
	p := googleParty(t)
	page, _ := p.open()
	_, values := answerOf(t, p.choose(page, url.Values{"email": {"ada@example.test"}, "unverified": {"yes"}}))
	claims, err := p.exchange(values.Get("code"), p.verifier)
	errtest.None(t, err)
	if claims.Claims["email_verified"] != false {
		t.Errorf("email_verified = %v, want false", claims.Claims["email_verified"])
	}
}

func TestCancelIsEachProvidersOwnError(t *testing.T) {
	for _, c := range []struct {
		party *relyingParty
		want  string
	}{{googleParty(t), "access_denied"}, {appleParty(t), "user_cancelled_authorize"}} {
		page, _ := c.party.open()
		_, values := answerOf(t, c.party.choose(page, url.Values{"cancel": {"yes"}}))
		if values.Get("error") != c.want || values.Get("state") != "the-state" || values.Has("code") {
			t.Errorf("answer %v, want error %s", values, c.want)
		}
	}
}

func TestSubjectOutlivesTheProcess(t *testing.T) {
	subject := func(p *relyingParty, email string) string {
		page, _ := p.open()
		_, values := answerOf(t, p.choose(page, url.Values{"email": {email}}))
		claims, err := p.exchange(values.Get("code"), p.verifier)
		errtest.None(t, err)
		return claims.Subject
	}
	first, again := subject(googleParty(t), "ada@example.test"), subject(googleParty(t), "ADA@example.test")
	other, atApple := subject(googleParty(t), "bob@example.test"), subject(appleParty(t), "ada@example.test")
	if first != again || first == other || first == atApple {
		t.Errorf("subjects %s, %s, %s, %s", first, again, other, atApple)
	}
}

func TestCodeNeedsItsVerifierAndWorksOnce(t *testing.T) {
	p := googleParty(t)
	sign := func() string {
		page, _ := p.open()
		_, values := answerOf(t, p.choose(page, url.Values{"email": {"ada@example.test"}}))
		return values.Get("code")
	}
	if _, err := p.exchange(sign(), oauth2.GenerateVerifier()); err == nil {
		t.Error("a foreign verifier was accepted")
	}
	code := sign()
	if _, err := p.exchange(code, p.verifier); err != nil {
		t.Fatal(err)
	}
	if _, err := p.exchange(code, p.verifier); err == nil {
		t.Error("a code worked twice")
	}
}

func TestRequestIsAnsweredOnce(t *testing.T) {
	p := googleParty(t)
	page, _ := p.open()
	answerOf(t, p.choose(page, url.Values{"email": {"ada@example.test"}}))
	if res := p.choose(page, url.Values{"email": {"bob@example.test"}}); res.StatusCode != http.StatusNotFound {
		t.Errorf("second answer: %s", res.Status)
	}
}

func TestWrongAddressIsExplained(t *testing.T) {
	p := googleParty(t)
	page, _ := p.open()
	for _, email := range []string{"", "ada", `Ada <ada@example.test>`, strings.Repeat("a", 250) + "@b.co"} {
		res := p.choose(page, url.Values{"email": {email}})
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(read(t, res), "is not an email address") {
			t.Errorf("%q: %s", email, res.Status)
		}
	}
}

func TestForeignCallbackIsRefused(t *testing.T) {
	p := googleParty(t)
	res := p.get(p.OAuthConfig().AuthCodeURL("s", oauth2.SetAuthURLParam("redirect_uri", "http://evil.example/callback")))
	if _, err := res.Location(); res.StatusCode != http.StatusBadRequest || err == nil {
		t.Errorf("answered %s %s", res.Status, res.Header.Get("Location"))
	}
}

func TestStaysOnThisMachine(t *testing.T) {
	for _, o := range []oidc.Options{
		{Addr: "0.0.0.0:0", SiteOrigin: site},
		{Addr: ":0", SiteOrigin: site},
		{Addr: "fledge.example:0", SiteOrigin: site},
		{Addr: "127.0.0.1:0", SiteOrigin: "https://fledge.example"},
		{Addr: "127.0.0.1:0", SiteOrigin: "http://localhost.evil.example"},
		{Addr: "127.0.0.1:0", SiteOrigin: "http://localhost@evil.example"},
		{Addr: "127.0.0.1:0", SiteOrigin: "http://10.0.0.1:8080"},
		{Addr: "127.0.0.1:0", SiteOrigin: ""},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		s, err := oidc.Start(ctx, o)
		cancel()
		if err == nil {
			_ = s.Close(t.Context())
			t.Errorf("started with %+v", o)
		}
	}
}

func TestPagesAreSealed(t *testing.T) {
	base := start(t).URL()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/google/accounts?request=none", nil)
	errtest.None(t, err)
	res, err := http.DefaultTransport.RoundTrip(req)
	errtest.None(t, err)
	defer func() { _ = res.Body.Close() }()
	if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("CSP %q", csp)
	}
	if res.StatusCode != http.StatusNotFound || !strings.Contains(read(t, res), "start signing in again") {
		t.Errorf("an unknown request answers %s", res.Status)
	}
}
