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
	// SessionCookie is the name of the browser's session at Kratos: Kratos is
	// configured with it, and nobody passes any other cookie on to it.
	SessionCookie = "fledge_session"
	// SupportEmail answers questions about the product.
	SupportEmail = "support@fledge.example"
	// PrivacyEmail answers questions about personal data.
	PrivacyEmail = "privacy@fledge.example"
	// SalesEmail takes requests for the Enterprise plan.
	SalesEmail = "sales@fledge.example"
)
