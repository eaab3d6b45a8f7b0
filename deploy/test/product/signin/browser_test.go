package signin

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// browser is one person's: it has cookies, follows redirects one by one, and
// like a real one withholds Lax cookies from a form that another site posts.
type browser struct {
	t   testing.TB
	w   *world
	jar *cookiejar.Jar
	// alone makes each request over a connection of its own.
	alone bool
	// roams has the front door see each request come from the next of these addresses.
	roams []string
}

var unpooled http.RoundTripper = &http.Transport{DisableKeepAlives: true}

func (w *world) browser(t testing.TB) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	errtest.None(t, err)
	return &browser{t: t, w: w, jar: jar}
}

// copy is another browser that has got hold of this one's cookies.
func (b *browser) copy() *browser {
	b.t.Helper()
	site, err := url.Parse(b.w.origin)
	errtest.None(b.t, err)
	c := b.w.browser(b.t)
	c.jar.SetCookies(site, b.jar.Cookies(site))
	return c
}

// page is where the browser stands.
type page struct {
	url    *url.URL
	status int
	body   string
	header http.Header
}

// is ends the test unless what was asked for was answered with the status.
func (p page) is(t testing.TB, status int, what string) {
	t.Helper()
	if p.status != status {
		t.Fatalf("%s: answered with %d %s, not %d", what, p.status, p.body, status)
	}
}

func (p page) isOn(origin string) bool { return p.url.Scheme+"://"+p.url.Host == origin }

type request struct {
	method, url string
	header      http.Header
	body        string
	crossSite   bool
}

// send makes one request and follows nothing.
func (b *browser) send(r request) page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), r.method, r.url, strings.NewReader(r.body))
	errtest.None(b.t, err)
	for name, values := range r.header {
		req.Header[name] = values
	}
	if !r.crossSite {
		for _, c := range b.jar.Cookies(req.URL) {
			req.AddCookie(c)
		}
	}
	if len(b.roams) > 0 {
		req.Header.Set("X-Forwarded-For", b.roams[0])
		b.roams = append(b.roams[1:], b.roams[0])
	}
	transport := http.DefaultTransport
	if b.alone {
		transport = unpooled
	}
	resp, err := transport.RoundTrip(req)
	errtest.None(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	b.jar.SetCookies(req.URL, resp.Cookies())
	body, err := io.ReadAll(resp.Body)
	errtest.None(b.t, err)
	return page{req.URL, resp.StatusCode, string(body), resp.Header}
}

// follow goes on from an answer until there is a page. Pages of the site itself
// are not served here, so it stops where one would be.
func (b *browser) follow(p page) page {
	b.t.Helper()
	for range 10 {
		location := p.header.Get("Location")
		if location == "" {
			return p
		}
		next, err := p.url.Parse(location)
		errtest.None(b.t, err)
		if (page{url: next}).isOn(b.w.origin) && !strings.HasPrefix(next.Path, "/api/") {
			return page{url: next, status: http.StatusOK}
		}
		p = b.send(request{method: http.MethodGet, url: next.String()})
	}
	b.t.Fatalf("more than ten redirects, at %s", p.url)
	return p
}

func (b *browser) visit(url string) page {
	b.t.Helper()
	return b.follow(b.send(request{method: http.MethodGet, url: url}))
}

// api calls the gateway as the site's script does.
func (b *browser) api(method, path, body string, header ...string) page {
	b.t.Helper()
	h := http.Header{"Origin": {b.w.origin}, "Sec-Fetch-Site": {"same-origin"}, "Content-Type": {"application/json"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return b.send(request{method: method, url: b.w.origin + path, header: h, body: body})
}

// start begins a sign-in and goes to the provider's account page.
func (b *browser) start(provider, body string) page {
	b.t.Helper()
	var answer struct{ URL string }
	b.decode(b.api(http.MethodPost, "/api/auth/signin/"+provider, body), http.StatusOK, &answer)
	to, err := url.Parse(answer.URL)
	errtest.None(b.t, err)
	if got, want := to.Query()["prompt"], b.prompt(provider); !slices.Equal(got, want) {
		b.t.Errorf("%s is told to ask %q, want %q", provider, got, want)
	}
	p := b.visit(answer.URL)
	if !p.isOn(b.w.oidc) || !strings.Contains(p.body, "Choose an account") {
		b.t.Fatalf("not at the provider but at %s: %s", p.url, p.body)
	}
	return p
}

// prompt is what the provider has to ask: for the account, or for a new sign-in where there is one.
func (b *browser) prompt(provider string) []string {
	switch _, query, _ := strings.Cut(provider, "?"); {
	case query == "refresh=true" && b.api(http.MethodGet, "/api/auth/session", "").status == http.StatusOK:
		return []string{"login"}
	case strings.HasPrefix(provider, "google"):
		return []string{"select_account"}
	default:
		return nil
	}
}

// choose submits the account page and goes on to where it leads.
func (b *browser) choose(accounts page, form url.Values) page {
	b.t.Helper()
	return b.follow(b.send(b.answer(accounts, form)))
}

// answer submits the account page and returns the request that the provider
// then has the browser make to our site.
func (b *browser) answer(accounts page, form url.Values) request {
	b.t.Helper()
	form.Set("request", accounts.url.Query().Get("request"))
	target := *accounts.url
	target.RawQuery = ""
	p := b.send(request{method: http.MethodPost, url: target.String(), header: formHeader(), body: form.Encode()})
	if location := p.header.Get("Location"); location != "" {
		return request{method: http.MethodGet, url: location}
	}
	return b.postAnswer(p)
}

var (
	formAction = regexp.MustCompile(`id="answer" method="post" action="([^"]+)"`)
	formField  = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
)

// postAnswer is Apple's form, which the provider's site posts to ours.
func (b *browser) postAnswer(p page) request {
	b.t.Helper()
	action := formAction.FindStringSubmatch(p.body)
	if action == nil {
		b.t.Fatalf("no form on %s", p.url)
	}
	fields := url.Values{}
	for _, f := range formField.FindAllStringSubmatch(p.body, -1) {
		fields.Set(f[1], html.UnescapeString(f[2]))
	}
	return request{method: http.MethodPost, url: html.UnescapeString(action[1]), header: formHeader(), body: fields.Encode(), crossSite: true}
}

func formHeader() http.Header {
	return http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
}

const profile = `{"return_to":"/auth/callback?redirect=%2Fprofile"}`

// isBack reports whether the page is where a sign-in for the profile ends.
func (p page) isBack() bool {
	return p.url.Path == "/auth/callback" && p.url.RawQuery == "redirect=%2Fprofile"
}

// signIn goes the whole way and returns the page it ends on.
func (b *browser) signIn(provider, email string) page {
	b.t.Helper()
	return b.choose(b.start(provider, profile), url.Values{"email": {email}})
}

// session is what a browser is told of its session.
type session struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	TokenType    string `json:"token_type"`
	User         struct {
		ID, Email   string
		AppMetadata struct{ Provider string } `json:"app_metadata"`
		Identities  []struct{ Provider string }
	}
}

func (b *browser) session() session {
	b.t.Helper()
	var s session
	b.decode(b.api(http.MethodGet, "/api/auth/session", ""), http.StatusOK, &s)
	return s
}

func (b *browser) signedOut() {
	b.t.Helper()
	if p := b.api(http.MethodGet, "/api/auth/session", ""); p.status != http.StatusUnauthorized {
		b.t.Errorf("the session answers %d %s, want 401", p.status, p.body)
	}
}

func (b *browser) decode(p page, status int, v any) {
	b.t.Helper()
	p.is(b.t, status, p.url.String())
	if err := json.Unmarshal([]byte(p.body), v); err != nil {
		b.t.Fatalf("%s: %v", p.url, err)
	}
}
