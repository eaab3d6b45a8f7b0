// Package returnto decides where the site may go on after a sign-in. The web's
// twin is web/src/lib/auth; both run the same corpus, testdata/corpus.json.
package returnto

import (
	"net/netip"
	"net/url"
	"strings"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/fault"
)

const (
	// MaxBytes is the longest target that Parse looks at.
	MaxBytes = 2048

	callbackPath = "/auth/callback"
	appCallback  = brand.Scheme + "://auth/callback"
)

// pages are the paths that a sign-in may end at, each with the query parameters
// that the page understands.
var pages = map[string][]string{
	"/":            nil,
	"/profile":     {"paywall"},
	"/closed-beta": nil,
	"/admin":       nil,
	callbackPath:   {"callback", "redirect", "state", "code_challenge", "code_challenge_method"},
}

// Parse returns the target as a path on our own origin, or fault.Invalid.
//
// A target is one of the pages with parameters of its own, each at most once,
// and no fragment. For /auth/callback, redirect must be another of the pages and
// callback a link to the app (see Callback).
func Parse(target string) (string, error) {
	u, ok := parsePage(target)
	if !ok {
		return "", refused("must be a page of this site")
	}
	query := u.Query()
	if redirect := query.Get("redirect"); query.Has("redirect") {
		if r, ok := parsePage(redirect); !ok || r.Path == callbackPath {
			return "", refused("has a redirect that is not a page of this site")
		}
	}
	if query.Has("callback") && !Callback(query.Get("callback"), query.Has("code_challenge")) {
		return "", refused("has a callback that is not the app's")
	}
	if query.Has("code_challenge") != (query.Get("code_challenge_method") == "S256") {
		return "", refused("has a code challenge that is not S256")
	}
	return u.String(), nil
}

// Callback reports whether link leads into the app: exactly the registered
// scheme's link, or with PKCE a loopback address of the machine itself, at any
// port (RFC 8252, sections 7.1 and 7.3).
func Callback(link string, pkce bool) bool {
	if link == appCallback {
		return true
	}
	rest, ok := strings.CutPrefix(link, "http://")
	if !ok || !pkce {
		return false
	}
	host, ok := strings.CutSuffix(rest, callbackPath)
	if !ok {
		return false
	}
	addr, err := netip.ParseAddrPort(host)
	if err != nil || addr.Port() == 0 || addr.String() != host {
		return false
	}
	return addr.Addr() == netip.IPv6Loopback() || addr.Addr().String() == "127.0.0.1"
}

// parsePage takes a path of ours with a query of ours. It refuses whatever
// browsers and Go could read differently before it looks at the meaning.
func parsePage(target string) (*url.URL, bool) {
	if target == "" || len(target) > MaxBytes || target[0] != '/' || strings.HasPrefix(target, "//") {
		return nil, false
	}
	for _, r := range target {
		if r <= ' ' || r >= 0x7f || r == '\\' || r == '#' {
			return nil, false
		}
	}
	u, err := url.Parse(target)
	if err != nil || u.Host != "" || u.User != nil || u.RawPath != "" {
		return nil, false
	}
	params, ok := pages[u.Path]
	return u, ok && understands(params, u.RawQuery)
}

func understands(params []string, rawQuery string) bool {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return false
	}
	known := 0
	for _, name := range params {
		values, given := query[name]
		if len(values) > 1 {
			return false
		}
		if given {
			known++
		}
	}
	return known == len(query)
}

func refused(message string) error {
	return fault.New(fault.Invalid, "invalid_return_to", "The sign-in cannot return to this address.").Field("return_to", message)
}
