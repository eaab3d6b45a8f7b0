package kratos

import (
	"net/http"
	"strings"

	"fledge.dev/services/platform/brand"
)

const (
	// continuityCookie binds a sign-in at a provider to the browser that began it.
	continuityCookie = "ory_kratos_continuity"
	// csrfPrefix begins the name of the cookie that binds a flow to the browser.
	csrfPrefix = "csrf_token_"
	// hostPrefix has browsers take a cookie from the site's own host alone (RFC 6265bis, section
	// 4.1.3.2). Kratos cannot be told to use it for the cookies of a sign-in in progress; without
	// it a sibling host could plant its own sign-in in a browser.
	hostPrefix = "__Host-"
)

// SessionCookie is the configured name of Kratos' session cookie.
func (c *Client) SessionCookie() string { return brand.SessionCookieOf(c.site.Scheme) }

// prefix is what browsers know the cookies of a sign-in by, before Kratos' names for them.
func (c *Client) prefix() string {
	if c.site.Scheme == "https" {
		return hostPrefix
	}
	return ""
}

// inward returns Kratos' name for a browser's cookie, and whether it is one of Kratos'.
func (c *Client) inward(browsers string) (name string, own bool) {
	if browsers == c.SessionCookie() {
		return browsers, true
	}
	name, ok := strings.CutPrefix(browsers, c.prefix())
	return name, ok && isOfSignIn(name)
}

// outward gives the cookies that Kratos sets the names that browsers know.
func (c *Client) outward(h http.Header) {
	if c.prefix() == "" {
		return
	}
	for i, line := range h["Set-Cookie"] {
		if cookie, err := http.ParseSetCookie(line); err == nil && isOfSignIn(cookie.Name) {
			cookie.Name, cookie.Domain, cookie.Path, cookie.Secure = c.prefix()+cookie.Name, "", "/", true
			h["Set-Cookie"][i] = cookie.String()
		}
	}
}

func isOfSignIn(name string) bool {
	return name == continuityCookie || strings.HasPrefix(name, csrfPrefix)
}
