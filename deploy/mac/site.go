package mac

import (
	"errors"
	"net"
	"net/http"
	"net/url"

	"fledge.dev/services/platform/brand"
)

// Link is the app's own link, which macOS hands to the app: CFBundleURLSchemes
// of its Info.plist names the scheme.
const Link = brand.Scheme + "://auth/callback"

// loopbackPath is where a loopback callback lies (RFC 8252 section 7.3).
const loopbackPath = "/auth/callback"

// Site is the origin of an installation, such as https://fledge.example. Every
// address of the protocol follows from it, nothing is taken from an answer.
type Site struct{ origin string }

var errSite = errors.New("the site must be an origin such as https://fledge.example; http is for this machine alone (localhost, 127.0.0.1, [::1])")

// ParseSite reads an origin. Plain http is for a site on this machine alone:
// anywhere else tokens would travel readable.
func ParseSite(raw string) (Site, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return Site{}, errSite
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !thisMachine(u.Hostname())) {
		return Site{}, errSite
	}
	return Site{origin: u.Scheme + "://" + u.Host}, nil
}

func thisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s Site) String() string { return s.origin }

// signInPage is what the person's browser opens.
func (s Site) signInPage(query url.Values) string { return s.origin + "/auth?" + query.Encode() }

// onlyTo refuses to send anything to another origin than the site's.
type onlyTo struct {
	site Site
	next http.RoundTripper
}

var errForeign = errors.New("refused to send a request to another origin than the site's")

func (t onlyTo) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme+"://"+req.URL.Host != t.site.origin {
		return nil, errForeign
	}
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	return next.RoundTrip(req)
}
