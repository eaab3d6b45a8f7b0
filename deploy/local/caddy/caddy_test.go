package caddy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/proxytest"
	"fledge.dev/services/platform/waittest"
)

func TestPages(t *testing.T) {
	origin := door(t, "127.0.0.1:1")
	const never, always = "no-cache", "public, max-age=31536000, immutable"
	const text, noArticle = "text/plain; charset=utf-8", "<script>no article</script>"
	for name, tc := range map[string]struct {
		path, accept          string
		status                int
		body, cache, csp, ref string
		encoding, location    string
		kind, robots          string
	}{
		"landing":              {path: "/", status: 200, body: landing, cache: never, csp: policyOf("landing"), kind: "text/html; charset=utf-8"},
		"landing, brotli":      {path: "/", accept: "gzip, br", status: 200, cache: never, encoding: "br"},
		"landing, gzip":        {path: "/", accept: "gzip", status: 200, cache: never, encoding: "gzip"},
		"page":                 {path: "/blog", status: 200, cache: never, csp: policyOf("blog")},
		"article":              {path: "/blog/first", status: 200, body: "first article", cache: never, csp: policyWith("", "")},
		"page with a query":    {path: "/auth/callback?code=x", status: 200, body: "callback", cache: never, ref: "no-referrer"},
		"auth tells nobody":    {path: "/auth", status: 200, body: "auth", ref: "no-referrer"},
		"others tell origin":   {path: "/blog", status: 200, ref: "strict-origin-when-cross-origin"},
		"payload":              {path: "/auth/callback.txt?_rsc=x", status: 200, body: "1:[]\n", cache: never, kind: text, robots: "noindex"},
		"payload of a segment": {path: "/profile/__next.!KGFwcCk.$d$x.PAGE.txt?_rsc=x", status: 200, body: "1:[]\n", cache: never, kind: text, robots: "noindex"},
		"payload, escaped":     {path: "/profile/__next.!KGFwcCk.%24d%24x.PAGE.txt", status: 200, body: "1:[]\n"},
		"unknown payload":      {path: "/nowhere.txt", status: 404, body: "page not found", kind: "text/html; charset=utf-8"},
		"text":                 {path: "/robots.txt", status: 200, cache: never, kind: text},
		"manifest":             {path: "/site.webmanifest", status: 200, body: `{"name":"Fledge"}`, cache: never, kind: "application/manifest+json"},
		"whom to tell":         {path: "/.well-known/security.txt", status: 200, cache: never, kind: text},
		"static":               {path: "/_next/static/chunks/a1b.js", status: 200, body: "script", cache: always, kind: "text/javascript; charset=utf-8"},
		"static, brotli":       {path: "/_next/static/chunks/a1b.js", accept: "br", status: 200, body: "script in brotli", cache: always, encoding: "br"},
		"static of before":     {path: "/_next/static/chunks/old.js", status: 200, body: "script of the previous version", cache: always},
		"static that is gone":  {path: "/_next/static/chunks/zzz.js", status: 404, body: "404 Not Found", cache: "no-store", kind: text},
		"picture":              {path: "/picture.png", status: 200, body: "picture", cache: "public, max-age=3600"},
		"icon":                 {path: "/favicon.ico", status: 200, body: "icon", cache: "public, max-age=3600", kind: "image/x-icon"},
		"unknown page":         {path: "/nowhere/at/all", status: 404, body: "page not found", cache: never, csp: policyWith("", "")},
		"unknown article":      {path: "/blog/none", status: 404, body: noArticle, cache: never, csp: policyOf("no article")},
		"below an article":     {path: "/blog/first/more", status: 404, body: "page not found"},
		"error page, asked":    {path: "/404", status: 404, body: "page not found"},
		"error page, article":  {path: "/blog/not-found", status: 404, body: noArticle},
		"leftover of Next":     {path: "/_not-found", status: 404, body: "page not found"},
		"slash at the end":     {path: "/blog/first/?a=b", status: 308, location: "/blog/first?a=b"},
		"slash of no page":     {path: "/nowhere/", status: 404, body: "page not found"},
		"with .html":           {path: "/blog/first.html", status: 308, location: "/blog/first"},
		"with .html/":          {path: "/blog/first.html/", status: 308, location: "/blog/first"},
		"index.html":           {path: "/index.html", status: 308, location: "/"},
		"index":                {path: "/index", status: 308, location: "/"},
		"two slashes":          {path: "//auth/callback?code=x", status: 308, location: "/auth/callback?code=x"},
		"two slashes inside":   {path: "/auth//callback", status: 308, location: "/auth/callback"},
		"only slashes":         {path: "//", status: 308, location: "/"},
		"up":                   {path: "/x/..%2fprofile", status: 308, location: "/profile"},
		"up from a host":       {path: "//evil.example/..%2fauth/callback", status: 308, location: "/auth/callback"},
		"dot":                  {path: "/.%2fprofile", status: 308, location: "/profile"},
		"escaped":              {path: "/%62log", status: 308, location: "/blog"},
		"escaped slash":        {path: "/auth%2fcallback", status: 308, location: "/auth/callback"},
		"no way out, slashes":  {path: "//evil.example/", status: 404, body: "page not found"},
		"no way out, encoded":  {path: "/%5Cevil.example/", status: 404, body: "page not found"},
		"no way up":            {path: "/../secret.txt", status: 404, body: "page not found"},
		"no way up, encoded":   {path: "/%2e%2e/secret.txt", status: 404, body: "page not found"},
		"no way up, static":    {path: "/_next/../../secret.txt", status: 404, body: "page not found"},
		"no way up, in static": {path: "/_next/static/../../../secret.txt", status: 404, body: "page not found"},
		"policies stay inside": {path: "/csp.caddy", status: 404},
		"hidden file":          {path: "/.env", status: 404, body: "page not found"},
		"hidden, encoded":      {path: "/%2eenv", status: 404, body: "page not found"},
		"hidden folder":        {path: "/.git/config", status: 404, body: "page not found"},
		"long name":            {path: "/" + strings.Repeat("x", 256), status: 404, body: "page not found"},
		"long article":         {path: "/blog/" + strings.Repeat("x", 2048), status: 404, body: noArticle},
		"long, static":         {path: "/_next/static/" + strings.Repeat("x", 2048), status: 404, body: "404 Not Found"},
		"many names":           {path: strings.Repeat("/x", 3000), status: 404, body: "page not found"},
		"zero byte":            {path: "/index.html%00", status: 404, body: "page not found"},
		"zero byte, static":    {path: "/_next/static/chunks/a1b.js%00.png", status: 404, body: "404 Not Found"},
		"settings":             {path: "/config.json", status: 200, body: `{"analytics":{}}`, cache: never},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			if tc.accept != "" {
				header.Set("Accept-Encoding", tc.accept)
			}
			got := get(t, http.MethodGet, origin+tc.path, header)
			if got.StatusCode != tc.status {
				t.Errorf("status %d, want %d", got.StatusCode, tc.status)
			}
			if tc.body != "" && got.text != tc.body {
				t.Errorf("body %q, want %q", got.text, tc.body)
			}
			for key, want := range map[string]string{
				"Cache-Control": tc.cache, "Content-Security-Policy": tc.csp, "Referrer-Policy": tc.ref,
				"Content-Encoding": tc.encoding, "Location": tc.location, "Content-Type": tc.kind, "X-Robots-Tag": tc.robots, "X-Content-Type-Options": "nosniff",
			} {
				if want != "" && got.Header.Get(key) != want {
					t.Errorf("%s: %q, want %q", key, got.Header.Get(key), want)
				}
			}
			if cache := got.Header.Get("Cache-Control"); tc.status == http.StatusPermanentRedirect && cache != "no-store" {
				t.Errorf("the redirect's Cache-Control is %q", cache)
			}
			if got.Header.Get("Server") != "" || got.Header.Get("Strict-Transport-Security") != "" {
				t.Errorf("Server %q, HSTS %q on plain http", got.Header.Get("Server"), got.Header.Get("Strict-Transport-Security"))
			}
		})
	}
}

func TestThePolicyLetsThroughOnlyTheAnalyticsThatAreOn(t *testing.T) {
	const google = "https://www.googletagmanager.com"
	for name, tc := range map[string]struct {
		change              func(*caddy.Options)
		script, connections string
	}{
		"none":    {func(*caddy.Options) {}, "", ""},
		"PostHog": {func(o *caddy.Options) { o.PosthogHost = "https://ph.example" }, "", " https://ph.example"},
		"Google": {
			func(o *caddy.Options) { o.MeasurementID = "G-TEST" }, " " + google,
			" " + google + " https://*.google-analytics.com https://*.analytics.google.com",
		},
	} {
		t.Run(name, func(t *testing.T) {
			origin := door(t, "127.0.0.1:1", tc.change)
			want := policyWith(tc.script, tc.connections)
			if got := get(t, http.MethodGet, origin+"/profile", nil).Header.Get("Content-Security-Policy"); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
}

func TestAPageIsAskedForAgainByItsETag(t *testing.T) {
	origin := door(t, "127.0.0.1:1")
	etag := get(t, http.MethodGet, origin+"/blog", nil).Header.Get("Etag")
	if etag == "" {
		t.Fatal("no ETag")
	}
	if got := get(t, http.MethodGet, origin+"/blog", http.Header{"If-None-Match": {etag}}); got.StatusCode != http.StatusNotModified {
		t.Errorf("status %d", got.StatusCode)
	}
}

// TestTheErrorPageIsAlwaysWhole: a browser that has it sends its ETag, and shows what comes.
func TestTheErrorPageIsAlwaysWhole(t *testing.T) {
	origin := door(t, "127.0.0.1:1")
	for path, text := range map[string]string{"/nothing": "page not found", "/blog/nothing": "<script>no article</script>"} {
		first := get(t, http.MethodGet, origin+path, nil).Header
		if first.Get("Etag") == "" {
			t.Errorf("%s: no ETag", path)
		}
		for name, value := range map[string]string{
			"If-None-Match": first.Get("Etag"), "If-Match": `"other"`, "Range": "bytes=0-3",
			"If-Modified-Since": first.Get("Last-Modified"), "If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:01 GMT",
		} {
			got := get(t, http.MethodGet, origin+path, http.Header{name: {value}})
			if got.StatusCode != http.StatusNotFound || got.text != text || got.Header.Get("Content-Range") != "" {
				t.Errorf("%s, %s: %d %q, Content-Range %q", path, name, got.StatusCode, got.text, got.Header.Get("Content-Range"))
			}
		}
	}
}

func TestASiteOfHTTPSIsReadOverHTTPS(t *testing.T) {
	over := func(scheme string) http.Header { return http.Header{"X-Forwarded-Proto": {scheme}} }
	secure := func(o *caddy.Options) { o.SiteOrigin = "https://fledge.test" }
	trusting := func(o *caddy.Options) { o.Settings = append(o.Settings, "FLEDGE_TRUSTED_PROXIES=127.0.0.0/8") }
	origin := door(t, "127.0.0.1:1", secure, trusting)
	plain := get(t, http.MethodGet, origin+"/blog?q=1", over("http"))
	if plain.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a cache that goes by the address alone would make it a loop: %q", plain.Header.Get("Cache-Control"))
	}
	for _, path := range []string{"/", "/blog", "/auth/callback", "/nowhere", "/auth/nowhere", "/config.json", "/feed.xml", "/robots.txt", "/api/health"} {
		if got := get(t, http.MethodGet, origin+path, over("https")).Header.Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
			t.Errorf("HSTS of %s over https: %q", path, got)
		}
	}
	alone := door(t, "127.0.0.1:1", secure, trusting, func(o *caddy.Options) { o.Settings = append(o.Settings, "FLEDGE_HSTS_SUBDOMAINS=false") })
	if got := get(t, http.MethodGet, alone+"/blog", over("https")).Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("HSTS for the site's host alone: %q", got)
	}
	if plain.StatusCode != http.StatusPermanentRedirect || plain.Header.Get("Location") != "https://fledge.test/blog?q=1" {
		t.Errorf("over http: %d to %q", plain.StatusCode, plain.Header.Get("Location"))
	}
	// A load balancer has led people to https, and speaks http to the ingress.
	outside := get(t, http.MethodGet, door(t, "127.0.0.1:1", secure, trusting, func(o *caddy.Options) { o.Settings = append(o.Settings, "FLEDGE_TLS_OUTSIDE=true") })+"/blog", over("http"))
	if outside.StatusCode != http.StatusOK || outside.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("https that ends outside: %d to %q", outside.StatusCode, outside.Header.Get("Location"))
	}
	// A probe goes through no ingress.
	for _, header := range []http.Header{over("https"), nil} {
		if got := get(t, http.MethodGet, origin+"/blog", header); got.StatusCode != http.StatusOK {
			t.Errorf("%v: %d", header, got.StatusCode)
		}
	}
	if got := get(t, http.MethodGet, door(t, "127.0.0.1:1", trusting)+"/blog", over("http")); got.StatusCode != http.StatusOK {
		t.Errorf("a site of http: %d to %q", got.StatusCode, got.Header.Get("Location"))
	}
	// What a client says of itself is no proxy's word.
	for _, scheme := range []string{"http", "https"} {
		got := get(t, http.MethodGet, door(t, "127.0.0.1:1", secure)+"/blog", over(scheme))
		if got.StatusCode != http.StatusOK || got.Header.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s by the client's word: %d, HSTS %q", scheme, got.StatusCode, got.Header.Get("Strict-Transport-Security"))
		}
	}
}

func TestPagesTakeGetAndHeadOnly(t *testing.T) {
	origin := door(t, "127.0.0.1:1")
	if got := get(t, http.MethodHead, origin+"/blog", nil); got.StatusCode != http.StatusOK || got.text != "" {
		t.Errorf("HEAD: %d %q", got.StatusCode, got.text)
	}
	for _, method := range []string{http.MethodPost, http.MethodOptions} {
		for _, path := range []string{"/", "/blog", "/_next/static/chunks/a1b.js", "/config.json"} {
			for _, accepts := range []string{"", "gzip", "br"} {
				got := get(t, method, origin+path, http.Header{"Accept-Encoding": {accepts}})
				if got.StatusCode != http.StatusMethodNotAllowed || got.text != "405 Method Not Allowed" || got.Header.Get("Allow") != "GET, HEAD" ||
					got.Header.Get("Content-Encoding") != "" || got.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s %s, %q: %d %q, %v", method, path, accepts, got.StatusCode, got.text, got.Header)
				}
			}
		}
	}
}

func TestTheAPIIsTheGateways(t *testing.T) {
	var seen *http.Request
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		w.Header().Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		w.WriteHeader(http.StatusTeapot)
	}))
	defer gateway.Close()
	origin := door(t, strings.TrimPrefix(gateway.URL, "http://"))

	got := get(t, http.MethodGet, origin+"/api/anything?q=1", http.Header{
		"X-Forwarded-For": {"6.6.6.6"}, "X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"evil.example"},
		"X-Real-Ip": {"6.6.6.6"}, "True-Client-Ip": {"6.6.6.6"}, "Cf-Connecting-Ip": {"6.6.6.6"}, "Forwarded": {"for=6.6.6.6"},
		"X-Request-Id": {"0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"},
	})
	if got.StatusCode != http.StatusTeapot || seen.URL.String() != "/api/anything?q=1" {
		t.Fatalf("%d for %s", got.StatusCode, seen.URL)
	}
	if got.Header.Get("Content-Security-Policy") != "" {
		t.Error("the page's policy on an API answer")
	}
	if hsts := got.Header.Values("Strict-Transport-Security"); len(hsts) != 1 {
		t.Errorf("the gateway's answer says %q", hsts)
	}
	for key, want := range map[string]string{
		"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http", "X-Real-Ip": "", "True-Client-Ip": "", "Cf-Connecting-Ip": "", "Forwarded": "", "X-Request-Id": "",
	} {
		if value := strings.Join(seen.Header.Values(key), ","); value != want {
			t.Errorf("%s reached the gateway as %q, want %q", key, value, want)
		}
	}
	if behind, front := strings.TrimPrefix(gateway.URL, "http://"), strings.TrimPrefix(origin, "http://"); seen.Host != behind || seen.Header.Get("X-Forwarded-Host") != front {
		t.Errorf("Host %q, want %q; X-Forwarded-Host %q, want %q", seen.Host, behind, seen.Header.Get("X-Forwarded-Host"), front)
	}
}

func TestWithoutAGatewayTheAPIAnswersInItsOwnShape(t *testing.T) {
	origin := door(t, "127.0.0.1:1")
	got := get(t, http.MethodPost, origin+"/api/add-waitlist-user", nil)
	if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" ||
		!strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	if !strings.Contains(got.text, `"code":"unavailable"`) || strings.Contains(got.text, "127.0.0.1") {
		t.Errorf("body %s", got.text)
	}
	if page := get(t, http.MethodGet, origin+"/", nil); page.StatusCode != http.StatusOK {
		t.Errorf("the landing page: %d", page.StatusCode)
	}
}

// TestTheGatewayIsNotAskedThroughAProxy: many clusters name a proxy in the environment of
// every pod, for the way out.
func TestTheGatewayIsNotAskedThroughAProxy(t *testing.T) {
	proxy := proxytest.Listen(t)
	origin := door(t, "gateway.invalid:8080", func(o *caddy.Options) { o.Settings = append(o.Settings, proxy.Environment()...) })
	if got := get(t, http.MethodGet, origin+"/api/get-plans", nil); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d %s", got.StatusCode, got.text)
	}
	if asked := proxy.Asked(); len(asked) > 0 {
		t.Errorf("a proxy was asked for %v", asked)
	}
}

// TestAForeignNameGetsNothing: a wrong record in DNS must not look like a healthy site.
func TestAForeignNameGetsNothing(t *testing.T) {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the gateway") }))
	t.Cleanup(gateway.Close)
	origin := door(t, strings.TrimPrefix(gateway.URL, "http://"), func(o *caddy.Options) {
		o.SiteOrigin, o.Settings = "https://fledge.example", append(o.Settings, "FLEDGE_HOSTS=www.fledge.example web-peers a.example b.example", "FLEDGE_ALIAS_HOST=a.example b.example")
	})
	for _, host := range []string{"evil.example", "fledge.example.evil.example", "evilfledge.example", "example", "fledge.example:8080", "fledge.example:80", "fledge", "www.fledge", "peers", "localhost.evil.example", "1.2.3.4.evil.example"} {
		for _, path := range []string{"/", "/api/health", "/config.json", "/nowhere"} {
			got := get(t, http.MethodGet, origin+path, http.Header{"Host": {host}})
			if got.StatusCode != http.StatusMisdirectedRequest || got.text != "421 Misdirected Request" || got.Header.Get("Server") != "" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s%s: %d %q", host, path, got.StatusCode, got.text)
			}
		}
	}
	for _, host := range []string{"a.example", "b.example"} {
		if got := get(t, http.MethodGet, origin+"/blog?q=1", http.Header{"Host": {host}}); got.StatusCode != http.StatusPermanentRedirect || got.Header.Get("Location") != "https://fledge.example/blog?q=1" {
			t.Errorf("%s: %d to %q", host, got.StatusCode, got.Header.Get("Location"))
		}
	}
	for _, host := range []string{"fledge.example", "FLEDGE.example", "fledge.example:443", "www.fledge.example", "web-peers:8080", "10.1.2.3:8080", "[fd00::1]:8080", "localhost:9"} {
		if got := get(t, http.MethodGet, origin+"/", http.Header{"Host": {host}}); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %q", host, got.StatusCode, got.text)
		}
	}
}

// TestAProbeThatNamesNoHostIsAnswered, as some load balancers' do by HTTP/1.0.
func TestAProbeThatNamesNoHostIsAnswered(t *testing.T) {
	origin := door(t, "127.0.0.1:1", func(o *caddy.Options) {
		o.SiteOrigin, o.Settings = "https://fledge.example", append(o.Settings, "FLEDGE_HOSTS=www.fledge.example")
	})
	for header, status := range map[string]int{"": http.StatusOK, "Host: evil.example\r\n": http.StatusMisdirectedRequest} {
		conn, err := net.Dial("tcp", "127.0.0.1:"+origin[strings.LastIndex(origin, ":")+1:])
		errtest.None(t, err)
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(waittest.Timeout))
		_, err = io.WriteString(conn, "GET / HTTP/1.0\r\n"+header+"\r\n")
		errtest.None(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		errtest.None(t, err)
		if _ = resp.Body.Close(); resp.StatusCode != status {
			t.Errorf("%q: %s", header, resp.Status)
		}
	}
}

// TestTheSchemesPortIsNoOtherHost: RFC 9110, section 4.2.3.
func TestTheSchemesPortIsNoOtherHost(t *testing.T) {
	origin := door(t, "127.0.0.1:1", func(o *caddy.Options) { o.SiteOrigin = "http://fledge.example" })
	for host, status := range map[string]int{"fledge.example:80": http.StatusOK, "fledge.example:443": http.StatusMisdirectedRequest} {
		if got := get(t, http.MethodGet, origin+"/", http.Header{"Host": {host}}); got.StatusCode != status {
			t.Errorf("%s: %d %q", host, got.StatusCode, got.text)
		}
	}
}

// TestTheNumberLeadsToTheName: signing in works at one origin alone, so that is
// where every page is.
func TestTheNumberLeadsToTheName(t *testing.T) {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("X-Forwarded-Host"))
	}))
	t.Cleanup(gateway.Close)
	origin := door(t, strings.TrimPrefix(gateway.URL, "http://"))
	number := strings.Replace(origin, "localhost", "127.0.0.1", 1)
	for _, uri := range []string{
		"/", "/blog", "/blog/first/", "/index.html", "/auth/callback?code=x&state=a%20b", "/profile?paywall=true", "/nowhere?x=%2F%2Fevil.example",
		"//evil.example/", "/%5Cevil.example", "/@evil.example", "/.evil.example", "/_next/static/chunks/a1b.js",
	} {
		got := get(t, http.MethodGet, number+uri, nil)
		if got.StatusCode != http.StatusPermanentRedirect || got.Header.Get("Location") != origin+uri || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d to %q", uri, got.StatusCode, got.Header.Get("Location"))
		}
	}
	if head := get(t, http.MethodHead, number+"/blog", nil); head.StatusCode != http.StatusPermanentRedirect {
		t.Errorf("HEAD: %d", head.StatusCode)
	}
	for path, want := range map[string]string{"/api/health": strings.TrimPrefix(number, "http://"), "/config.json": `{"analytics":{}}`} {
		if got := get(t, http.MethodGet, number+path, nil); got.StatusCode != http.StatusOK || got.text != want {
			t.Errorf("%s: %d %q", path, got.StatusCode, got.text)
		}
	}
}

func TestOriginIsTheBrowsers(t *testing.T) {
	for port, want := range map[int]string{8080: "http://localhost:8080", 443: "http://localhost:443", 80: "http://localhost"} {
		if got := caddy.Origin(port); got != want {
			t.Errorf("%d: %s, want %s", port, got, want)
		}
	}
}

func TestStartTellsThatTheSiteIsNotBuilt(t *testing.T) {
	_, err := caddy.Start(t.Context(), caddy.Options{Export: filepath.Join(t.TempDir(), "out")})
	if err == nil || !strings.Contains(err.Error(), "the site is not built") {
		t.Errorf("got %v", err)
	}
}
