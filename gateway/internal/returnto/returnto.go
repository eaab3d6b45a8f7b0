// Package returnto decides where a sign-in may return to. Its counterpart in the web is
// web/src/lib/auth; both are tested with testdata/corpus.json, and both compare strings, so
// that no two URL parsers can disagree.
package returnto

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/fault"
)

const (
	// MaxBytes is the longest target that Parse looks at.
	MaxBytes = 2048
	// AppLink is the app's registered link, which the operating system opens with
	// the app alone.
	AppLink = brand.Scheme + "://auth/callback"
	// Method is the only way to make a code challenge (RFC 7636, section 4.2).
	Method = "S256"

	callbackPath = "/auth/callback"
	maxState     = 512
	// challengeLength is that of a SHA-256 in base64url without padding.
	challengeLength = 43
)

// pages are the pages of the site that a sign-in may end at.
var pages = []string{"/", "/profile", "/profile?paywall=true", "/profile#sign-in-methods", "/profile#download-data", "/profile#delete-account", "/closed-beta", "/admin"}

// Parse returns the target unchanged. It fails with fault.Invalid unless the target is
// /auth/callback on our own origin, to which every sign-in returns. It may have one of
//
//   - redirect, a page of the site (see Redirect),
//   - callback, a link to the app (see Links), with a state and a code
//     challenge with its method, if the app sent them,
//
// each parameter at most once, and nothing else.
func (l Links) Parse(target string) (string, error) {
	if target == callbackPath {
		return target, nil
	}
	rawQuery, ok := strings.CutPrefix(target, callbackPath+"?")
	if !ok || len(target) > MaxBytes || strings.ContainsFunc(target, isForeign) {
		return "", refused("is not the page that sign-ins come back to")
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "", refused("has parameters that cannot be read")
	}
	for _, values := range query {
		if len(values) > 1 {
			return "", refused("has a parameter twice")
		}
	}
	switch {
	case query.Has("redirect"):
		if !onlyHas(query, "redirect") || !Redirect(query.Get("redirect")) {
			return "", refused("has a redirect that is not a page of this site")
		}
	case !onlyHas(query, "callback", "state", "code_challenge", "code_challenge_method") || !l.leadsToApp(query):
		return "", refused("has a callback that is not the app's")
	}
	return target, nil
}

// Redirect reports whether page is one of those that a sign-in may end at.
func Redirect(page string) bool { return slices.Contains(pages, page) }

// Callback reports whether link leads into the app: exactly the registered
// scheme's link, or with PKCE exactly one of the further links, or a loopback
// address of the machine itself, at any port (RFC 8252, section 7).
func (l Links) Callback(link string, pkce bool) bool {
	if link == AppLink {
		return true
	}
	if !pkce {
		return false
	}
	if slices.Contains(l, link) {
		return true
	}
	rest, ok := strings.CutPrefix(link, "http://")
	if !ok {
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

// Challenge reports whether s can be the S256 challenge of a verifier.
func Challenge(s string) bool {
	return len(s) == challengeLength && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

func (l Links) leadsToApp(query url.Values) bool {
	challenged := query.Has("code_challenge")
	switch {
	case challenged && (!Challenge(query.Get("code_challenge")) || query.Get("code_challenge_method") != Method),
		!challenged && query.Has("code_challenge_method"),
		query.Has("state") && !isState(query.Get("state")):
		return false
	}
	return l.Callback(query.Get("callback"), challenged)
}

// isState accepts 1 to 512 printable ASCII characters.
func isState(s string) bool {
	return s != "" && len(s) <= maxState && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// isForeign finds characters that browsers and Go could read differently, or not at all.
func isForeign(r rune) bool { return r <= ' ' || r > '~' || r == '\\' || r == '#' }

func onlyHas(query url.Values, names ...string) bool {
	for name := range query {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

func refused(message string) error {
	return fault.New(fault.Invalid, "invalid_return_to", "The sign-in cannot return to this address.").Field("return_to", "The value of return_to "+message+".")
}
