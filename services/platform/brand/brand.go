// Package brand holds the product's name for all Go code. The website has
// web/src/config/site.ts.
package brand

const (
	// Name is how the product calls itself to people.
	Name = "Fledge"
	// Scheme is the Mac app's URL scheme, without "://".
	Scheme = "fledge"
	// Audience is the "aud" of every access token.
	Audience = "fledge"
	// SessionCookie is the name of the browser's session at Kratos on a site of http, which is
	// one of this machine; see SessionCookieOf.
	SessionCookie = "fledge_session"
	// HostSessionCookie is its name on a site of https. Browsers take a cookie of this prefix
	// from the site's own host alone (RFC 6265bis, section 4.1.3.2), so that no sibling host
	// can plant a session.
	HostSessionCookie = "__Host-" + SessionCookie
	// SupportEmail answers questions about the product.
	SupportEmail = "support@fledge.example"
)

// SessionCookieOf is the name of the session's cookie on a site of that scheme: Kratos is
// configured with it, and nobody passes any other session on to it.
func SessionCookieOf(scheme string) string {
	if scheme == "https" {
		return HostSessionCookie
	}
	return SessionCookie
}
